"""Sentences, words, passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.retrieve.passage import passage
from drac.retrieve.words import words
from drac.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
        ("Version 2.5 costs 3.50 a day. Next.", ["Version 2.5 costs 3.50 a day. ", "Next."]),
        ("Use it, e.g. here. Dot.", ["Use it, e.g. here. ", "Dot."]),
        ("J. Smith wrote it.", ["J. Smith wrote it."]),
        ("1. First item\n2. Second item", ["1. First item\n", "2. Second item"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
        ("今天下雨。明天晴！好", ["今天下雨。", "明天晴！", "好"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


@given(st.text(alphabet="ab A.!?。\n 1\"'", max_size=80))
def test_sentences_cover_any_text(text: str) -> None:
    assert "".join(cut(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CAT, the cat's hat", ["the", "cat", "the", "cat", "s", "hat"]),
        ("₹1,234.50 (2.5%)", ["1,234.50", "2.5"]),
        ("ﬁne STRASSE Straße", ["fine", "strasse", "strasse"]),
        ("हिन्दी।", ["हिन्दी"]),
        ("東京Tower", ["東", "京", "東京", "tower"]),
        ("--- | *", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


LONG = (
    "The bank was founded in 1921. It has many branches across the country and abroad. "
    "Cards can be ordered in every branch. A lost card is blocked by calling 1800-111. "
    "Cheques are sent by post within a week. The head office stands in Mumbai."
)


def test_passage_shows_the_sentence_that_answers() -> None:
    shown = passage(LONG, "How do I block a lost card? Is it blocked?", limit=90)
    assert "A lost card is blocked by calling 1800-111." in shown
    assert len(shown) <= 90


def test_passage_without_a_common_word_is_the_beginning() -> None:
    assert passage(LONG, "zebra", limit=60) == "The bank was founded in 1921."


def test_passage_cuts_one_endless_sentence_around_the_word() -> None:
    shown = passage("filler " * 200 + "needle " + "filler " * 200, "needle", limit=100)
    assert "needle" in shown
    assert len(shown) <= 100
    assert set(shown.split()) == {"filler", "needle"}


@given(st.text(alphabet="ab c.\n", max_size=200), st.text(alphabet="ab ", max_size=10), st.integers(1, 50))
def test_passage_is_verbatim_and_within_the_limit(text: str, query: str, limit: int) -> None:
    shown = passage(text, query, limit=limit)
    assert shown in text
    assert len(shown) <= limit
