"""Formulas give way to their stored values, in time that grows with the sheet only."""

from __future__ import annotations

import time

from drac.adapters.office_values import with_stored_values

NAME = "xl/worksheets/sheet1.xml"


def test_formulas_with_a_value_go_and_empty_cells_stay_apart() -> None:
    kept = b'<row><c r="A1" s="1"/><c r="B1"><f>1+2</f></c><c r="C1" s="1"/>'
    data = kept + b'<c r="D1"><f>NOW()</f><v>7</v></c><c r="E1" s="1"/></row>'
    expected = kept + b'<c r="D1"><v>7</v></c><c r="E1" s="1"/></row>'
    assert with_stored_values(NAME, data) == expected


def test_a_sheet_of_empty_cells_is_read_in_one_pass() -> None:
    data = b"<row><f/>" + b'<c r="A1" s="1"/>' * 60_000 + b"<c>" * 60_000 + b"</row>"
    began = time.perf_counter()
    assert with_stored_values(NAME, data) == data
    assert time.perf_counter() - began < 5
