"""What a reader would see: stored fields, hidden text and slides, notes, boxes and rows of fixed height."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from fakes_normalize import docx_of, page_texts, zip_of

from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits, numbers_file
from drac.adapters.libreoffice_programs import find_soffice
from drac.adapters.office_copy import prepare

FIELDS = {
    "FILENAME \\p": "Contract-2019.docx",
    'DATE \\@ "d MMMM yyyy"': "3 May 2011",
    "TIME": "11:11",
    "NUMPAGES": "77",
    "AUTHOR": "Old Author",
    "DOCPROPERTY Company": "Oldco",
    "REF gone \\h": "Storedref",
    "SUBJECT": "Oldsubject",
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    with LibreOfficeConverter(tmp_path_factory.mktemp("office")) as converter:
        yield converter


@pytest.fixture(scope="module")
def showing_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    limits = OfficeLimits(hidden=True, notes=True)
    with LibreOfficeConverter(tmp_path_factory.mktemp("office"), limits) as converter:
        yield converter


def _convert(office: LibreOfficeConverter, folder: Path, name: str, data: bytes) -> list[str]:
    source, target = folder / name, folder / "out.pdf"
    source.write_bytes(data)
    office.convert(source, target, suffix=source.suffix)
    return page_texts(target)


def _field_runs(instruction: str, value: str) -> str:
    kinds = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    begin, separate, end = kinds
    code = f'<w:r><w:instrText xml:space="preserve"> {instruction} </w:instrText></w:r>'
    return f"{begin}{code}{separate}<w:r><w:t>{value}</w:t></w:r>{end}"


def _docx_with_fields() -> bytes:
    from docx import Document
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document, out = Document(), io.BytesIO()
    for instruction, value in FIELDS.items():
        paragraph = document.add_paragraph("complex ")._p
        for run in parse_xml(f"<w:p {nsdecls('w')}>{_field_runs(instruction, value)}</w:p>"):
            paragraph.append(run)
        simple = f"<w:r><w:t>{value}</w:t></w:r>"
        quoted = instruction.replace('"', "&quot;")
        xml = f'<w:fldSimple {nsdecls("w")} w:instr="{quoted}">{simple}</w:fldSimple>'
        document.add_paragraph("simple ")._p.append(parse_xml(xml))
    footer = document.sections[0].footer.paragraphs[0]._p
    for run in parse_xml(f"<w:p {nsdecls('w')}>{_field_runs('PAGE', '33')}</w:p>"):
        footer.append(run)
    document.save(out)
    return out.getvalue()


def test_fields_of_word_keep_their_stored_values(office: LibreOfficeConverter, tmp_path: Path) -> None:
    (page,) = _convert(office, tmp_path, "a.docx", _docx_with_fields())
    shown = page.split("\n")
    for value in FIELDS.values():
        assert shown.count(f"complex {value}") == shown.count(f"simple {value}") == 1
    assert shown[-1] == "1", "page numbers are those of the pages"
    with pymupdf.open(tmp_path / "out.pdf") as document:
        assert "document.docx" not in page + "".join(filter(None, document.metadata.values()))


def test_a_field_in_the_code_of_another_leaves_nothing(tmp_path: Path) -> None:
    inner = f"IF </w:instrText></w:r>{_field_runs('PAGE', 'INNER')}<w:r><w:instrText>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}"><w:p>{_field_runs(inner, "OUTER")}</w:p></w:document>'
    (tmp_path / "a.docx").write_bytes(zip_of({"word/document.xml": body.encode(), "other.bin": b"kept"}))
    prepare(tmp_path / "a.docx", ".docx", hidden=False)
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.docx") as package:
        text = package.read("word/document.xml").decode()
        assert package.read("other.bin") == b"kept"
    assert "OUTER" in text and "INNER" not in text and "fldChar" not in text


def test_damaged_packages_and_parts_stay_as_they_are(tmp_path: Path) -> None:
    broken = zip_of({"word/document.xml": b"<w:document><w:fldChar"})
    for name, data in (
        ("a.docx", broken),
        ("b.docx", broken[:40]),
        ("c.pptx", b"PK\x03\x04"),
        ("d.fodt", b"<x"),
    ):
        (tmp_path / name).write_bytes(data)
        prepare(tmp_path / name, Path(name).suffix, hidden=False)
        assert (tmp_path / name).read_bytes() == data


def test_fields_of_rich_text_keep_their_stored_values(office: LibreOfficeConverter, tmp_path: Path) -> None:
    field = r"{\field{\*\fldinst {\lang1033  %s }}{\fldrslt {%s}}}\par "
    body = "".join(field % (one.replace("\\", "\\\\"), value) for one, value in FIELDS.items())
    (page,) = _convert(office, tmp_path, "a.rtf", (r"{\rtf1\ansi " + body + "}").encode())
    assert page.split("\n") == list(FIELDS.values())


def test_fields_of_old_word_files_keep_their_stored_values(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    """LibreOffice writes such a file, with its own idea of the fields' values."""
    (tmp_path / "Contract-2019.docx").write_bytes(_docx_with_fields())
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [find_soffice(), "--headless", profile, "--convert-to", "doc", "--outdir", tmp_path]
    subprocess.run([*command, tmp_path / "Contract-2019.docx"], check=True, capture_output=True, timeout=120)
    data = (tmp_path / "Contract-2019.doc").read_bytes()
    (page,) = _convert(office, tmp_path, "renamed.doc", data)
    unwrapped = page.replace("\n", "")  # the path that LibreOffice stored may be long
    assert unwrapped.count("Contract-2019.docx") == 2 and page.count("Oldco") == 2
    assert "document.doc" not in unwrapped and page.split("\n")[-1] == "1"


