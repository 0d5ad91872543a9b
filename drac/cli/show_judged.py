"""What `drac evaluate` prints: tables for people, or the summary as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drac.cli.judging import Judged
from drac.cli.show import spent
from drac.evaluate.specification import Checked
from drac.pipeline.reranking import PART

_COLUMNS = (
    ("recall@6", "recall@6"), ("recall@3", "recall@3"), ("precision@6", "prec@6"), ("mrr@6", "mrr@6"),
    ("ndcg@6", "ndcg@6"), ("ceiling", "ceiling"), ("words@6", "words@6"), ("recall@300w", "r@300w"),
    ("recall@600w", "r@600w"), ("recall@1200w", "r@1200w"),
)  # fmt: skip
_TESTED = ("recall@6", "mrr@6", "recall@600w")


def evaluation(judged: Judged, as_json: bool) -> None:
    """The comparison: a line a system, by type of question and collection, and what is significant."""
    record = judged.evaluation.record
    if as_json:
        _json(record)
        return
    for one in record["sets"]:
        _line(_placement(one))
    for name, model in record["models"].items():
        _line(f"{name}: {model}")
    _line()
    systems = record["systems"]
    _table({name: one["overall"] for name, one in systems.items()}, _columns(systems))
    for part, title in (("by_collection", "collection"), ("by_kind", "type of question")):
        _parts(systems, part, title)
    for one in record["comparisons"]:
        _comparison(one)
    spent(judged.spending)
    _line(f"\nwritten to: {judged.folder}")


def dry_run(estimates: Sequence[Mapping[str, Any]], as_json: bool) -> int:
    """What rerankers would cost."""
    if as_json:
        _json({"rerankers": list(estimates)})
        return 0
    for one in estimates:
        cost = "no price known" if one["usd"] is None else f"${one['usd']:.2f} ({_source(one)})"
        _line(
            f"{one['reranker']}: {one['questions']:,} questions with {one['texts_a_question']} texts each, "
            f"{one['searches']:,} searches: {cost}"
        )
        _line(f"  texts of more than {PART} tokens, the question's counted, are billed as several")
    if not estimates:
        _line("no reranker that costs")
    return 0


def _source(one: Mapping[str, Any]) -> str:
    said = ", ".join(filter(None, (one["price_source"], one["price_date"])))
    return said if one["verified"] else f"{said}, unverified"


def _json(record: Any) -> None:
    json.dump(record, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def _placement(one: Mapping[str, Any]) -> str:
    said = (
        f"{one['name']}: {one['chunks']} chunks ({one['format']}), {one['placed']} in the corpus's documents"
    )
    said += f", {one['by_text']} of them found by text" if one["by_text"] else ""
    pages = f"{one['with_pages']} came with pages, {one['aligned']} aligned by text"
    without = one["chunks"] - one["with_pages"] - one["aligned"]
    pages += f", {one['beyond']} named pages past the document's last" if one["beyond"] else ""
    pages += f", {without} without a page, which no page measure counts" if without else ""
    strangers = ", ".join(name or "(no name)" for name in one["unplaced"][:5])
    return f"{said}; {pages}" + (f"; not in the corpus: {strangers}" if strangers else "")


def _columns(systems: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Those of _COLUMNS, and of pages, that any system has."""
    there = dict.fromkeys(name for one in systems.values() for name in one["overall"])
    pages = [(name, name.removeprefix("page_") + "p") for name in there if name.startswith("page_")]
    return [(name, title) for name, title in (*_COLUMNS, *pages) if name in there]


def _table(rows: Mapping[str, Mapping[str, float]], columns: Sequence[tuple[str, str]]) -> None:
    width = max(map(len, rows))
    _line(" ".join([" " * width, f"{'queries':>8}", *(f"{title:>8}" for _, title in columns)]))
    for name, row in rows.items():
        values = [_value(key, row.get(key)) for key, _ in columns]
        _line(" ".join([f"{name:<{width}}", f"{int(row['queries']):>8}", *values]))


def _value(name: str, value: float | None) -> str:
    if value is None:
        return f"{'-':>8}"
    return f"{value:>8.0f}" if name.startswith("words") else f"{value:>8.4f}"


def _parts(systems: Mapping[str, Any], part: str, title: str) -> None:
    """The first measure, a column a system."""
    names = dict.fromkeys(name for one in systems.values() for name in one[part])
    measure = next((name for name, _ in _columns(systems) if not name.startswith("words")), None)
    if measure is None or len(names) < 2:
        return
    _line(f"\n{measure} by {title}")
    wide = max(map(len, names))
    for name in names:
        values = [
            f"{label} {one[part].get(name, {}).get(measure, 0.0):.4f}" for label, one in systems.items()
        ]
        _line(f"{name:<{wide}}  {'  '.join(values)}")


def _comparison(one: Mapping[str, Any]) -> None:
    _line(f"\n{one['other']} against {one['base']}")
    for name, found in one["measures"].items():
        if name in _TESTED or name.startswith("page_recall"):
            between = f"[{found['low']:+.4f}, {found['high']:+.4f}], p = {found['p']:.4f}"
            counts = f"better in {found['wins']}, worse in {found['losses']}, equal in {found['ties']}"
            _line(f"  {name}: {found['mean']:+.4f} {between}; {counts}")


def validation(checked: Sequence[tuple[Path, Checked]], as_json: bool) -> int:
    """Every problem, then a count a file; exit code 4 where there is a problem."""
    if as_json:
        record = [{"file": str(path), **asdict(one)} for path, one in checked]
        json.dump(record, sys.stdout, indent=1, ensure_ascii=False)
        _line()
    for path, one in () if as_json else checked:
        for problem in one.problems:
            _line(f"{path}:{problem.line}: {problem.what}. {problem.remedy}")
        broken = len({problem.line for problem in one.problems})
        state = f"{broken} lines broken" if broken else "all well"
        _line(f"{path}: {one.chunks} chunks, {state}")
    return 4 if any(one.problems for _, one in checked) else 0


def _line(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
