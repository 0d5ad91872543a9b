"""Rows whose cells are wrapped and that OCR read as several, beside rows that a model ran together."""

from __future__ import annotations

from readings import in_the_row, reading, reply

from drac.audit_records import Finding, FindingKind
from drac.records import PageText
from drac.stages.convert.audit import NOISY, audit_page

HEAD = ["Route", "Leaves", "Boat", "Takes", "Notes"]
WHOLE = [
    ["Hessay (HSY)", "18:00", "Ferry 787", "8h 55m", "Calls at Skerry"],
    ["Ansel Quay (ANQ)", "22:55", "Barge 350", "6h 05m", "Direct"],
    ["Lower Isle (LIS)", "23:30", "Ferry 787", "6h 45m", "Direct"],
    ["Skerry (SKY)", "01:10", "Barge 320", "7h 35m", "Direct"],
]
WRAPPED = [
    ["Hessay", "18:00", "Ferry", "8h", "Calls at"],
    ["(HSY)", "", "787", "55m", "Skerry"],
    ["Ansel", "22:55", "Barge", "6h", "Direct"],
    ["Quay (ANQ)", "", "350", "05m", ""],
    *WHOLE[2:],
]


def found(written: PageText, seen: PageText) -> tuple[Finding, ...]:
    return audit_page(written, seen, NOISY, reader="local ocr").findings


def merged_cells(one: list[str], other: list[str]) -> list[str]:
    return [f"{a} {b}" for a, b in zip(one, other, strict=True)]


def test_the_second_line_of_a_wrapped_row_is_no_row_of_its_own() -> None:
    assert found(reply([HEAD, *WHOLE]), reading([HEAD, *WRAPPED])) == ()


def test_a_digit_in_a_wrapped_row_is_still_compared() -> None:
    wrong = [["Hessay (HSY)", "18:00", "Ferry 787", "8h 56m", "Calls at Skerry"], *WHOLE[1:]]
    findings = found(reply([HEAD, *wrong]), reading([HEAD, *WRAPPED]))
    assert [(one.kind, set(one.what.split())) for one in findings] == [(FindingKind.DIGITS, {"55", "56"})]
    assert findings[0].text == in_the_row(HEAD, wrong[0])


def test_a_wrapped_row_that_is_dropped_is_missed_whole() -> None:
    findings = found(reply([HEAD, *WHOLE[1:]]), reading([HEAD, *WRAPPED]))
    assert {one.kind for one in findings} == {FindingKind.ROW_MISSING}


def test_rows_run_together_cell_by_cell_are_not_taken_for_one_that_is_wrapped() -> None:
    told = [merged_cells(WHOLE[0], WHOLE[1]), *WHOLE[2:]]
    for seen in (WHOLE, WRAPPED):
        findings = found(reply([HEAD, *told]), reading([HEAD, *seen]))
        assert FindingKind.ROWS_MERGED in {one.kind for one in findings}, seen


def test_two_rows_run_together_that_are_all_of_a_table_are_found() -> None:
    findings = found(reply([HEAD, merged_cells(*WHOLE[:2])]), reading([HEAD, *WHOLE[:2]]))
    assert [one.kind for one in findings] == [FindingKind.ROWS_MERGED]


def test_cells_that_go_on_below_tell_a_wrapped_row_without_numbers() -> None:
    head = ["Part", "Use", "Stored in"]
    whole = [["Oars and rowlocks", "Rowing the small boats", "Shed"], ["Lamp", "Signals", "Bridge"]]
    parts = [["Oars and", "Rowing the", "Shed"], ["rowlocks", "small boats", ""], whole[1]]
    assert found(reply([head, *whole]), reading([head, *parts])) == ()


def test_a_number_alone_at_the_foot_of_the_page_is_the_pages() -> None:
    seen = reading("The harbour office answers within ten days.", "17")
    assert found(reply("The harbour office answers within ten days."), seen) == ()
    seen = reading("17", "The harbour office answers within ten days.", "Complaints take longer.")
    assert found(reply("The harbour office answers within ten days.", "Complaints take longer."), seen) == ()


def test_a_number_alone_amid_the_page_is_not() -> None:
    seen = reading("The harbour office answers complaints.", "17", "Working days are Monday to Friday.")
    written = reply("The harbour office answers complaints.", "Working days are Monday to Friday.")
    assert [one.what for one in found(written, seen)] == ["17"]
