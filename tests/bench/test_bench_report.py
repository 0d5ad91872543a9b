"""The report of an experiment."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.bench.report import Configuration, Experiment, write
from drac.bench.report.effects import effects
from drac.bench.report.pareto import front
from drac.evaluate.summary import QueryRow
from drac.records import Fact, Query

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028&amp;"


def configuration(parser: str, chunker: str, recalls: tuple[float, ...], usd: float = 0.0) -> Configuration:
    name = f"{parser} / {chunker}"
    rows = [
        QueryRow(name, f"q{n}", "c", "k", {"recall@6": value, "words@6": 100.0 * (n + 1)}, (f"{chunker}{n}",))
        for n, value in enumerate(recalls)
    ]
    axes = {"parser": parser, "chunker": chunker}
    pages = {f"q{n}": ["a.pdf p. 1"] for n in range(len(recalls))}
    return Configuration(name, axes, rows, pages, [10, 20, 30], {"chunk": 1.5}, usd, {"coverage": "0.99"})


def experiment(*configurations: Configuration, text: str = "about penguins") -> Experiment:
    queries = {
        f"q{n}": Query(f"q{n}", f"Where {text}?", "c", "k", (Fact("d", "penguins swim well"),))
        for n in range(3)
    }

    def chunk(_: str, name: str) -> tuple[str, str]:
        return f"{name}.pdf p. 1", f"{text}: penguins swim well"

    return Experiment("e", "corpus", configurations, queries, chunk, samples=200)


def test_effect_of_an_axis_is_over_pairs_that_differ_in_it_alone() -> None:
    four = [
        configuration("x", "page", (0.0, 0.0, 0.0)), configuration("x", "drac", (0.5, 0.5, 0.5)),
        configuration("y", "page", (0.2, 0.2, 0.2)), configuration("y", "drac", (0.9, 0.9, 0.9)),
        configuration("z", "neural", (1.0, 1.0, 1.0)),
    ]  # fmt: skip
    found = {(one.axis, one.choice): one for one in effects(four, "recall@6", 200, 0)}
    assert set(found) == {("parser", "y"), ("chunker", "drac")}
    assert found["chunker", "drac"].pairs == 2
    assert found["chunker", "drac"].difference.mean == pytest.approx((0.5 + 0.7) / 2)
    assert found["parser", "y"].difference.mean == pytest.approx((0.2 + 0.4) / 2)


def test_queries_that_cannot_be_judged_are_left_out_of_effects() -> None:
    one, two = configuration("x", "page", (0.0, 0.0)), configuration("x", "drac", (1.0, 0.5))
    rows = [replace(two.rows[0], measures={"recall@6": None}), two.rows[1]]
    (effect,) = effects([one, replace(two, rows=rows)], "recall@6", 200, 0)
    assert effect.difference.mean == 0.5


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), max_size=12))
def test_front_is_what_nothing_beats(points: list[tuple[float, float]]) -> None:
    beaten = {
        (cost, quality)
        for cost, quality in points
        if any(c <= cost and q >= quality and (c, q) != (cost, quality) for c, q in points)
    }
    assert {points[n] for n in front(points)} == set(points) - beaten


def test_report_is_whole_and_escaped(tmp_path: Path) -> None:
    evil = replace(configuration(EVIL, "page", (0.0, 0.5, 1.0)), columns={EVIL: EVIL})
    shown = replace(experiment(evil, configuration("y", "page", (1.0, 1.0, 1.0)), text=EVIL), notes=(EVIL,))
    write(shown, tmp_path, svg=True)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in "".join(one.read_text("utf-8") for one in (tmp_path / "figures").iterdir())
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)[0])
    assert data["queries"][0]["text"] == f"Where {EVIL}?"
    assert data["rows"][0]["q1"] == [0.5, [[1, 1]], ["a.pdf p. 1"]]
    assert data["chunks"][1] == ["page1.pdf p. 1", f"{EVIL}: penguins swim well"]


def test_figures_of_an_experiment(tmp_path: Path) -> None:
    write(experiment(configuration("x", "page", (0.0, 0.5, 1.0))), tmp_path, svg=True)
    assert {one.name for one in (tmp_path / "figures").iterdir()} == {"pareto-words.svg", "sizes.svg"}
    paid = experiment(
        configuration("x", "page", (0.0, 0.5, 1.0)), configuration("x", "agentic", (1.0, 1.0, 1.0), 0.25)
    )
    write(paid, tmp_path, svg=True)
    names = {one.name for one in (tmp_path / "figures").iterdir()}
    assert names == {"pareto-words.svg", "pareto-dollars.svg", "sizes.svg", "effects.svg"}
    first = (tmp_path / "report.html").read_bytes()
    write(paid, tmp_path)
    assert (tmp_path / "report.html").read_bytes() == first
