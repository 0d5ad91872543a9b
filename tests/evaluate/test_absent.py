"""Judgments that no chunk can meet are counted, and what may be meant is named."""

from __future__ import annotations

import pytest

from drac.evaluate.absent import SHOWN, absent, told
from drac.records import Judgment

PAGES = {("line", "ferry.md"): 2, ("line", "plans/harbour of the north.md"): 1, ("pier", "crane.pdf"): None}


def lines(*judgments: tuple[str, str, str, int]) -> list[str]:
    found = absent([Judgment(*one) for one in judgments], PAGES)
    return list(told(found, PAGES))


def test_judgments_of_what_is_there_are_not_told() -> None:
    assert lines(("q1", "line", "ferry.md", 2), ("q2", "pier", "crane.pdf", 300)) == []


def test_judgments_and_queries_are_counted_and_a_document_is_told_once() -> None:
    said = lines(
        ("q1", "line", "fery.md", 1), ("q1", "line", "fery.md", 2), ("q2", "line", "fery.md", 1),
        ("q2", "line", "ferry.md", 1),
    )  # fmt: skip
    assert said[0].startswith("3 judgments of 2 queries cannot be met")
    assert said[1:] == ["  line/fery.md: no such document; did you mean `ferry.md`? (q1, q2)"]


def test_a_page_after_the_last_is_told_with_their_number() -> None:
    said = lines(("q1", "line", "ferry.md", 3))
    assert said[0].startswith("1 judgment of 1 query ")
    assert said[1:] == ["  line/ferry.md, page 3: it has 2 pages (q1)"]


@pytest.mark.parametrize(
    ("collection", "source", "meant"),
    [
        ("line", "Harbour of the North.md", "did you mean `plans/harbour of the north.md`?"),
        ("line", "a/very/long/way/to/ferry.md", "did you mean `ferry.md`?"),
        ("line", "crane.pdf", "the collection 'pier' has one"),
        ("line", "0001.docx", "no such document (q1)"),
    ],
)
def test_what_may_be_meant_is_named(collection: str, source: str, meant: str) -> None:
    assert meant in lines(("q1", collection, source, 1))[1]


def test_the_first_few_are_named_and_the_rest_counted() -> None:
    several = [(f"q{n}", "line", f"{n}.docx", 1) for n in range(SHOWN + 2)]
    assert lines(*several)[-1] == "  and 2 more"
    assert len(lines(*several)) == SHOWN + 2
    queries = [(f"q{n}", "line", "0.docx", 1) for n in range(SHOWN + 3)]
    assert lines(*queries)[1].endswith("(q0, q1, q2, q3, q4 and 3 more)")
