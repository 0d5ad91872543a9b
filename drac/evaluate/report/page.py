"""The parts of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from drac.evaluate import facts, summary
from drac.evaluate.judging import BUDGETS, CURVE, K
from drac.evaluate.report import charts
from drac.evaluate.summary import QueryRow
from drac.records import Query

_COLUMNS = (
    *(f"recall@{K}", "recall@3", f"precision@{K}", "precision@3", f"mrr@{K}", f"ndcg@{K}", "ndcg@3"),
    *(f"ndcg_paper@{K}", "ndcg_paper@3", "ceiling", f"words@{K}"),
    *(f"recall@{budget}w" for budget in BUDGETS),
)
SHOWN = 20
"""Wins, and losses, that are shown with their chunks; all are listed."""
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a report shows."""

    record: Record
    """What summary.json says."""
    rows: Mapping[str, Sequence[QueryRow]]
    """By system."""
    queries: Mapping[str, Query]
    """By query_id."""
    text: Callable[[str, str], tuple[str, str]]
    """(where it stands, text) of a system's chunk."""


def html(shown: Shown) -> str:
    """The whole page; same input, same text."""
    record = shown.record
    title = f"Chunk sets on {record['corpus']}"
    style = files("drac.evaluate.report").joinpath("style.css").read_text(encoding="utf-8")
    parts = [
        f"<h1>{escape(title)}</h1>", _intro(record), "<h2>All queries</h2>", _systems(record),
        _differences(record), _budget(record), _kinds(record), _collections(record), _placements(record),
        *(_changes(shown, one) for one in record["comparisons"]),
    ]  # fmt: skip
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _intro(record: Record) -> str:
    said = (
        f"{record['queries']} queries, {record['queries_with_facts']} with supporting facts, "
        f"{record['queries_with_pages']} with judged pages. Retrievers: {', '.join(record['retrievers'])}. "
        f"Model: {record['model'] or 'none'}; long texts: {record['settings']['long_texts']}. "
        f"Ties: {record['ties']}. NDCG: {record['ndcg']}."
    )
    return f'<p class="note">{escape(said)}</p>'


def _columns(record: Record) -> list[str]:
    there = dict.fromkeys(name for one in record["systems"].values() for name in one["overall"])
    return [*(name for name in _COLUMNS if name in there), *(n for n in there if n.startswith("page_"))]


def _systems(record: Record) -> str:
    columns, systems = _columns(record), record["systems"]
    best = {
        name: max(one["overall"].get(name, 0.0) for one in systems.values())
        for name in columns
        if not name.startswith("words")
    }
    body = [
        [name, *(_cell(column, one["overall"].get(column), best.get(column)) for column in columns)]
        for name, one in systems.items()
    ]
    return _table(["set", *columns], body)


def _cell(column: str, value: float | None, best: float | None) -> str | tuple[str, str]:
    if value is None:
        return "–"
    text = f"{value:.0f}" if column.startswith("words") else f"{value:.4f}"
    return (text, "best") if value == best else text


def _table(head: Sequence[str], body: Sequence[Sequence[str | tuple[str, str]]]) -> str:
    """A cell is its text, or (text, class)."""
    rows = ["".join(f"<th>{escape(one)}</th>" for one in head)]
    for row in body:
        cells = [(one, "") if isinstance(one, str) else one for one in row]
        rows.append("".join(f'<td class="{kind}">{escape(text)}</td>' for text, kind in cells))
    return f'<div class="scroll"><table>{"".join(f"<tr>{row}</tr>" for row in rows)}</table></div>'


def _differences(record: Record) -> str:
    parts = []
    for one in record["comparisons"]:
        body = [
            [
                name, f"{found['mean']:+.4f}", f"{found['low']:+.4f} to {found['high']:+.4f}",
                f"{found['p']:.4f}", str(found["wins"]), str(found["losses"]), str(found["ties"]),
            ]
            for name, found in one["measures"].items()
        ]  # fmt: skip
        head = ["measure", "difference", "95 % interval (bootstrap)", "p (randomisation)"]
        parts.append(f"<h3>{escape(one['other'])} against {escape(one['base'])}</h3>")
        parts.append(_table([*head, "better", "worse", "equal"], body))
    return "\n".join(parts)


