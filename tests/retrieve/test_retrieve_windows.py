"""Cutting texts to a window: nothing is left out and every piece fits (F47)."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from drac.retrieve.windows import windows


def tokens(text: str) -> list[tuple[int, int]]:
    """Words of up to five letters are one token, longer ones one a letter; a mark is one."""
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\w+|[^\w\s]", text):
        start, end = match.span()
        found += [(start, end)] if end - start <= 5 else [(n, n + 1) for n in range(start, end)]
    return found


def cut(text: str, budget: int) -> list[str]:
    spans = windows(text, tokens(text), budget, lambda piece: len(tokens(piece)))
    return [text[start:end] for start, end in spans]


@given(st.text(alphabet="abcdef .。\n今天", max_size=300), st.integers(1, 20))
def test_f47_windows_join_to_the_text_and_fit(text: str, budget: int) -> None:
    pieces = cut(text, budget)
    assert "".join(pieces) == text
    assert all(len(tokens(piece)) <= budget for piece in pieces)
    assert all(pieces) or pieces == [""]


def test_a_text_that_fits_is_one_window() -> None:
    assert cut("one two. three", 4) == ["one two. three"]


def test_windows_end_with_sentences_and_are_of_like_length() -> None:
    text = " ".join(f"This is the line n{n}." for n in range(9))
    pieces = cut(text, 24)
    assert all(piece.rstrip().endswith(".") for piece in pieces)
    assert [len(tokens(piece)) for piece in pieces] == [18, 18, 18]


def test_without_sentences_windows_end_between_words() -> None:
    text = "word " * 50
    assert all(set(piece.split()) == {"word"} for piece in cut(text, 7))


def test_a_character_of_more_tokens_than_fit_is_passed_on_whole() -> None:
    spans = windows("ab", [(0, 1)] * 3 + [(1, 2)], 2, lambda piece: 3 * piece.count("a") + piece.count("b"))
    assert spans == [(0, 1), (1, 2)]


def test_f47_a_cut_that_makes_more_tokens_is_seen() -> None:
    text = "A" + "b" * 99

    def count(piece: str) -> int:
        return -(-len(piece) // 4) + (not piece.startswith("A"))

    spans = windows(text, [(n, min(n + 4, 100)) for n in range(0, 100, 4)], 5, count)
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == 100
    assert max(count(text[start:end]) for start, end in spans) == 5
