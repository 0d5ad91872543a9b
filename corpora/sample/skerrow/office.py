"""Blocks in office files.

Their texts begin each page on purpose and leave it far from full, so that other fonts move nothing.
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
from docx.enum.text import WD_BREAK
from openpyxl.styles import Font
from pptx.util import Inches, Pt

from skerrow.texts import Block, Heading, Items, Paragraph, Table, Title, pages

WHEN = datetime.datetime(2026, 1, 5, 9, 0, 0)
STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def word(name: str) -> bytes:
    """The text of that name as DOCX."""
    book = docx.Document()
    book.styles["Normal"].font.name = "Liberation Sans"
    for number, page in enumerate(pages(name)):
        if number:
            book.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        for block in page:
            _word_block(book, block)
    _dated(book.core_properties)
    return _saved(book.save)


def slides(name: str) -> bytes:
    """The text of that name as PPTX, a slide a page."""
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    for heading, content in pages(name):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        _slide_title(slide.shapes.title, heading.text)
        _slide_table(slide, content) if isinstance(content, Table) else _slide_items(slide, content)
    _dated(deck.core_properties)
    return _saved(deck.save)


def sheets(name: str) -> bytes:
    """The text of that name as XLSX, a sheet of one printed page for each page."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, table, note in pages(name):
        sheet = book.create_sheet(title.text)
        sheet["A1"], sheet["A1"].font = title.under, Font(bold=True, size=14)
        _sheet_table(sheet, table)
        sheet.cell(len(table.rows) + 5, 1, note.text)
        sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
        sheet.page_setup.fitToWidth = sheet.page_setup.fitToHeight = 1
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
    book.properties.creator = "Skerrow Line"
    return _saved(book.save)


def _word_block(book: Any, block: Block) -> None:
    match block:
        case Title():
            book.add_heading(block.text, 0)
            book.add_paragraph(block.under)
        case Heading():
            book.add_heading(block.text, block.level)
        case Paragraph():
            book.add_paragraph(block.text)
        case Items():
            for text in block.texts:
                book.add_paragraph(text, style="List Number" if block.numbered else "List Bullet")
        case Table():
            _word_table(book, block)


def _word_table(book: Any, block: Table) -> None:
    table = book.add_table(rows=0, cols=len(block.shares), style="Table Grid")
    for row in (*block.heads, *block.rows):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
            cell.paragraphs[0].runs[0].bold = row in block.heads
    book.add_paragraph()


def _slide_title(shape: Any, text: str) -> None:
    shape.left, shape.top, shape.width, shape.height = Inches(0.7), Inches(0.4), Inches(11.9), Inches(1.1)
    shape.text = text
    shape.text_frame.paragraphs[0].font.size = Pt(34)


def _slide_items(slide: Any, items: Items) -> None:
    frame = slide.shapes.add_textbox(Inches(0.9), Inches(1.9), Inches(11.5), Inches(4.8)).text_frame
    frame.word_wrap = True
    for number, text in enumerate(items.texts):
        paragraph = frame.add_paragraph() if number else frame.paragraphs[0]
        paragraph.text = f"• {text}"
        paragraph.font.size, paragraph.space_after = Pt(24), Pt(12)


def _slide_table(slide: Any, block: Table) -> None:
    rows = (*block.heads, *block.rows)
    place = (Inches(0.9), Inches(1.9), Inches(11.5), Inches(0.6 * len(rows)))
    table = slide.shapes.add_table(len(rows), len(block.shares), *place).table
    for cells, row in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, row, strict=True):
            cell.text = text
            cell.text_frame.paragraphs[0].font.size = Pt(20)


def _sheet_table(sheet: Any, table: Table) -> None:
    for line, row in enumerate((*table.heads, *table.rows), start=3):
        for column, text in enumerate(row, start=1):
            cell = sheet.cell(line, column, _value(text))
            cell.font = Font(bold=row in table.heads)
            cell.number_format = "0.00" if isinstance(cell.value, float) else "General"
    for column, cells in enumerate(zip(*table.heads, *table.rows, strict=True)):
        sheet.column_dimensions["ABCDEF"[column]].width = max(map(len, cells)) * 1.15 + 3


def _value(text: str) -> str | float | int:
    if re.fullmatch(r"\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"\d+\.\d+", text) else text


def _dated(properties: Any) -> None:
    properties.author, properties.comments, properties.revision = "Skerrow Line", "", 1
    properties.created = properties.modified = WHEN


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    """The package with every date in it fixed."""
    package, target = io.BytesIO(), io.BytesIO()
    save(package)
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, date_time=WHEN.timetuple()[:6])
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            data = old.read(name)
            if name == "docProps/core.xml":
                data = STAMP.sub(WHEN.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), data)
            new.writestr(member, data, compresslevel=9)
    return target.getvalue()
