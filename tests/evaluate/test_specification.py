"""The specification of chunks.jsonl: every broken line is named, with its number and a remedy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drac.cli.entry import run
from drac.evaluate.specification import check_lines

GOOD: dict[str, Any] = {
    "chunk_id": "c1", "doc_id": "d1", "collection": "x", "source": "a.pdf", "pages": [1, 2],
    "spans": [{"page": 1, "start": 0, "end": 4}], "element_ids": ["p1"], "breadcrumb": ["A"],
    "parent_id": None, "body": "text", "text": "A\n\ntext",
}  # fmt: skip
NEEDED = ("chunk_id", "doc_id", "collection", "source", "pages", "body", "text")
SECOND = {**GOOD, "chunk_id": "c2", "parent_id": "c1", "more": 1}


def check(*records: Any) -> list[tuple[int, str]]:
    lines = [one if isinstance(one, bytes) else (json.dumps(one) + "\n").encode() for one in records]
    checked = check_lines(lines)
    assert all(one.remedy.endswith(".") for one in checked.problems)
    return [(one.line, one.what) for one in checked.problems]


def test_good_lines_have_no_problem_and_further_fields_are_allowed() -> None:
    assert check(GOOD, SECOND) == []
    needed = {
        name: GOOD[name] for name in ("chunk_id", "doc_id", "collection", "source", "pages", "body", "text")
    }
    assert check(needed) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"chunk_id": ""}, "chunk_id: string should have at least 1 character"),
        ({"pages": []}, "pages: list should have at least 1 item"),
        ({"pages": [0, 1]}, "pages.0: input should be greater than or equal to 1"),
        ({"pages": ["1"]}, "pages.0: input should be a valid integer"),
        ({"pages": [True]}, "pages.0: input should be a valid integer"),
        ({"pages": [1, 1]}, "pages: [1, 1] do not ascend"),
        ({"pages": [2]}, "spans.0: page 1 is not among the pages"),
        ({"spans": [{"page": 1, "start": 4, "end": 4}]}, "spans.0: start 4 is not before end 4"),
        ({"spans": [{"page": 1, "start": -1, "end": 4}]}, "spans.0.start: input should be greater"),
        ({"body": " "}, "body: blank"),
        ({"text": "other"}, "text: does not end with the body"),
        ({"parent_id": "c2"}, "parent_id: the chunk itself"),
        ({"parent_id": "c9"}, "parent_id: no chunk 'c9' in the file"),
        ({"chunk_id": "c1"}, "chunk_id: 'c1' stands in line 1 already"),
        ({"doc_id": "d2"}, "doc_id: x/a.pdf had 'd1' before"),
        ({"source": "b.pdf"}, "doc_id: 'd1' was of x/a.pdf"),
        ({"breadcrumb": "A"}, "breadcrumb: input should be a valid list"),
    ],
)
def test_each_rule_names_its_line(change: dict[str, Any], said: str) -> None:
    found = check(GOOD, {**SECOND, **change})
    assert any(line == 2 and what.startswith(said) for line, what in found), found


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_field_is_named(name: str) -> None:
    assert check({key: value for key, value in GOOD.items() if key != name}) == [(1, f"{name}: missing")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[" * 100_000 + b"\n", "no JSON"),
        (b"{\n", "no JSON"), (b"\n", "an empty line"), (b"[1]\n", "no JSON object"),
        (b'{"a": "\xff"}\n', "not UTF-8 from byte 8 of the line"),
    ],
)  # fmt: skip
def test_lines_that_are_no_records(line: bytes, said: str) -> None:
    found = check(GOOD, line, SECOND)
    assert [number for number, _ in found] == [2]
    assert found[0][1].startswith(said)


def test_every_broken_line_is_named_in_order() -> None:
    broken = {**GOOD, "pages": [0], "body": 3}
    assert [line for line, _ in check(broken, GOOD, b"x\n")] == [1, 1, 2, 3]


def test_an_empty_file_is_a_set_without_chunks() -> None:
    assert check() == []


def test_the_command_says_so(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(json.dumps(GOOD) + "\n")
    assert run(["validate", str(path)]) == 0
    path.write_text(json.dumps(GOOD) + "\nx\n")
    assert run(["validate", str(tmp_path)]) == 4
    shown = capsys.readouterr().out
    assert f"{path}: 1 chunks, all well" in shown
    assert f"{path}:2: no JSON" in shown
    assert f"{path}: 2 chunks, 1 lines broken" in shown
    path.unlink()
    for missing in (tmp_path / "none", tmp_path):
        assert run(["validate", str(missing)]) == 2
