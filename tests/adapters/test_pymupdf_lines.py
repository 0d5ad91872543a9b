"""Glyphs of the text layer to words and lines."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from drac.adapters.pymupdf_lines import lines_of as glyph_lines
from drac.adapters.pymupdf_lines import part_at_insets
from drac.adapters.pymupdf_text import page_content
from drac.stages.convert.page import Line
from drac.stages.convert.text import line_text, visual_lines

Drawn = Callable[[pymupdf.Page], object]


def lines_of(draw: Drawn) -> tuple[Line, ...]:
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page)
        return page_content(page).lines


def test_text_printed_over_its_neighbour_is_a_line_of_its_own() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "4000mAh", fontsize=10)
        width = pymupdf.get_text_length("4000mAh", fontsize=10)
        page.insert_text((72 + width - 3, 100), "Display", fontsize=10)

    assert [line.text for line in lines_of(draw)] == ["4000mAh", "Display"]


@pytest.mark.parametrize("text", ["AVATAR To Ty", "office flow fit", "Wörter für ÄÖÜ", "V.A. r, f) 11/17"])
def test_kerned_and_accented_words_stay_whole(text: str) -> None:
    (line,) = lines_of(lambda page: page.insert_htmlbox((72, 72, 400, 200), f"<p>{text}</p>"))
    assert line.text == text


def test_every_character_has_a_start_and_words_follow_each_other() -> None:
    (line,) = lines_of(lambda page: page.insert_text((72, 100), "one two"))
    assert [len(word.starts) for word in line.words] == [3, 3]
    starts = [start for word in line.words for start in word.starts]
    assert all(a < b for a, b in pairwise(starts))


def test_leading_bold_words_are_counted() -> None:
    def bold(html: str) -> int:
        (line,) = lines_of(lambda page: page.insert_htmlbox((72, 72, 400, 200), f"<p>{html}</p>"))
        return line.bold_words

    assert bold("<b>Years of Service:</b> 25") == 3
    assert bold("<b>All of it</b>") == 3
    assert bold("None of it") == 0
    assert bold("<b>Half</b>way") == 0


def test_a_page_of_the_corpus_keeps_its_overprinted_cells_apart(corpora: Path) -> None:
    path = corpora / "rag-multi-corpus/datasets/Velvera Technologies/pdf/velvera_core.pdf"
    with pymupdf.open(path) as document:
        texts = [line.text for line in page_content(document[0]).lines]
    assert "5000mAh" in texts
    assert "6.5”" in texts


def test_text_from_right_to_left_stays_whole_and_in_logical_order(corpora: Path) -> None:
    with pymupdf.open(corpora / "documents/pdf/issue11656.pdf") as document:
        texts = [line.text for line in page_content(document[0]).lines]
    assert "אני יורד מן החוטים, אני כבר ילד אמיתי." in texts


def test_glyphs_that_run_to_the_left_are_no_overprint() -> None:
    span = {"size": 10.0, "flags": 0, "char_flags": 0, "origin": (80.0, 100.0)}
    glyphs = [
        {"c": c, "bbox": (80.0 - 6 * place, 92.0, 86.0 - 6 * place, 102.0)} for place, c in enumerate("שלום")
    ]
    (line,) = glyph_lines((1.0, 0.0), [{**span, "chars": glyphs}], 0, 0)
    assert line.text == "שלום"


def test_letters_that_all_overlap_are_set_tight_and_no_overprint() -> None:
    span = {"size": 10.0, "flags": 0, "char_flags": 0, "origin": (50.0, 100.0)}
    glyphs = [
        {"c": c, "bbox": (50.0 + 5 * place, 92.0, 58.0 + 5 * place, 102.0)} for place, c in enumerate("Guide")
    ]
    (line,) = glyph_lines((1.0, 0.0), [{**span, "chars": glyphs}], 0, 0)
    assert line.text == "Guide"


def test_a_letter_drawn_into_the_room_left_for_it_stands_in_its_word() -> None:
    span = {"size": 10.0, "flags": 0, "char_flags": 0, "origin": (50.0, 100.0)}

    def drawn(text: str, left: float) -> Line:
        glyphs = [
            {"c": c, "bbox": (left + 5 * place, 92.0, left + 5 * place + 5, 102.0)}
            for place, c in enumerate(text)
        ]
        (line,) = glyph_lines((1.0, 0.0), [{**span, "chars": glyphs}], 0, 0)
        return line

    parts = part_at_insets([drawn("at ( ik) it", 50), drawn("t", 70)])
    assert [one.text for one in parts] == ["at (", "ik) it", "t"]
    assert [one.order for one in parts] == [0, 1, 2]
    assert line_text(visual_lines(parts)[0]) == "at (tik) it"
    apart = [drawn("left right", 50), drawn("over", 60)]
    assert [one.text for one in part_at_insets(apart)] == ["left right", "over"]
