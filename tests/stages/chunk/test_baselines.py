"""Chunkers to compare with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drac.stages.chunk.baselines import cut_document, fixed_size, page


def test_fixed_size_overlaps_and_knows_its_pages() -> None:
    found = fixed_size(["aaaaaaaa", "bbbbbbbb"], size=10, overlap=4)
    assert found == [("aaaaaaaabb", (1, 2)), ("aabbbbbbbb", (1, 2))]
    assert fixed_size(["aaaa", "bbbb", "cccc"], size=4, overlap=0) == [
        ("aaaa", (1,)), ("bbbb", (2,)), ("cccc", (3,))
    ]  # fmt: skip


def test_a_short_document_is_one_chunk() -> None:
    assert fixed_size(["abc"]) == [("abc", (1,))]
    assert fixed_size([]) == fixed_size([" \n"]) == []


def test_pages_without_text_are_left_out() -> None:
    assert page(["one\n", "  ", "three"]) == [("one", (1,)), ("three", (3,))]


@given(st.lists(st.integers(0, 30), max_size=5), st.integers(4, 20))
def test_every_character_is_in_a_chunk_of_its_page(lengths: list[int], size: int) -> None:
    """Each character stands once in the document, so a chunk shows what it covers."""
    starts = [sum(lengths[:n]) for n in range(len(lengths))]
    pages = [
        "".join(chr(0x4E00 + n) for n in range(start, start + length))
        for start, length in zip(starts, lengths, strict=True)
    ]
    found = fixed_size(pages, size, size // 4)
    assert set("".join(text for text, _ in found)) == set("".join(pages))
    for text, numbers in found:
        assert numbers == tuple(n for n, one in enumerate(pages, start=1) if set(one) & set(text))


def test_a_cut_of_any_kind() -> None:
    assert cut_document(["one two", " three"], lambda text: [(0, 3), (3, 13)]) == [
        ("one", (1,)), ("two three", (1, 2))
    ]  # fmt: skip
