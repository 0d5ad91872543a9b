"""What a workbook of another format hides, or filters out, stays out of the PDF unless it is asked for."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from fakes_normalize import page_texts

from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits
from drac.adapters.libreoffice_programs import find_soffice

_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text", "style")
)
_KIND = "application/vnd.oasis.opendocument.spreadsheet"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    with LibreOfficeConverter(tmp_path_factory.mktemp("office"), OfficeLimits(90.0)) as converter:
        yield converter


def _words(office: LibreOfficeConverter, source: Path) -> set[str]:
    office.convert(source, source.with_suffix(".pdf"), suffix=source.suffix)
    return set(" ".join(page_texts(source.with_suffix(".pdf"))).split())


def _hiding() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Shown"
    for row in range(1, 6):
        sheet.append([f"r{row}c{column}" for column in range(1, 5)])
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    other = book.create_sheet("Other")
    other["A1"], other.sheet_state = "secret", "hidden"
    return book


_SEEN = {"Shown", *(f"r{row}c{column}" for row in (1, 2, 4, 5) for column in (1, 3, 4))}


def test_rows_that_a_filter_leaves_out_are_left_out(office: LibreOfficeConverter, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["town", "state"], ["Aarau", "open"], ["Bern", "shut"], ["Chur", "open"]):
        book.active.append(row)
    book.active.auto_filter.ref = "A1:B4"
    book.active.auto_filter.add_filter_column(1, ["open"])
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "a.xlsx")
    assert _words(office, tmp_path / "a.xlsx") == {"Sheet", "town", "state", "Aarau", "Chur", "open"}


def test_f05_hidden_parts_of_an_old_workbook_are_left_out(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    _hiding().save(tmp_path / "a.xlsx")
    profile = (tmp_path / "profile").as_uri()
    command = [str(find_soffice()), "--headless", f"-env:UserInstallation={profile}"]
    target = ["--convert-to", "xls", "--outdir", str(tmp_path), str(tmp_path / "a.xlsx")]
    subprocess.run([*command, *target], check=True, capture_output=True, timeout=120)
    assert _words(office, tmp_path / "a.xls") == _SEEN


def _open_document() -> bytes:
    def row(number: int, hidden: str = "") -> str:
        cells = (
            '<table:table-cell office:value-type="string">'
            f"<text:p>r{number}c{one}</text:p></table:table-cell>"
            for one in range(1, 5)
        )
        return f"<table:table-row {hidden}>{''.join(cells)}</table:table-row>"

    collapsed, column = 'table:visibility="collapse"', "<table:table-column"
    rows = [row(1), row(2), row(3, collapsed), row(4), row(5), row(6, 'table:visibility="filter"')]
    content = (
        f'<?xml version="1.0"?><office:document-content {_NAMESPACES} office:version="1.2">'
        '<office:automatic-styles><style:style style:name="off" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
        '<office:body><office:spreadsheet><table:table table:name="Shown">'
        f"{column}/>{column} {collapsed}/>{column}/>{column}/>{''.join(rows)}</table:table>"
        '<table:table table:name="Other" table:style-name="off">'
        f"{column}/>{row(9)}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_KIND}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        parts = {"mimetype": _KIND, "content.xml": content, "META-INF/manifest.xml": manifest}
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_f05_hidden_parts_of_an_open_document_are_left_out(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    (tmp_path / "a.ods").write_bytes(_open_document())
    assert _words(office, tmp_path / "a.ods") == _SEEN
