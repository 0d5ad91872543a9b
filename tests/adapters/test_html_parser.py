"""Pages that are made to be too deep or too much: their text is kept, in bounded time."""

from __future__ import annotations

import time

import pytest

from drac.adapters.html_parser import MOST_ATTRIBUTES, MOST_DEEP
from drac.adapters.html_tree import shown_tree
from drac.errors import LimitExceeded
from drac.stages.convert.native.html import write_html


def read(html: str) -> str:
    return "\n\f\n".join(page.markdown for page in write_html(shown_tree(html)))


@pytest.mark.parametrize(
    ("before", "after"),
    [("<div>", "</div>"), ("<b>", "</b>"), ("<ul><li>", "</li></ul>"), ("<dl><dd>", "</dd></dl>")],
)
def test_what_is_nested_too_deeply_is_flat(before: str, after: str) -> None:
    inner = f"{before}a <i>word</i> tail " * 3_000 + "<p>INNERMOST</p>" + f"{after} end " * 3_000 + "<p>AFTER"
    words = read(inner).replace("-", " ").split()
    assert words.count("word") == words.count("tail") == words.count("end") == 3_000
    assert words.index("INNERMOST") < words.index("end") < words.index("AFTER")


@pytest.mark.parametrize("depth", [10, MOST_DEEP // 4, 400])
def test_no_cell_of_nested_tables_is_lost(depth: int) -> None:
    cells = "".join(f"<table border=1><tr><td>left{at}<td>right{at}<tr><td>x<td>" for at in range(depth))
    words = set(read(cells + "INNERMOST").replace(":", " ").replace(";", " ").replace(".", " ").split())
    assert {f"{side}{at}" for at in range(depth) for side in ("left", "right")} | {"INNERMOST"} <= words


def test_what_is_hidden_stays_hidden_however_deep() -> None:
    deep = "<div>" * 600
    hidden = (
        "<div style='display:none'>UNSEEN</div><template><p>UNSEEN</p></template><video><i>UNSEEN</i></video>"
    )
    assert read(f"{deep}{hidden}<p>shown") == "shown"


def test_depth_costs_no_more_than_length() -> None:
    began = time.process_time()
    assert read("<div>" * 20_000 + "text") == "text"
    assert time.process_time() - began < 10


def test_too_many_attributes_are_named() -> None:
    some = " ".join(f"a{at}=1" for at in range(MOST_ATTRIBUTES))
    assert read(f"<p {some}>text") == "text"
    with pytest.raises(LimitExceeded, match="<p> of more than 1,000 attributes"):
        read(f"<p {some} one=1 more=1>text")


def test_spans_over_everything_cost_no_more_than_their_text() -> None:
    rows = "<tr><td rowspan=65534 colspan=1000>K</td></tr>" * 200
    began = time.process_time()
    lines = read(f"<table><tr><th>A<th>B</tr>{rows}</table>").split("\n\n")
    assert len(lines) == 200
    assert time.process_time() - began < 5


def test_spans_that_stand_for_too_many_cells_are_named() -> None:
    rows = "<tr><td rowspan=0>K" * 4_000
    with pytest.raises(LimitExceeded, match="places"):
        read(f"<table><tr><th>A<th>B</tr>{rows}</table>")


def test_a_long_table_takes_no_longer_a_row() -> None:
    def seconds(rows: int) -> float:
        body = "".join(f"<tr><td>k{at}<td>v{at}" for at in range(rows))
        root = shown_tree(f"<table><tr><th>K<th>V{body}</table>")
        began = time.process_time()
        write_html(root)
        return time.process_time() - began

    assert seconds(20_000) < 5 + 40 * seconds(1_000)