@pytest.mark.parametrize("cut", [0, 8, 512, 1024, 3000])
def test_an_old_word_file_that_is_cut_short_stays_as_it_is(corpora: Path, tmp_path: Path, cut: int) -> None:
    data = (corpora / "documents" / "doc" / "simple-table.doc").read_bytes()[:cut]
    (tmp_path / "a.doc").write_bytes(data)
    prepare(tmp_path / "a.doc", ".doc", hidden=False)
    assert (tmp_path / "a.doc").read_bytes() == data


def test_dates_and_numbers_of_slides_are_those_of_the_file(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    from lxml import etree
    from pptx import Presentation

    deck, out = Presentation(), io.BytesIO()
    space = "http://schemas.openxmlformats.org/drawingml/2006/main"
    for lines in (90, 1):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.placeholders[1].text = "\n".join(f"line{n}" for n in range(lines))
        paragraph = slide.shapes.title.text_frame.paragraphs[0]._p
        for kind, value in (("datetime1", "5/5/2005 "), ("slidenum", "44")):
            field = f'<a:fld xmlns:a="{space}" id="{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}" type="{kind}">'
            paragraph.append(etree.fromstring(f"{field}<a:t>{value}</a:t></a:fld>"))
    deck.save(out)
    texts = _convert(office, tmp_path, "a.pptx", out.getvalue())
    assert len(texts) > 2
    assert [text.split("\n")[0] for text in texts] == ["5/5/2005 1"] * (len(texts) - 1) + ["5/5/2005 2"]


def test_fields_of_open_documents_keep_their_stored_values(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    fields = "".join(
        f"<text:p><text:{name}>{value}</text:{name}></text:p>"
        for name, value in (("file-name", "Contract-2019.odt"), ("date", "3 May 2011"), ("page-count", "77"))
    )
    assert _convert(office, tmp_path, "a.fodt", _flat(fields)) == ["Contract-2019.odt\n3 May 2011\n77"]


def _flat(body: str) -> bytes:
    return (
        '<?xml version="1.0"?><office:document '
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
        f"{body}</office:text></office:body></office:document>"
    ).encode()


def _hidden_run() -> bytes:
    from docx import Document

    document, out = Document(), io.BytesIO()
    paragraph = document.add_paragraph("shown ")
    paragraph.add_run("concealed").font.hidden = True
    document.save(out)
    return out.getvalue()


def test_hidden_text_is_left_out_unless_asked_for(
    office: LibreOfficeConverter, showing_all: LibreOfficeConverter, tmp_path: Path
) -> None:
    assert _convert(office, tmp_path, "a.docx", _hidden_run()) == ["shown"]
    assert _convert(showing_all, tmp_path, "a.docx", _hidden_run()) == ["shown concealed"]
    rtf = rb"{\rtf1\ansi shown {\v concealed}\par}"
    assert _convert(office, tmp_path, "a.rtf", rtf) == ["shown"]
    assert _convert(showing_all, tmp_path, "a.rtf", rtf) == ["shown concealed"]


def _deck_with_notes() -> bytes:
    from pptx import Presentation

    deck, out = Presentation(), io.BytesIO()
    for number in (1, 2, 3):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"Title{number}"
        if number != 3:
            slide.notes_slide.notes_text_frame.text = "\n".join(f"note{number}x{n}" for n in range(60))
    deck.slides[0]._element.set("show", "0")
    deck.save(out)
    return out.getvalue()


def test_hidden_slides_and_notes_are_shown_where_asked_for(
    office: LibreOfficeConverter, showing_all: LibreOfficeConverter, tmp_path: Path
) -> None:
    assert _convert(office, tmp_path, "a.pptx", _deck_with_notes()) == ["Title2", "Title3"]
    texts = _convert(showing_all, tmp_path, "a.pptx", _deck_with_notes())
    numbers = json.loads(numbers_file(tmp_path / "out.pdf").read_text())
    assert [numbers[at] for at, text in enumerate(texts) if text.startswith("Title")] == [1, 2, 3]
    for number in (1, 2):
        own = [text for text, slide in zip(texts, numbers, strict=True) if slide == number]
        assert own[0] == f"Title{number}" and own[1].startswith("Notes\n")
        notes = [word for text in own for word in text.split() if word.startswith("note")]
        assert notes == [f"note{number}x{n}" for n in range(60)]


def _row_of_fixed_height(cell: Any) -> None:
    from docx.enum.table import WD_ROW_HEIGHT_RULE
    from docx.shared import Pt

    row = cell._parent.rows[0]
    row.height, row.height_rule = Pt(14), WD_ROW_HEIGHT_RULE.EXACTLY


def test_rows_of_fixed_height_grow_with_their_text(office: LibreOfficeConverter, tmp_path: Path) -> None:
    from docx import Document

    document, out = Document(), io.BytesIO()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "\n".join(f"line{n}" for n in range(8))
    _row_of_fixed_height(cell)
    document.save(out)
    assert _convert(office, tmp_path, "a.docx", out.getvalue())[0].split() == [f"line{n}" for n in range(8)]


def test_text_boxes_of_fixed_height_grow_with_their_text(
    office: LibreOfficeConverter, corpora: Path, tmp_path: Path
) -> None:
    source = corpora / "documents" / "docx" / "textbox.docx"
    text = " ".join(_convert(office, tmp_path, "a.docx", source.read_bytes()))
    assert "Sore throat" in text and "important reminders" in " ".join(text.split())


def test_an_untouched_document_is_not_written_anew(tmp_path: Path) -> None:
    source = tmp_path / "a.docx"
    source.write_bytes(docx_of("text"))
    before = source.read_bytes()
    prepare(source, ".docx", hidden=False)
    assert source.read_bytes() == before
