"""Columns get room for their longest words."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fakes_normalize import page_texts

from drac.adapters.libreoffice import LibreOfficeConverter
from drac.adapters.libreoffice_tables import fit, least_of_spans, longest_word


def test_columns_that_are_wide_enough_stay() -> None:
    assert fit([100.0, 200.0], [100.0, 50.0]) is None


def test_a_narrow_column_takes_from_those_that_have_more() -> None:
    fitted = fit([100.0, 300.0, 600.0], [250.0, 300.0, 200.0])
    assert fitted is not None
    widths, scale = fitted
    assert widths == [250.0, 300.0, 450.0]
    assert scale == 1.0


def test_where_no_width_is_enough_the_font_shrinks_to_what_can_be_read() -> None:
    fitted = fit([5000.0, 5000.0], [9000.0, 3000.0])
    assert fitted is not None
    assert sum(fitted[0]) == pytest.approx(10_000.0)
    assert fitted[0][0] == pytest.approx(7500.0)
    assert fitted[1] == pytest.approx(9200 / 11_200)
    hopeless = fit([500.0], [90_000.0])
    assert hopeless is not None and hopeless[1] == 0.6


def test_the_longest_word_counts() -> None:
    assert longest_word("a bb\nmmm") == pytest.approx(3 * 0.95)
    assert longest_word("") == 0.0
    assert longest_word("日本語のテキスト") == 1.0


def _docx(widths: list[float], rows: list[list[str]], share: int | None = None) -> bytes:
    """A table with columns of these widths in centimetres, or one that takes a share of the page (in %)."""
    from docx import Document
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Cm

    document, out = Document(), io.BytesIO()
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    table.autofit = False
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text, width in zip(row.cells, texts, widths, strict=True):
            cell.text, cell.width = text, Cm(width)
    if share is not None:
        width = table._tbl.tblPr.find(qn("w:tblW"))
        if width is None:
            width = OxmlElement("w:tblW")
            table._tbl.tblPr.append(width)
        width.set(qn("w:type"), "pct")
        width.set(qn("w:w"), str(share * 50))
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("share", [None, 100, 5])
def test_words_and_numbers_in_narrow_columns_are_not_broken(tmp_path: Path, share: int | None) -> None:
    rows = [["Store ID", "Price", "Remarks"], ["VELVERA-001", "1,049,999", "Opening hours may change"]]
    source = tmp_path / "a.docx"
    source.write_bytes(_docx([0.7, 0.7, 14.0], rows, share))
    with LibreOfficeConverter(tmp_path / "work") as office:
        office.convert(source, tmp_path / "a.pdf", suffix=".docx")
    words = page_texts(tmp_path / "a.pdf")[0].split()
    assert {"Store", "VELVERA-001", "1,049,999", "Remarks", "Opening"} <= set(words)


def test_cells_over_several_columns_need_what_their_columns_do_not_give() -> None:
    assert least_of_spans([0, 10, 20, 30], [(0, 10, 5.0), (0, 20, 9.0), (10, 30, 2.0)]) == [7.0, 2.0, 0.0]


def test_words_in_tables_with_merged_cells_are_not_broken(tmp_path: Path) -> None:
    from docx import Document
    from docx.shared import Cm

    document = Document()
    table = document.add_table(rows=4, cols=4)
    table.autofit = False
    widths = (0.7, 0.7, 1.2, 13.0)
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Cm(width)
    texts = ["VELVERA-001", "1,049,999", "internationally", "Opening hours"]
    for row in table.rows:
        for cell, text, width in zip(row.cells, texts, widths, strict=True):
            cell.text, cell.width = text, Cm(width)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Identifiers"
    table.cell(1, 3).merge(table.cell(2, 3)).text = "downwards"
    document.save(tmp_path / "a.docx")
    with LibreOfficeConverter(tmp_path / "work") as office:
        office.convert(tmp_path / "a.docx", tmp_path / "a.pdf", suffix=".docx")
    words = page_texts(tmp_path / "a.pdf")[0].split()
    assert words.count("VELVERA-001") == words.count("1,049,999") == 3
    assert words.count("internationally") == 4 and "Identifiers" in words and "downwards" in words
