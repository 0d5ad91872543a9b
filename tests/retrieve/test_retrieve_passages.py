"""The passages of a text that are embedded beside it."""

from __future__ import annotations

import pytest
from fakes_retrieval import LetterEmbedder
from hypothesis import given
from hypothesis import strategies as st

from drac.retrieve.passages import passages
from drac.retrieve.vectors import embed_chunks, embed_documents

ROW = "Model: A; Price: 5 pounds."


def embedded(text: str, most: int = 400) -> list[str]:
    return [one.embedded(text) for one in passages(text, most)]


def test_each_block_stands_under_the_headings_above_it() -> None:
    text = "Guide\nPart 2\n\n## Fees\n\nOne.\n\n### Cards\n\nTwo.\n\n## Terms\n\nThree."
    assert embedded(text) == [
        "Guide\nPart 2\nFees\n\nOne.",
        "Guide\nPart 2\nFees\nCards\n\nTwo.",
        "Guide\nPart 2\nTerms\n\nThree.",
    ]


@pytest.mark.parametrize("text", ["", "  ", "One block.", "# T\n\nOne block.", "T\n\nOne.", "# A\n\n## B"])
def test_a_text_of_one_passage_has_none(text: str) -> None:
    assert passages(text, 400) == []


@pytest.mark.parametrize("first", ["Fees", "Skerrow Ferries Ltd.", "1. Fees", "What is due?", "A\nB: more"])
def test_a_first_block_that_is_no_sentence_is_taken_for_headings(first: str) -> None:
    assert embedded(f"{first}\n\nOne.\n\nTwo.") == [f"{first}\n\nOne.", f"{first}\n\nTwo."]


@pytest.mark.parametrize(
    "first", [ROW, "- an item", "Here a whole sentence of seven words stands.", "a " * 99]
)
def test_any_other_first_block_is_a_passage(first: str) -> None:
    assert embedded(f"{first}\n\nOne.") == [first.strip(), "One."]


def test_a_long_block_is_cut_at_its_lines() -> None:
    items = "\n".join(f"- item {n} of a list" for n in range(10))
    pieces = embedded(f"# T\n\n{items}", 90)
    assert [piece.startswith("T\n\n- item") for piece in pieces] == [True] * len(pieces)
    assert max(map(len, pieces)) <= 90 + len("T\n\n")
    assert "\n".join(piece.removeprefix("T\n\n") for piece in pieces) == items


@given(st.text(st.sampled_from("ab .\n#-1\u0e01"), max_size=80), st.integers(1, 40))
def test_passages_follow_one_another_and_hold_all_but_headings(text: str, most: int) -> None:
    found = passages(text, most)
    ends = [0, *(one.stretch[1] for one in found)]
    assert all(end <= one.stretch[0] < one.stretch[1] for end, one in zip(ends, found, strict=False))
    shown = "".join(text[slice(*one.stretch)] + one.headings for one in found)
    assert not found or {"a", "b"} & set(text) <= set(shown)


def test_passages_are_rows_after_the_texts_own() -> None:
    text = "aaaaaaaa\n\nbb.\n\ncc."
    plain = embed_chunks([("x", text)], LetterEmbedder())
    made = embed_chunks([("x", text), ("y", "d")], LetterEmbedder(), passages=400)
    more = len(made.owners) - 1 - len(plain.owners)
    assert made.owners == (0,) * (len(plain.owners) + more) + (1,)
    assert made.embedded[: len(plain.owners)] == plain.embedded
    assert {text[slice(*stretch)] for stretch in made.stretches[len(plain.owners) : -1]} == {"bb.", "cc."}


def test_a_passage_past_the_models_window_has_several_rows() -> None:
    text = f"{'a' * 25}\n\nbb b."
    ((_, made),) = embed_documents([("k", [("x", text)])], LetterEmbedder(), passages=400)
    assert max(map(len, made.embedded)) <= LetterEmbedder().window
