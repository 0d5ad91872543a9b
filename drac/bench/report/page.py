"""The parts of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from drac.bench.report import figures
from drac.bench.report.effects import Effect, effects
from drac.bench.report.pareto import front
from drac.bench.report.shown import WORDS, Configuration, Experiment, measure, overall
from drac.evaluate import facts
from drac.evaluate.judging import K
from drac.records import Query

EXCERPT = 400
"""Characters of a retrieved chunk that the report shows."""


def drawn(experiment: Experiment) -> dict[str, str]:
    """The figures as SVG, by file name without suffix; those without anything to show are left out."""
    name = measure(experiment)
    found = effects(experiment.configurations, name, experiment.samples, experiment.seed)
    all_means = [(one, overall(one)) for one in experiment.configurations]
    points = {
        "pareto-words": [(one.name, m[WORDS], m[name]) for one, m in all_means if WORDS in m and name in m],
        "pareto-dollars": [(one.name, one.usd, m[name]) for one, m in all_means if name in m],
    }
    costs = any(one.usd for one in experiment.configurations)
    made = {"effects": figures.intervals(found, name)} if found else {}
    if points["pareto-words"]:
        made["pareto-words"] = figures.scatter(points["pareto-words"], "words handed to the reader", name)
    if costs and points["pareto-dollars"]:
        made["pareto-dollars"] = figures.scatter(points["pareto-dollars"], "US dollars", name)
    made["sizes"] = figures.ranges(_sizes(experiment.configurations))
    return made


def _sizes(configurations: Sequence[Configuration]) -> list[tuple[str, Sequence[int]]]:
    """Once for each parser and chunker: retrievers change no chunk."""
    found: dict[str, Sequence[int]] = {}
    for one in configurations:
        name = " / ".join(one.axes[axis] for axis in ("parser", "chunker") if axis in one.axes)
        found.setdefault(name or one.name, one.sizes)
    return list(found.items())


def html(experiment: Experiment, svg: Mapping[str, str]) -> str:
    """The whole page with the figures of `drawn`; same input, same text."""
    here = files("drac.bench.report")
    style = files("drac.evaluate.report").joinpath("style.css").read_text(encoding="utf-8")
    title = f"{experiment.name}: {len(experiment.configurations)} configurations on {experiment.corpus}"
    name = measure(experiment)
    titles = {
        "effects": "What each choice changes",
        "pareto-words": f"{name} against words handed to the reader",
        "pareto-dollars": f"{name} against dollars",
        "sizes": "Sizes of chunks",
    }
    parts = [f"<h1>{escape(title)}</h1>", *(f'<p class="note">{escape(one)}</p>' for one in experiment.notes)]
    parts += ["<h2>All configurations</h2>", _table(experiment, name)]
    parts += [
        f"<h2>{escape(titles[key])}</h2>{_said(key, experiment, name)}{figure}" for key, figure in svg.items()
    ]
    parts += [
        "<h2>Every query</h2>",
        _browser(experiment),
        f"<script>{here.joinpath('browse.js').read_text('utf-8')}</script>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _table(experiment: Experiment, name: str) -> str:
    """Best values in bold; on the front of words: marked."""
    rows = [(one, overall(one)) for one in experiment.configurations]
    measures = [key for key in dict.fromkeys(key for _, m in rows for key in m) if key != "queries"]
    extra = list(dict.fromkeys(key for one, _ in rows for key in one.columns))
    stages = list(dict.fromkeys(key for one, _ in rows for key in one.seconds))
    best = {key: max(m.get(key, 0.0) for _, m in rows) for key in measures if not key.startswith("words")}
    kept = set(front([(m.get(WORDS, 0.0), m.get(name, 0.0)) for _, m in rows]))
    head = ["configuration", *measures, *extra, *(f"{one} s" for one in stages), "USD"]
    lines = ["".join(f"<th>{escape(one)}</th>" for one in head)]
    for number, (one, m) in enumerate(rows):
        cells = [f"<td>{escape(one.name)}{' ◆' if number in kept else ''}</td>"]
        cells += [_cell(key, m.get(key), best.get(key)) for key in measures]
        cells += [f"<td>{escape(one.columns.get(key, '–'))}</td>" for key in extra]
        cells += [
            f"<td>{one.seconds[key]:.1f}</td>" if key in one.seconds else "<td>–</td>" for key in stages
        ]
        lines.append("".join([*cells, f"<td>{one.usd:.4f}</td>"]))
    table = "".join(f"<tr>{one}</tr>" for one in lines)
    said = f"◆ no other has as much {name} for as few words. Seconds of reused stages: when they were made."
    return f'<div class="scroll"><table>{table}</table></div><p class="note">{escape(said)}</p>'


def _cell(key: str, value: float | None, best: float | None) -> str:
    if value is None:
        return "<td>–</td>"
    text = f"{value:.0f}" if key.startswith("words") else f"{value:.4f}"
    return f'<td class="best">{text}</td>' if value == best else f"<td>{text}</td>"


def _said(key: str, experiment: Experiment, name: str) -> str:
    if key != "effects":
        return ""
    found = effects(experiment.configurations, name, experiment.samples, experiment.seed)
    note = (
        "Each choice beside its axis's first, over the pairs of configurations that differ in this alone; "
        "95 % bootstrap interval over queries, p of the paired randomisation test."
    )
    return f'<p class="note">{escape(note)}</p>{_effects(found, name)}'


def _effects(found: Sequence[Effect], name: str) -> str:
    head = ("axis", "choice", "against", "pairs", f"difference in {name}", "95 % interval", "p")
    lines = ["".join(f"<th>{escape(one)}</th>" for one in head)]
    for one in found:
        d = one.difference
        values = (f"{d.mean:+.4f}", f"{d.low:+.4f} to {d.high:+.4f}", f"{d.p:.4f}")
        cells = (one.axis, one.choice, one.base, str(one.pairs), *values)
        lines.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    return f'<div class="scroll"><table>{"".join(f"<tr>{one}</tr>" for one in lines)}</table></div>'


def _browser(experiment: Experiment) -> str:
    """The queries' data for browse.js; `<` cannot end the script element."""
    data = json.dumps(_data(experiment), ensure_ascii=False, separators=(",", ":"))
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" id="data">{safe}</script><div id="browse"></div>'