def _budget(record: Record) -> str:
    series = {
        name: [recall for _, recall in one["budget_curve"]]
        for name, one in record["systems"].items()
        if one["budget_curve"]
    }
    if not series:
        return ""
    chart = charts.lines(CURVE, series, "")
    title = "Recall by words handed to the reader"
    return f"<h2>{title}</h2>{charts.legend(list(series))}{chart}"


def _kinds(record: Record) -> str:
    return _parts(record, "by_kind", "type of question")


def _collections(record: Record) -> str:
    return _parts(record, "by_collection", "collection")


def _parts(record: Record, part: str, title: str) -> str:
    """A chart of the first measure and a table of all."""
    systems, columns = record["systems"], _columns(record)
    names = list(dict.fromkeys(name for one in systems.values() for name in one[part]))
    measure = next((name for name in columns if not name.startswith("words")), None)
    if not names or measure is None:
        return ""
    series = {label: [one[part].get(n, {}).get(measure) for n in names] for label, one in systems.items()}
    body = [
        _part_row(f"{name}, {label}", one[part][name], columns)
        for name in names
        for label, one in systems.items()
        if name in one[part]
    ]
    chart = charts.legend(list(series)) + charts.bars(names, series)
    table = _table([title, "queries", *columns], body)
    heading = f"<h2>{escape(measure)} by {escape(title)}</h2>"
    return f"{heading}{chart}<details><summary>all measures</summary>{table}</details>"


def _part_row(name: str, row: Mapping[str, float], columns: Sequence[str]) -> list[str | tuple[str, str]]:
    return [name, str(row["queries"]), *(_cell(column, row.get(column), None) for column in columns)]


def _placements(record: Record) -> str:
    counts = ("chunks", "placed", "by_text", "with_pages", "aligned", "beyond")
    body = [
        [one["name"], one["format"], *(str(one[name]) for name in counts), ", ".join(one["unplaced"])]
        for one in record["sets"]
    ]
    head = ["set", "format", "chunks", "in the corpus", "found by text", "came with pages", "aligned"]
    return "<h2>The sets</h2>" + _table([*head, "past the last page", "not in the corpus"], body)


def _changes(shown: Shown, comparison: Record) -> str:
    """Which queries the other system wins and loses, with the chunks side by side."""
    base, other = comparison["base"], comparison["other"]
    measure = next(iter(comparison["measures"]), None)
    if measure is None:
        return ""
    second = {row.query_id: row for row in shown.rows[other]}
    changed = summary.changes(shown.rows[base], second, measure)
    wins, losses = [one for one in changed if one[0] > 0], [one for one in changed[::-1] if one[0] < 0]
    parts = [f"<h2>{escape(other)} against {escape(base)}, query by query</h2>"]
    for title, some in (("better", wins), ("worse", losses)):
        parts.append(f"<h3>{title} in {len(some)} ({escape(measure)})</h3>")
        parts += [_change(shown, base, other, one, number < SHOWN) for number, one in enumerate(some)]
    return "\n".join(parts)


def _change(shown: Shown, base: str, other: str, change: tuple[float, QueryRow, QueryRow], full: bool) -> str:
    difference, first, second = change
    query = shown.queries[first.query_id]
    head = f"{difference:+.2f} {query.query_id}: {query.text}"
    if not full:
        return f"<p>{escape(head)}</p>"
    wanted = "".join(f"<li>{escape(one.text)}</li>" for one in query.facts)
    sides = "".join(_side(shown, system, row, query) for system, row in ((base, first), (other, second)))
    return (
        f"<details><summary>{escape(head)}</summary><ul>{wanted}</ul>"
        f'<div class="sides">{sides}</div></details>'
    )


def _side(shown: Shown, system: str, row: QueryRow, query: Query) -> str:
    wanted = [facts.content_words(one.text) for one in query.facts]
    parts = []
    for rank, chunk_id in enumerate(row.hits, start=1):
        where, text = shown.text(system, chunk_id)
        words = facts.content_words(text)
        kind = "chunk holds" if any(facts.holds(words, one) for one in wanted) else "chunk"
        parts.append(f'<div class="{kind}"><b>{rank}. {escape(where)}</b>{escape(text)}</div>')
    return f"<div><h4>{escape(system)}</h4>{''.join(parts)}</div>"
