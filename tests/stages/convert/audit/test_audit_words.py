"""Words, runs of the same words, and words that OCR misread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.stages.convert.audit.alike import Speller, distance, same_joined
from drac.stages.convert.audit.tiles import tile
from drac.stages.convert.audit.words import texts, tokens


@pytest.mark.parametrize(
    "markdown, words",
    [
        ("## **Adult** _fare_: `£12.40`", "adult fare 12 40"),
        ("33W, H₂O, ½, ISO-9001", "33 w h 2 o 1 2 iso 9001"),
        ("![a picture](x.png) [a link](http://h.test/1) <b>c</b>", "a picture a link c"),
        ("3 < 4 and 5 > 2", "3 4 and 5 2"),
        ("&lt;b&gt; R&amp;D", "b r d"),
        ("港口 12 時", "港 口 12 時"),
        ("", ""),
    ],
)
def test_words_of_markdown(markdown: str, words: str) -> None:
    assert " ".join(texts(markdown)) == words


def test_numbers_of_lists_and_small_digits_may_be_left_out() -> None:
    found = tokens("1. Buy\n   - 2) board\nm² at 3. See")
    assert [word.text for word in found if word.optional] == ["1", "2", "2"]


@given(st.text())
def test_every_word_has_its_place(text: str) -> None:
    found = tokens(text)
    assert all(0 <= one.start < one.end <= len(text) and one.text for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "7"]), max_size=30)


@given(WORDS, WORDS, st.integers(1, 4))
def test_tiles_are_the_same_words_and_use_each_word_once(out: list[str], seen: list[str], least: int) -> None:
    free, open_ = [True] * len(out), [True] * len(seen)
    found = tile(out, seen, free, open_, least)
    for one in found:
        assert out[one.out : one.out + one.length] == seen[one.seen : one.seen + one.length]
        assert one.length >= least
    covered = [place for one in found for place in range(one.out, one.out + one.length)]
    assert len(covered) == len(set(covered)) == free.count(False) == open_.count(False)


@given(st.lists(st.integers(), unique=True, min_size=4), st.data())
def test_a_moved_run_is_one_tile(numbers: list[int], data: st.DataObject) -> None:
    words = [str(number) for number in numbers]
    at = data.draw(st.integers(2, len(words) - 2))
    moved = words[at:] + words[:at]
    found = tile(words, moved, [True] * len(words), [True] * len(words), 2)
    assert sum(one.length for one in found) == len(words)
    assert len(found) == 2


def _distance(one: str, other: str) -> int:
    """By the definition, without any shortcut."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        _distance(one[1:], other[1:]) + (one[0] != other[0]),
        _distance(one[1:], other) + 1,
        _distance(one, other[1:]) + 1,
    )


SHORT = st.text("ab", max_size=5)


@given(SHORT, SHORT, st.integers(0, 4))
def test_distance_is_levenshteins(one: str, other: str, most: int) -> None:
    assert distance(one, other, most) == min(_distance(one, other), most + 1)


@pytest.mark.parametrize(
    "out, seen, fuzzy, same",
    [
        ("inter island", "interisland", False, True),
        ("100", "1 O 0", True, True),
        ("100", "1 o 0", False, False),
        ("100", "108", True, False),
        ("journey", "joumey", True, True),
        ("journey", "journal", True, False),
    ],
)
def test_parted_joined_and_misread_words(out: str, seen: str, fuzzy: bool, same: bool) -> None:
    assert same_joined(out.split(), seen.casefold().split(), fuzzy=fuzzy) is same


def test_a_speller_parts_joins_and_mends_words_but_no_digits() -> None:
    out = texts("Well known ferries of the harbour carry 12345 people cityward")
    seen = tokens("Wellknown ferrles ofthe har bour carry 12346 people city ward")
    spell = Speller(out, [word.text for word in seen], fuzzy=True)
    assert [word.text for word in spell(seen)] == [word if word != "12345" else "12346" for word in out]
