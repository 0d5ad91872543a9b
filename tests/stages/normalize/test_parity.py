"""Words and digit strings compared as multisets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.records import Parity, Passage
from drac.stages.normalize import compare


def found(text: str, pdf: str) -> Parity:
    return compare([Passage(text, "paragraph 1")], pdf)[0]


def test_each_occurrence_counts() -> None:
    parity, different = compare(
        [Passage("one two two", "paragraph 1"), Passage("two 3 44", "paragraph 2")], "one two two 44"
    )
    assert (parity.words, parity.numbers, different) == (0.75, 0.5, 2)
    assert parity.missing == (("two", "paragraph 2"), ("3", "paragraph 2"))


@pytest.mark.parametrize(
    ("text", "pdf"),
    [
        ("Efficient office", "Eﬃcient oﬀice"),
        ("STRASSE", "straße"),
        ("hyphenation here", "hyphen-\nation here"),
        ("soft\u00adware", "software"),
        ("VELVERA-001 and 1,049,999", "VEL\nVERA-0\n01 and 1,04\n9,99\n9"),
        ("überall", "u\u0308berall"),
        ("東京都 日本", "東京\n都日本"),
        ("שלום עולם", "םולש םלוע"),
        ("ﷺ １２", "صلى الله عليه وسلم 12"),
    ],
)
def test_what_only_looks_different_is_found(text: str, pdf: str) -> None:
    parity = found(text, pdf)
    assert (parity.words, parity.missing) == (1.0, ())
    assert parity.numbers in (1.0, None)


@pytest.mark.parametrize(
    ("text", "pdf"),
    [("the", "at\nhe"), ("the", "t\nhen"), ("another", "an other"), ("12", "1\n\n2"), ("cat", "c\na t")],
)
def test_what_is_not_there_is_not_found(text: str, pdf: str) -> None:
    assert min(one for one in (found(text, pdf).words, found(text, pdf).numbers) if one is not None) == 0.0


def test_nothing_to_compare() -> None:
    assert compare([], "text") == (Parity(), 0)


def test_a_missing_word_among_many_is_never_rounded_away() -> None:
    many = "word " * 99_999
    parity = found(many + "lost", many)
    assert parity.words is not None and 0.9999 <= parity.words < 1.0


@given(st.lists(st.text(alphabet="abcdeé19", min_size=1, max_size=8), min_size=1), st.integers(5, 30))
def test_text_broken_into_lines_at_words_is_whole(words: list[str], width: int) -> None:
    import textwrap

    text = " ".join(words)
    wrapped = "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
    assert found(text, wrapped).missing == ()
