"""Misread words are put right in their places; words in pictures are no invention."""

from __future__ import annotations

import pytest

from drac.audit_records import Finding, FindingKind, PageAudit
from drac.records import Cell, Page, PageState, PageText, Region, Table
from drac.stages.convert.audit.patch import patch
from drac.stages.convert.audit.pictured import without_pictured

PAGE = Page("p", 1)


def _read(markdown: str, method: str, **more: object) -> PageText:
    return PageText(PAGE, PageState.OK, markdown, "local", method, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("read", "layer", "made"),
    [
        ("The Iamp costs 1Z crowns.", "The lamp costs 12 crowns.", "The lamp costs 12 crowns."),
        ("# Prlces\n\nTotal 4,l0 EUR", "Prices\nTotal 4,10 EUR", "# Prices\n\nTotal 4,10 EUR"),
        ("A wholly other word stays.", "A wholly zebra word stays.", "A wholly other word stays."),
        ("A word lost here.", "A word is lost here.", "A word lost here."),
        ("Same text.", "Same text.", "Same text."),
    ],
)
def test_words_alike_at_the_same_place_are_put_right(read: str, layer: str, made: str) -> None:
    assert patch(_read(read, "ocr"), _read(layer, "text-layer")).markdown == made


def test_regions_sentences_and_cells_move_along() -> None:
    text = "Preface of 1O0 words.\n\nLamp: 1Z crowns."
    start = text.index("Lamp")
    table = Table((0, 0, 9, 9), 2, 1, 1, (Cell(0, 0, "Lamp"), Cell(1, 0, "1Z crowns")),
                  sentences=((1, start, len(text)),))  # fmt: skip
    region = Region(start, len(text), "row")
    layer = _read("Preface of 1,000 words.\n\nLamp: 12 crowns.", "text-layer")
    made = patch(_read(text, "ocr", regions=(region,), tables=(table,)), layer)
    assert made.markdown == layer.markdown
    (row, first, last) = made.tables[0].sentences[0]
    assert (row, made.markdown[first:last]) == (1, "Lamp: 12 crowns.")
    assert made.markdown[made.regions[0].start : made.regions[0].end] == "Lamp: 12 crowns."
    assert [cell.text for cell in made.tables[0].cells] == ["Lamp", "12 crowns"]


def _audit(*findings: Finding) -> PageAudit:
    return PageAudit(PAGE, "local text-layer", 0.0, 0.1, findings, True)


def test_what_ocr_sees_in_a_picture_is_not_invented() -> None:
    layer, seen = _read("Sales of 2021.", "text-layer"), _read("Sales of 2021. Chart: North 57", "ocr")
    chart = Finding(FindingKind.INVENTED, "Chart: North 57", "chart north", 15, 30)
    digits = Finding(FindingKind.DIGITS, "Chart: North 57", "57", 15, 30)
    assert not without_pictured(_audit(chart, digits), layer, seen).flagged


def test_a_number_of_the_page_in_another_place_and_words_nobody_saw_stay() -> None:
    layer, seen = _read("Sales of 2021: 57.", "text-layer"), _read("Sales of 2021: 57.", "ocr")
    moved = Finding(FindingKind.DIGITS, "Sales of 57", "57", 0, 11)
    unseen = Finding(FindingKind.INVENTED, "A telegram came", "telegram came", 12, 27)
    lost = Finding(FindingKind.DIGITS, "", "99")
    audit = _audit(moved, unseen, lost)
    assert without_pictured(audit, layer, seen) == audit
