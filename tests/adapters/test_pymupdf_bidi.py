"""Arabic and Hebrew as MuPDF hands it over, put in the order in which it is read."""

from __future__ import annotations

from typing import Any

from drac.adapters.pymupdf_bidi import gaps, logical
from drac.adapters.pymupdf_lines import lines_of


def glyph(text: str, left: float, right: float) -> dict[str, Any]:
    return {"c": text, "bbox": (left, 10.0, right, 20.0)}


def read(glyphs: list[dict[str, Any]]) -> str:
    return "".join(one["c"] for one in logical(glyphs))


def test_the_letters_of_a_ligature_are_swapped_back() -> None:
    alef, lam = glyph("\u0623", 69.4, 69.4), glyph("\u0644", 58.0, 69.4)
    assert (
        read([glyph("\u0627", 69.3, 74.8), alef, lam, glyph("\u0645", 47.3, 58.0)])
        == "\u0627\u0644\u0623\u0645"
    )


def test_a_letter_and_its_mark_of_which_each_glyph_stands_for_both_are_read_once() -> None:
    letter = [glyph("\u064f", 69.8, 69.8), glyph("\u0623", 66.2, 69.8)]
    mark = [glyph("\u064f", 64.8, 64.8), glyph("\u0623", 64.8, 64.8)]
    assert read([*letter, *mark]) == "\u0623\u064f"
    assert read([*letter, glyph("\u0646", 60.0, 66.2)]) == "\u0623\u0646"


def test_a_ligature_of_a_letter_its_mark_and_other_letters_keeps_them_all() -> None:
    word = "\u062d\u064e\u0628\u064a\u0628\u064a"
    assert read([glyph(word[0], 60.0, 66.0), *(glyph(c, 66.0, 66.0) for c in word[1:])]) == word


def test_the_space_at_the_end_of_a_line_parts_no_word() -> None:
    mim, nun, space = glyph("\u0645", 60.0, 66.0), glyph("\u0646", 54.0, 59.9), glyph(" ", 50.0, 54.0)
    assert read([mim, space, nun]) == "\u0645\u0646"
    between, last = glyph(" ", 56.0, 60.0), glyph("\u0646", 50.0, 56.0)
    assert read([mim, between, last]) == "\u0645 \u0646"


def test_a_mark_with_a_place_of_its_own_is_kept() -> None:
    assert read([glyph("\u0628", 60, 70), glyph("\u064f", 65, 65)]) == "\u0628\u064f"


def test_latin_ligatures_and_letters_with_a_width_stay() -> None:
    assert read([glyph("f", 10, 14), glyph("i", 14, 14), glyph("n", 14, 19)]) == "fin"
    assert read([glyph("\u0644", 60, 70), glyph("\u0627", 50, 60)]) == "\u0644\u0627"


def test_a_gap_where_the_direction_changes_is_a_space() -> None:
    span = {"size": 10.0, "flags": 0, "char_flags": 0, "origin": (20.0, 18.0)}
    glyphs = [glyph("\u0642", 60, 70), glyph("\u0645", 50, 60), glyph("2", 35, 41), glyph("0", 41, 47)]
    (line,) = lines_of((1.0, 0.0), [{**span, "chars": glyphs}], 0, 0)
    assert line.text == "\u0642\u0645 20"


def test_no_gap_no_space() -> None:
    assert gaps([("\u0645", (50, 0, 60, 9)), ("-", (47, 0, 50, 9)), ("2", (41, 0, 46.5, 9))], 1.2) == set()


SPAN = {"size": 10.0, "flags": 0, "char_flags": 0, "origin": (20.0, 18.0)}


def lines(*glyphs: dict[str, Any]) -> list[str]:
    return [one.text for one in lines_of((1.0, 0.0), [{**SPAN, "chars": list(glyphs)}], 0, 0)]


def test_digits_of_arabics_own_are_read_from_left_to_right() -> None:
    word = [glyph("\u0642", 60, 70), glyph("\u0645", 50, 60), glyph(" ", 47, 50)]
    number = [glyph("\u0661", 41, 47), glyph("\u0664", 35, 41)]
    assert lines(*word, *number) == ["\u0642\u0645 \u0664\u0661"]


def test_words_held_from_left_to_right_are_read_from_the_right_and_brackets_mirrored() -> None:
    first = [glyph("\u05d0", 60, 65), glyph("\u05d1", 55, 60)]
    second = [glyph("\u05d2", 45, 50), glyph("\u05d3", 40, 45)]
    held = [glyph("(", 35, 40), *second, glyph(" ", 50, 55), *first, glyph(")", 65, 70)]
    assert lines(*held) == ["(\u05d0\u05d1 \u05d2\u05d3)"]


def test_a_date_held_from_left_to_right_has_its_day_first() -> None:
    year = [glyph("\u0661", 24, 28), glyph("\u0664", 20, 24)]
    month = [glyph("\u0642", 38, 42), glyph("\u0645", 34, 38)]
    day = [glyph("\u0663", 52, 56), glyph("\u0662", 48, 52)]
    held = [*year, glyph(" ", 28, 34), *month, glyph(" ", 42, 48), *day]
    assert lines(*held) == ["\u0662\u0663 \u0642\u0645 \u0664\u0661"]


def test_words_and_brackets_in_the_order_of_reading_stay() -> None:
    first = [glyph("\u05d0", 60, 65), glyph("\u05d1", 55, 60), glyph(" ", 50, 55)]
    second = [glyph("(", 45, 50), glyph("\u05d2", 40, 45), glyph(")", 35, 40)]
    assert lines(*first, *second) == ["\u05d0\u05d1 (\u05d2)"]


def test_text_of_another_direction_far_away_is_another_line() -> None:
    left = [glyph("d", 20, 25), glyph("a", 25, 30), glyph("y", 30, 35)]
    right = [glyph("\u0642", 110, 120), glyph("\u0645", 100, 110)]
    assert lines(*left, *right) == ["day", "\u0642\u0645"]


def test_the_stop_at_the_left_end_of_a_line_comes_last() -> None:
    letters = [glyph("\u0645", 60, 70), glyph("\u0646", 50, 60)]
    mark = glyph("\u064b", 51, 51)
    assert lines(glyph(".", 46, 50), *letters) == ["\u0645\u0646."]
    assert lines(glyph(".", 46, 50), mark, *letters) == ["\u0645\u0646\u064b."]
    assert lines(glyph(" ", 46.1, 49), glyph(".", 46, 50), *letters) == ["\u0645\u0646."]
    assert lines(glyph("\u064b", 51, 51)) == ["\u064b"]
    assert lines(glyph("\u2022", 72, 76), *letters) == ["\u2022", "\u0645\u0646"]


def test_a_line_that_runs_to_the_left_ends_where_it_goes_on_far_to_the_right() -> None:
    assert lines(glyph("\u0645", 60, 70), glyph("\u0646", 50, 60), glyph(")", 200, 204)) == [
        "\u0645\u0646", ")",
    ]  # fmt: skip
