"""What holds for the audit of any page."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from readings import TEMPLATES, Tell, reading, reply

from drac.audit_records import FindingKind, PageAudit
from drac.records import PageText
from drac.stages.convert.audit import EXACT, NOISY, audit_page

NAMES = [
    *("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"),
    *("islet", "juniper", "knoll", "lagoon", "marsh", "north", "oasis", "pine"),
]
COLUMNS = ["Harbour", "Depth", "Berths", "Master"]
words = st.lists(st.sampled_from(NAMES), min_size=6, max_size=14, unique=True).map(" ".join)
cells = st.tuples(
    st.sampled_from(NAMES), st.integers(100, 999), st.integers(1000, 9999), st.sampled_from(NAMES)
)
grids = st.lists(cells, min_size=3, max_size=6, unique_by=(lambda row: row[0], lambda row: row[1])).map(
    lambda rows: [COLUMNS, *([str(cell) for cell in row] for row in rows)]
)
Grid = list[list[str]]


def audit(written: PageText, seen: PageText) -> PageAudit:
    return audit_page(written, seen, EXACT, reader="local")


@given(st.lists(words, max_size=4), grids)
def test_a_page_read_the_same_has_no_finding(texts: list[str], grid: Grid) -> None:
    seen = reading(*texts, grid)
    for limits in (EXACT, NOISY):
        same = audit_page(seen, seen, limits, reader="local")
        assert (same.findings, same.missing, same.invented, same.flagged) == ((), 0.0, 0.0, False)


@given(words, grids, st.sampled_from(TEMPLATES))
def test_rows_told_in_other_words_are_no_finding(text: str, grid: Grid, tell: Tell) -> None:
    assert audit(reply(text, grid, tell=tell), reading(text, grid)).findings == ()


@given(words, grids, st.sampled_from(TEMPLATES), st.data())
def test_a_row_left_out_is_always_found(text: str, grid: Grid, tell: Tell, data: st.DataObject) -> None:
    row = data.draw(st.integers(1, len(grid) - 1))
    found = audit(reply(text, grid[:row] + grid[row + 1 :], tell=tell), reading(text, grid))
    assert FindingKind.ROW_MISSING in {one.kind for one in found.findings}


@given(words, grids, st.sampled_from(TEMPLATES), st.data())
def test_a_number_changed_in_a_row_is_always_found(
    text: str, grid: Grid, tell: Tell, data: st.DataObject
) -> None:
    row, column = data.draw(st.integers(1, len(grid) - 1)), data.draw(st.sampled_from([1, 2]))
    new = data.draw(
        st.one_of(st.integers(1, 99999).map(str), st.sampled_from([line[1] for line in grid[1:]]))
    )
    assume(new not in grid[row])
    wrong = [list(line) for line in grid]
    wrong[row][column] = new
    assert FindingKind.DIGITS in {
        one.kind for one in audit(reply(text, wrong, tell=tell), reading(text, grid)).findings
    }


@given(st.text(), st.text())
def test_any_two_texts_are_compared_the_same_way_twice_and_places_are_true(one: str, other: str) -> None:
    written, seen = reply(one), reading(other or "x")
    first = audit(written, seen)
    assert first == audit(written, seen)
    for finding in first.findings:
        assert finding.start < 0 or one[finding.start : finding.end].strip() == finding.text
    assert 0 <= first.missing <= 1
    assert 0 <= first.invented <= 1
