"""A document's visible text by a library of its format."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fakes_normalize import docx_of, encrypted_docx, pptx_of, zip_of

from drac.adapters import source_xlsx
from drac.adapters.source_text import Reading
from drac.config import NormalizeSettings

PLAIN, ALL = NormalizeSettings(), NormalizeSettings(hidden=True, notes=True)


def read(folder: Path, name: str, data: bytes, settings: NormalizeSettings = PLAIN) -> list[tuple[str, str]]:
    (folder / name).write_bytes(data)
    reading = Reading(folder / name, Path(name).suffix, settings)
    found = [(one.text, one.where) for one in reading.passages()]
    assert reading.note == ""
    return found


def docx_with(body: str) -> bytes:
    import zipfile

    source, out = io.BytesIO(docx_of("REPLACED")), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                data = data.replace(b"<w:t>REPLACED</w:t>", body.encode())
            new.writestr(name, data)
    return out.getvalue()


def test_word_leaves_out_what_no_reader_sees(tmp_path: Path) -> None:
    body = (
        "<w:t>kept</w:t></w:r><w:del w:id='1' w:author='a'><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:ins w:id='2' w:author='a'><w:r><w:t> inserted</w:t></w:r></w:ins>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t> concealed</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>33</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t> end</w:t>"
    )
    assert read(tmp_path, "a.docx", docx_with(body)) == [("kept inserted end", "paragraph 1")]
    assert read(tmp_path, "a.docx", docx_with(body), ALL)[0][0] == "kept inserted concealed end"


def test_word_has_tables_notes_and_headers(tmp_path: Path) -> None:
    from docx import Document

    document, out = Document(), io.BytesIO()
    document.add_table(1, 2).cell(0, 1).text = "in a cell"
    document.sections[0].header.paragraphs[0].text = "on top"
    document.save(out)
    assert read(tmp_path, "a.docx", out.getvalue()) == [("in a cell", "paragraph 2"), ("on top", "header 1")]


def test_slides_in_order_with_notes_where_asked_for(tmp_path: Path) -> None:
    from pptx import Presentation

    deck = Presentation(io.BytesIO(pptx_of("first", "second", "third")))
    deck.slides[1]._element.set("show", "0")
    deck.slides[2].notes_slide.notes_text_frame.text = "said"
    out = io.BytesIO()
    deck.save(out)
    assert read(tmp_path, "a.pptx", out.getvalue()) == [("first", "slide 1"), ("third", "slide 3")]
    asked = [("first", "slide 1"), ("second", "slide 2"), ("third", "slide 3"), ("said", "notes of slide 3")]
    assert read(tmp_path, "a.pptx", out.getvalue(), ALL) == asked


def test_sheets_without_what_is_hidden(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in (("name", "secret", 12), ("gone", "x", 1), ("total", "y", 1234.5)):
        book.active.append(row)
    book.active.column_dimensions["B"].hidden = True
    book.active.row_dimensions[2].hidden = True
    book.active["C3"].number_format = "#,##0.00"
    book.create_sheet("H")["A1"] = "hidden sheet"
    book["H"].sheet_state = "hidden"
    book.save(out)
    shown = [("name 12", "sheet Sheet, row 1"), ("total 1,234.50", "sheet Sheet, row 3")]
    assert read(tmp_path, "a.xlsx", out.getvalue()) == shown
    assert "hidden sheet" in {text for text, _ in read(tmp_path, "a.xlsx", out.getvalue(), ALL)}


FLAT = (
    b'<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    b'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    b'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" office:version="1.2" '
    b'office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>'
    b'<style:style style:name="h"><style:text-properties text:display="none"/></style:style>'
    b"</office:automatic-styles><office:body><office:text><text:tracked-changes><text:p>deleted</text:p>"
    b"</text:tracked-changes><text:p>kept<text:s/>text"
    b"<text:span text:style-name='h'> concealed</text:span></text:p>"
    b"</office:text></office:body></office:document>"
)  # fmt: skip


def test_open_documents(tmp_path: Path) -> None:
    assert read(tmp_path, "a.fodt", FLAT) == [("kept text", "paragraph 1")]
    assert read(tmp_path, "a.fodt", FLAT, ALL) == [("kept text concealed", "paragraph 1")]


@pytest.mark.parametrize(
    ("name", "data", "texts"),
    [
        ("a.rtf", rb"{\rtf1\ansi one\par two\par}", ["one", "two"]),
        ("a.csv", b"a;b\n1;2\n", ["a b", "1 2"]),
        ("a.txt", b"one\ntwo", ["one", "two"]),
        ("a.md", b"# Head\n\n- *it*em\n", ["Head", "item"]),
        ("a.html", b"<p>a<b>b</b></p><script>no</script><p hidden>no</p><div style='display: none'>no</div>c",
         ["ab", "c"]),
    ],
)  # fmt: skip
def test_other_types(tmp_path: Path, name: str, data: bytes, texts: list[str]) -> None:
    assert [text for text, _ in read(tmp_path, name, data)] == texts


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", b"PK\x03\x04 cut"),
        ("b.docx", zip_of({"word/document.xml": b"<w:document"})),
        ("c.docx", encrypted_docx("x", "text")),
        ("d.pptx", b""),
        ("e.xlsx", b"junk"),
        ("f.odt", b"PK\x05\x06"),
        ("g.rtf", rb"{\rtf1 {\deleted gone} here}"),
        ("h.doc", b"\xd0\xcf\x11\xe0"),
    ],
)
def test_what_cannot_be_read_is_noted_and_no_failure(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    reading = Reading(tmp_path / name, Path(name).suffix, PLAIN)
    assert list(reading.passages()) == []
    assert Path(name).suffix[1:] in reading.note


def test_a_long_document_is_read_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drac.adapters.source_text._MOST", 10)
    (tmp_path / "a.txt").write_text("123456\n" * 5)
    reading = Reading(tmp_path / "a.txt", ".txt", PLAIN)
    assert len(list(reading.passages())) == 1
    assert reading.note == "compared up to line 2"


def test_a_web_page_without_what_its_style_hides(tmp_path: Path) -> None:
    (tmp_path / "beside.css").write_text(".far { visibility: hidden }")
    page = (
        "<link rel=stylesheet href=beside.css><style>.x { display: none } @media print { p { display: none }"
        "}</style><p>Shown<p class=x>unseen<div class=far>unseen</div><p hidden>unseen"
    )
    assert read(tmp_path, "a.html", page.encode()) == [("Shown", "block 1")]


@pytest.mark.parametrize("large", [8_000_000, 0])
def test_far_apart_cells_are_read_without_those_between(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import openpyxl

    book, out = openpyxl.Workbook(), io.BytesIO()
    for place in ("A1", "XFD1", "B70000"):
        book.active[place] = place  # type: ignore[index]
    book.save(out)
    monkeypatch.setattr(source_xlsx, "_LARGE", large)
    found = [one for one in read(tmp_path, "a.xlsx", out.getvalue()) if one[0]]
    assert found == [("A1 XFD1", "sheet Sheet, row 1"), ("B70000", "sheet Sheet, row 70000")]
