"""What fonts a document asks for, read from the document itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fakes_normalize import pptx_of, xlsx_of, zip_of

from drac.stages.normalize import asked_fonts, same_widths


def kept(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def styled_docx() -> bytes:
    from docx import Document

    document, out = Document(), io.BytesIO()
    document.add_paragraph("x").runs[0].font.name = "Gill Sans MT"
    document.save(out)
    return out.getvalue()


def test_fonts_of_packages(tmp_path: Path) -> None:
    assert {"Gill Sans MT", "Cambria"} <= set(asked_fonts(kept(tmp_path, "a", styled_docx()), ".docx"))
    assert "Calibri" in asked_fonts(kept(tmp_path, "b", pptx_of("x")), ".pptx")
    assert asked_fonts(kept(tmp_path, "c", xlsx_of(("x",))), ".xlsx") == ("Calibri", "Cambria")
    odt = zip_of({"content.xml": b'<a svg:font-family="&apos;Noto Sans&apos;"/>'})
    assert asked_fonts(kept(tmp_path, "d", odt), ".odt") == ("Noto Sans",)


def test_a_language_is_no_font(tmp_path: Path) -> None:
    styles = (
        b'<w:rPr><w:rFonts w:ascii="Aptos" w:cs="Arial"/><w:lang w:val="en-US" w:eastAsia="ja-JP"/></w:rPr>'
    )
    docx = zip_of({"word/styles.xml": styles})
    assert asked_fonts(kept(tmp_path, "a", docx), ".docx") == ("Aptos", "Arial")


def test_fonts_of_other_types(tmp_path: Path) -> None:
    rtf = rb"{\rtf1{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman{\*\panose 02}Times New Roman;}}x}"
    assert asked_fonts(kept(tmp_path, "a", rtf), ".rtf") == ("Arial", "Times New Roman")
    page = b"<style>p { font-family: 'Open Sans', Arial, sans-serif } b { font-family: serif }</style>"
    assert asked_fonts(kept(tmp_path, "b", page), ".html") == ("Open Sans",)
    assert asked_fonts(kept(tmp_path, "c", b"a;b"), ".csv") == ()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 cut", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
@pytest.mark.parametrize("suffix", [".docx", ".doc", ".xls", ".ppt", ".rtf", ".html"])
def test_damaged_files_name_no_fonts_and_raise_nothing(tmp_path: Path, data: bytes, suffix: str) -> None:
    assert asked_fonts(kept(tmp_path, "a", data), suffix) == ()


@pytest.mark.parametrize("suffix", [".doc", ".ppt", ".xls"])
@pytest.mark.parametrize("stream", [b"", bytes(4096), b"\xff" * 4096, b"\x31\x00\x12\x00" + bytes(14)])
def test_streams_that_end_too_early_name_no_fonts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, stream: bytes
) -> None:
    monkeypatch.setattr("drac.stages.normalize.ole.read_stream", lambda *_: stream)
    assert asked_fonts(tmp_path / "a", suffix) == ()


def test_fonts_of_old_office_files(corpora: Path) -> None:
    folder = corpora / "documents"
    assert {"Arial", "Calibri"} <= set(asked_fonts(folder / "xls" / "legacy_sample.xls", ".xls"))
    assert "Times New Roman" in asked_fonts(folder / "doc" / "simple-table.doc", ".doc")
    assert "Arial" in asked_fonts(folder / "ppt" / "SampleShow.ppt", ".ppt")


def test_stand_ins_of_the_same_widths() -> None:
    assert same_widths("Calibri", "Carlito") and same_widths("Times New Roman", "Liberation Serif")
    assert not same_widths("Aptos", "DejaVu Sans")