def _data(experiment: Experiment) -> dict[str, Any]:
    queries, shown = experiment.queries.items(), _Chunks(experiment)
    rows = [_retrieved(one, experiment, shown) for one in experiment.configurations]
    return {
        "measure": measure(experiment),
        "configurations": [one.name for one in experiment.configurations],
        "queries": [_query(key, one) for key, one in queries],
        "chunks": shown.texts,
        "rows": rows,
    }


def _query(query_id: str, one: Query) -> dict[str, Any]:
    told = [fact.text for fact in one.facts]
    return {"id": query_id, "text": one.text, "collection": one.collection, "kind": one.kind, "facts": told}


def _retrieved(one: Configuration, experiment: Experiment, shown: _Chunks) -> dict[str, Any]:
    """By query: value of the measure, [chunk number, 1 where it holds a fact] of the first hits, pages."""
    name, found = measure(experiment), {}
    for row in one.rows:
        hits = [shown.hit(one.name, chunk_id, row.query_id) for chunk_id in row.hits[:K]]
        found[row.query_id] = [row.measures.get(name), hits, list(one.pages.get(row.query_id, ()))]
    return found


class _Chunks:
    """Texts of retrieved chunks, each once."""

    def __init__(self, experiment: Experiment) -> None:
        self._chunk = experiment.chunk
        self._wanted = {
            key: [facts.content_words(fact.text) for fact in one.facts]
            for key, one in experiment.queries.items()
        }
        self._numbers: dict[tuple[str, str], int] = {}
        self._words: list[frozenset[str]] = []
        self.texts: list[tuple[str, str]] = []

    def hit(self, configuration: str, chunk_id: str, query_id: str) -> list[int]:
        where, text = self._chunk(configuration, chunk_id)
        if (where, text) not in self._numbers:
            self._numbers[where, text] = len(self.texts)
            self.texts.append((where, text if len(text) <= EXCERPT else text[:EXCERPT] + " …"))
            self._words.append(facts.content_words(text))
        number = self._numbers[where, text]
        return [number, int(any(facts.holds(self._words[number], one) for one in self._wanted[query_id]))]
