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

from drac.errors import EmptyDocument, LimitExceeded
from drac.stages.normalize.text import decode

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 200
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_plain_text(source: Path, target: Path) -> None:
    """Copy a text of any encoding to UTF-8 with its mark, which LibreOffice knows without being told."""
    target.write_text(decode(source.read_bytes()), "utf-8-sig", newline="")


def write_flat_sheet(source: Path, target: Path, suffix: str, most: int = 2**63) -> None:
    """Write a delimited table as a flat OpenDocument sheet in which every cell is text, as in the file.

    Raises EmptyDocument for a table without a single value, and LimitExceeded for one of more than `most`.
    """
    rows = read_table(decode(source.read_bytes()), suffix)
    if not any(any(row) for row in rows):
        raise EmptyDocument(f"{source}: a table without a single value")
    cells = sum(sum(map(bool, row)) for row in rows)
    if cells > most:
        raise LimitExceeded(
            f"{source}: {cells:,} cells, more than the limit of {most:,}",
            remedy="Split the document, or raise normalize.max_cells.",
            lasting=True,
        )
    with target.open("w", encoding="utf-8") as file:
        file.writelines(_flat_sheet(rows))


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


def _flat_sheet(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _HEAD
    for row in rows:
        yield f"<table:table-row>{''.join(map(_cell, row or ['']))}</table:table-row>\n"
    yield _TAIL


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
<office:automatic-styles>
<style:style style:name="t" style:family="table-cell">
<style:table-cell-properties style:vertical-align="top"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Table">
"""
_TAIL = "</table:table></office:spreadsheet></office:body></office:document>\n"
