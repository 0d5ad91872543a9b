"""Plain text and delimited tables, made into files that LibreOffice cannot misread."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from drac.errors import EmptyDocument
from drac.stages.normalize.text import decode

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 200
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_CHARACTER_CM = 0.2
"""Average width of a character of 10 point Liberation Sans."""
_COLUMN_CM = (1.0, 7.0)
"""Narrowest and widest column; longer text wraps."""
_PAGE_CM = (18.0, 26.7)
"""Width between the margins of A4, portrait and landscape."""
_SMALLEST_SCALE = 0.5
"""A table wider than the landscape page at this scale is split by columns, as LibreOffice does."""


def write_plain_text(source: Path, target: Path) -> None:
    """Copy a text of any encoding to UTF-8 with its mark, which LibreOffice knows without being told."""
    target.write_text(decode(source.read_bytes()), "utf-8-sig", newline="")


def write_flat_sheet(source: Path, target: Path, suffix: str) -> None:
    """Write a delimited table as a flat OpenDocument sheet in which every cell is text, as in the file.

    Raises EmptyDocument for a table without a single value.
    """
    rows = read_table(decode(source.read_bytes()), suffix)
    if not any(any(row) for row in rows):
        raise EmptyDocument(f"{source}: a table without a single value")
    widths = _widths(rows)
    with target.open("w", encoding="utf-8") as file:
        file.writelines(_flat_sheet(rows, widths))


def read_table(text: str, suffix: str) -> list[list[str]]:
    """Rows of a delimited text; the delimiter is the one that gives the most even columns."""
    csv.field_size_limit(2**31 - 1)
    candidates = ("\t", *_DELIMITERS) if suffix == ".tsv" else _DELIMITERS
    delimiter = max(candidates, key=lambda one: _evenness(text, one))
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _evenness(text: str, delimiter: str) -> float:
    """Columns times the share of rows that have just as many; 0 for a single column."""
    head = io.StringIO(text[:100_000], newline="")
    sample = itertools.islice(csv.reader(head, delimiter=delimiter), _SAMPLE_ROWS)
    counts = Counter(len(row) for row in sample if row)
    columns, rows = counts.most_common(1)[0] if counts else (1, 0)
    return (columns - 1) * rows / max(counts.total(), 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[float]:
    """Width of each column in centimetres."""
    longest: dict[int, float] = {}
    for row in rows:
        for column, cell in enumerate(row):
            line = max(map(_display_length, cell.splitlines()), default=0.0)
            longest[column] = max(longest.get(column, 0.0), line)
    low, high = _COLUMN_CM
    return [min(max(low, 0.3 + _CHARACTER_CM * longest[column]), high) for column in sorted(longest)]


def _display_length(line: str) -> float:
    """Width in average characters: capitals and the broadest letters count more, other scripts double."""
    return sum(map(_breadth, line))


def _breadth(character: str) -> float:
    if character >= "\u2e80":
        return 2.0
    if character in "mwMW@%":
        return 1.6
    return 1.3 if character.isupper() else 1.0


def _flat_sheet(rows: Iterable[Sequence[str]], widths: Sequence[float]) -> Iterator[str]:
    yield _HEAD.format(columns=_column_styles(widths), page=_page_layout(sum(widths)))
    yield from (f'<table:table-column table:style-name="c{at}"/>' for at in range(len(widths)))
    for row in rows:
        filled = [*row, *[""] * (len(widths) - len(row))]
        yield f'<table:table-row table:style-name="r">{"".join(map(_cell, filled))}</table:table-row>\n'
    yield _TAIL


def _column_styles(widths: Sequence[float]) -> str:
    style = (
        '<style:style style:name="c{at}" style:family="table-column">'
        '<style:table-column-properties style:column-width="{width:.2f}cm"/></style:style>'
    )
    return "".join(style.format(at=at, width=width) for at, width in enumerate(widths))


def _page_layout(width: float) -> str:
    portrait, landscape = _PAGE_CM
    size = 'fo:page-width="21cm" fo:page-height="29.7cm" style:print-orientation="portrait"'
    if width > portrait:
        size = 'fo:page-width="29.7cm" fo:page-height="21cm" style:print-orientation="landscape"'
    fits = width <= landscape / _SMALLEST_SCALE
    return size + (' style:scale-to-X="1" style:scale-to-Y="0"' if portrait < width and fits else "")


def _cell(text: str) -> str:
    if not text:
        return '<table:table-cell table:style-name="t"/>'
    lines = "".join(f"<text:p>{_spaces(line)}</text:p>" for line in _NOT_XML.sub("\ufffd", text).split("\n"))
    return f'<table:table-cell table:style-name="t" office:value-type="string">{lines}</table:table-cell>'


def _spaces(line: str) -> str:
    """Escaped, with runs of spaces kept (OpenDocument 1.2, 6.1.3)."""
    return re.sub(" {2,}", lambda run: f' <text:s text:c="{len(run[0]) - 1}"/>', escape(line.rstrip("\r")))


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>{columns}
<style:style style:name="r" style:family="table-row">
<style:table-row-properties style:use-optimal-row-height="true"/></style:style>
<style:style style:name="t" style:family="table-cell">
<style:table-cell-properties fo:border="0.5pt solid #000000"
 fo:wrap-option="wrap" style:vertical-align="top"/></style:style>
<style:style style:name="s" style:family="table" style:master-page-name="m">
<style:table-properties table:display="true"/></style:style>
<style:page-layout style:name="p"><style:page-layout-properties {page} fo:margin="1.5cm"/></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="m" style:page-layout-name="p">
<style:header style:display="false"/><style:footer style:display="false"/></style:master-page>
</office:master-styles>
<office:body><office:spreadsheet><table:table table:name="Table" table:style-name="s">
"""
_TAIL = "</table:table></office:spreadsheet></office:body></office:document>\n"
