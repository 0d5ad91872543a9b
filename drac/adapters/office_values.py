"""Workbooks whose formulas are replaced by the values that the file stores for them.

LibreOffice calculates TODAY, RAND, INDIRECT and the like anew whatever it is told, and all that depends on
them: a reader would see other numbers than the file's author, and others on each day.
"""

from __future__ import annotations

import re

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELL = re.compile(rb"<((?:\w+:)?)c\b[^>]*(?<!/)>[^<]*(?:<(?!/?\1c\b)[^<]*)*</\1c>")
"""A cell that holds something; the search ends at the next cell, however many are empty."""
_FORMULA = re.compile(rb"<((?:\w+:)?)f\b[^>]*?(?:/>|>.*?</\1f>)", re.S)
_VALUE = re.compile(rb"<(?:\w+:)?v>[^<]")
_SHARED = re.compile(rb"""<(?:\w+:)?f\b[^>]*\bsi=["'](\d+)["']""")
_PROTECTION = re.compile(rb"<(?:\w+:)?sheetProtection\b[^>]*/>")
_OPEN_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b[^>]*>")
_OPEN_FORMULA = re.compile(rb"""\stable:formula=(?:"[^"]*"|'[^']*')""")
_OPEN_PROTECTION = re.compile(rb'\stable:protected="true"')


def with_stored_values(name: str, data: bytes) -> bytes:
    """A part of a workbook, by its name in the package; of formulas that have a stored value that stays.

    The protection of sheets goes too: it would keep LibreOffice from making columns wide enough.
    """
    if name == "content.xml":
        return _without_formulas(data)
    return _without_f(data) if _SHEET.fullmatch(name) else data


def _without_f(xml: bytes) -> bytes:
    """A shared formula stays whole where one of its cells has no value."""
    xml = _PROTECTION.sub(b"", xml)
    kept = {
        number
        for cell in _CELL.finditer(xml)
        if not _VALUE.search(cell[0])
        for number in _SHARED.findall(cell[0])
    }

    def simplified(cell: re.Match[bytes]) -> bytes:
        shared = _SHARED.search(cell[0])
        if not _VALUE.search(cell[0]) or (shared and shared[1] in kept):
            return cell[0]
        return _FORMULA.sub(b"", cell[0])

    return _CELL.sub(simplified, xml) if b"f>" in xml or b"<f" in xml else xml


def _without_formulas(xml: bytes) -> bytes:
    def simplified(cell: re.Match[bytes]) -> bytes:
        return _OPEN_FORMULA.sub(b"", cell[0]) if b"office:value-type=" in cell[0] else cell[0]

    return _OPEN_CELL.sub(simplified, _OPEN_PROTECTION.sub(b"", xml))
