"""What policy leaves out of documents, counted."""

from __future__ import annotations

import io
from pathlib import Path

from fakes_normalize import docx_of, pptx_of

from drac.adapters.source_withheld import withheld
from drac.config import NormalizeSettings

PLAIN, ALL = NormalizeSettings(), NormalizeSettings(hidden=True, notes=True)
BOTH, HIDDEN = (
    "; --hidden / --notes bring in what is hidden and the notes",
    "; --hidden brings in what is hidden",
)


def line(folder: Path, name: str, data: bytes, settings: NormalizeSettings = PLAIN, *passwords: str) -> str:
    (folder / name).write_bytes(data)
    said = withheld(folder / name, Path(name).suffix, settings, passwords, folder / "plain")
    assert [one.name for one in folder.iterdir()] == [name]
    return said


def word_with(body: str) -> bytes:
    import zipfile

    source, out = io.BytesIO(docx_of("REPLACED")), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                data = data.replace(b"<w:t>REPLACED</w:t>", body.encode())
            new.writestr(name, data)
    return out.getvalue()


def test_hidden_and_deleted_text_and_comments_of_word(tmp_path: Path) -> None:
    from docx import Document

    body = (
        "<w:t>kept</w:t></w:r><w:del w:id='1' w:author='a'><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>concealed</w:t></w:r><w:r><w:t>end</w:t>"
    )
    document, out = Document(io.BytesIO(word_with(body))), io.BytesIO()
    for _ in range(3):
        document.add_comment(document.paragraphs[0].runs[0], "a remark", "me", "m")
    document.save(out)
    said = line(tmp_path, "a.docx", out.getvalue())
    assert said == f"left out: hidden text, 3 comments, deleted text{HIDDEN}"
    assert "concealed" not in said
    assert line(tmp_path, "a.docx", out.getvalue(), ALL) == "left out: 3 comments, deleted text"


def test_nothing_is_said_of_a_document_that_is_shown_whole(tmp_path: Path) -> None:
    shown = word_with("<w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen</w:t>")
    assert line(tmp_path, "a.docx", shown) == ""


def test_hidden_slides_and_notes(tmp_path: Path) -> None:
    from pptx import Presentation

    deck, out = Presentation(io.BytesIO(pptx_of("first", "second", "third", "fourth"))), io.BytesIO()
    deck.slides[1]._element.set("show", "0")
    deck.slides[1].notes_slide.notes_text_frame.text = "of the hidden one"
    deck.slides[2].notes_slide.notes_text_frame.text = "said"
    assert deck.slides[3].notes_slide.notes_text_frame.text == ""
    deck.save(out)
    said = f"left out: 1 hidden slide, speaker notes of 1 slide{BOTH}"
    assert line(tmp_path, "a.pptx", out.getvalue()) == said
    assert line(tmp_path, "a.pptx", out.getvalue(), ALL) == ""


def test_hidden_sheets_rows_and_columns_that_hold_something(tmp_path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.comments import Comment

    book, out = Workbook(), io.BytesIO()
    for row in (("name", "secret", 12), ("gone", "x", 1), ("total", "y", 1234.5)):
        book.active.append(row)
    book.active.column_dimensions["B"].hidden = book.active.column_dimensions["M"].hidden = True
    book.active.row_dimensions[2].hidden = book.active.row_dimensions[9].hidden = True
    book.active["A1"].comment = Comment("why", "me")
    for name, state in (("one", "hidden"), ("two", "veryHidden")):
        book.create_sheet(name).sheet_state = state
        book[name].append(["there"])
        book[name].row_dimensions[1].hidden = True
    book.save(out)
    said = f"left out: 2 hidden sheets, 1 hidden row, 1 hidden column, 1 comment{HIDDEN}"
    assert line(tmp_path, "a.xlsx", out.getvalue()) == said
    assert line(tmp_path, "a.xlsx", out.getvalue(), ALL) == "left out: 1 comment"


def test_open_documents(tmp_path: Path) -> None:
    names = ["text", "table", "office", "drawing", "style", "presentation"]
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    content = (
        f"<office:document {spaces}><office:automatic-styles><style:style style:name='off'>"
        "<style:table-properties table:display='false'/></style:style></office:automatic-styles>"
        "<office:body><office:spreadsheet><table:table table:name='a'>"
        "<table:table-row table:visibility='collapse'><table:table-cell><text:p>1</text:p></table:table-cell>"
        "</table:table-row><table:table-row table:visibility='filter'/>"
        "<table:table-row><table:table-cell><office:annotation><text:p>x</text:p></office:annotation>"
        "</table:table-cell></table:table-row></table:table><table:table table:style-name='off'>"
        "<table:table-row table:visibility='collapse'><table:table-cell><text:p>2</text:p></table:table-cell>"
        "</table:table-row></table:table></office:spreadsheet></office:body></office:document>"
    )
    said = f"left out: 1 hidden sheet, 1 hidden row, 1 comment{HIDDEN}"
    assert line(tmp_path, "a.fods", content.encode()) == said


def test_an_encrypted_document_is_counted_and_a_damaged_one_said_to_be_unknown(tmp_path: Path) -> None:
    from msoffcrypto.format.ooxml import OOXMLFile

    hidden = word_with("<w:rPr><w:vanish/></w:rPr><w:t>concealed</w:t>")
    out = io.BytesIO()
    OOXMLFile(io.BytesIO(hidden)).encrypt("secret", out)
    locked = out.getvalue()
    assert line(tmp_path, "a.docx", locked, PLAIN, "wrong", "secret").startswith("left out: hidden text")
    assert "not known" in line(tmp_path, "a.docx", hidden[:500])
