"""Glyphs without a character: read from their picture, or known to print nothing."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from drac.adapters.pymupdf_glyphs import Mender
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.pymupdf_text import page_content
from drac.config import ConvertSettings
from drac.records import Page


def lose(document: pymupdf.Document, page: pymupdf.Page, characters: str) -> None:
    """Map these characters of the page's font to U+FFFD, all others to themselves."""
    pairs = "\n".join(
        f"<{code:02x}> <{'fffd' if chr(code) in characters else f'{code:04x}'}>" for code in range(32, 127)
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"95 beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, cmap.encode())
    document.xref_set_key(page.get_fonts()[0][0], "ToUnicode", f"{stream} 0 R")


def texts(path: Path, mender: Mender | None = None) -> list[str]:
    with pymupdf.open(path) as document:
        return [line.text for page in document for line in page_content(page, mender).lines]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        for place, text in enumerate(("Invoice 4Q7", "Quarter of 2024", "plain words, many of them")):
            page.insert_text((72, 100 + 30 * place), text, fontsize=14)
        lose(document, page, "Q")
        document.save(path)
    return path


def test_f16_a_glyph_without_a_character_is_read_from_its_picture(made: Path) -> None:
    assert texts(made)[:2] == ["Invoice 4Q7", "Quarter of 2024"]


def test_f16_a_closed_mender_keeps_what_it_knows_and_learns_nothing(made: Path) -> None:
    mender = Mender()
    texts(made, mender)
    assert set(mender.known.values()) == {"Q"}
    told = Mender(dict.fromkeys(mender.known, "X"), closed=True)
    assert texts(made, told)[0] == "Invoice 4X7"
    empty = Mender(closed=True)
    assert texts(made, empty)[0] == "Invoice 4Q7"
    assert not empty.known


def test_f16_a_lost_glyph_that_prints_nothing_is_a_space(tmp_path: Path) -> None:
    path = tmp_path / "made.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "Spaces are lost here", fontsize=14)
        lose(document, page, " ")
        document.save(path)
    assert texts(path) == ["Spaces are lost here"]


def test_f16_a_glyph_that_the_font_lacks_is_left_out_and_reported(corpora: Path) -> None:
    path = corpora / "rag-multi-corpus/datasets/Velvera Technologies/pdf/velvera_core.pdf"
    (text,) = LocalReader(ConvertSettings()).read(path, [Page("velvera_core", 1)])
    assert "Price (INR): 21,999" in text.markdown
    assert any("not printed: 5" in note for note in text.notes)


def test_f16_a_gap_after_a_glyph_that_the_font_lacks_is_a_space(corpora: Path) -> None:
    path = corpora / "rag-multi-corpus/datasets/Velvera Technologies/pdf/velvera_watch.pdf"
    assert "– SpO Monitoring" in texts(path)


def test_a_lost_glyph_at_the_start_of_lines_is_a_bullet(tmp_path: Path) -> None:
    path = tmp_path / "made.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        for place, text in enumerate(("Q first item", "Q second item", "Q third item")):
            page.insert_text((72, 100 + 20 * place), text, fontsize=12)
        lose(document, page, "Q")
        document.save(path)
    (text,) = LocalReader(ConvertSettings()).read(path, [Page(str(tmp_path), 1)])
    assert text.markdown == "- first item\n- second item\n- third item"
