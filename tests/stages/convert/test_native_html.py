"""Web pages as they stand to retrieval-aware Markdown."""

from __future__ import annotations

import pytest

from drac.adapters.html_tree import shown_tree
from drac.records import Page, PageState, PageText
from drac.stages import structure
from drac.stages.convert.native.html import write_html


def read(html: str) -> str:
    (page,) = write_html(shown_tree(html))
    return page.markdown


def pages(html: str) -> list[str]:
    return [page.markdown for page in write_html(shown_tree(html))]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A <em>b</em></h1><h3>c #</h3>", "# A b\n\n### c \\#"),
        ("<div role=heading aria-level=4>x</div>", "#### x"),
        ("before<p>one\n  two</p>after<div>three</div>", "before\n\none two\n\nafter\n\nthree"),
        ("<p>a<br>b<br><br>c</p>", "a b\n\nc"),
        ("<p>1. not a list</p><p># no heading</p>", "1\\. not a list\n\n\\# no heading"),
        ("<p>see <a href='http://x.y/z'>this</a>, H<sub>2</sub>O, <q>so</q></p>", "see this, H2O, “so”"),
        ("<p>a&nbsp;b&shy;c&#8203;d</p>", "a bcd"),
        ("<blockquote><p>said</p></blockquote><hr><address>here</address>", "said\n\nhere"),
        ("<figure><img alt=no><figcaption>Figure 1</figcaption></figure>", "Figure 1"),
        ("<details><summary>More</summary><p>inside</p></details>", "More\n\ninside"),
        ("<h2><img alt='Acme'></h2><p>x<img alt='no'></p>", "## Acme\n\nx"),
        ("<p>前<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>", "前漢(かん)"),
        ("<svg><title>no</title><text>drawn</text></svg>", "drawn"),
        ("<title>no</title><script>no()</script><style>p{}</style><template>no</template><p>x", "x"),
        ("<nav style='display:flex'><a>Home</a><a>News</a></nav>", "Home\n\nNews"),
        ("<p>a<span style='display:block'>b</span>c</p>", "a\n\nb\n\nc"),
    ],
)
def test_blocks(html: str, expected: str) -> None:
    assert read(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol start=3><li>a<li value=7>b</ol>", "3. a\n7. b"),
        ("<ol reversed start=2><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol type=a><li>x<li>y</ol><ol type=I start=4><li>z</ol>", "- a. x\n- b. y\n\n- IV. z"),
        ("<ol><li>a<ul><li>b</ul>more</ol>", "1. a\n   - b\n- more"),
        ("<ul><li><p>one</p><p>two</p><li># three</ul>", "- one two\n- \\# three"),
        ("<ul><li>a<pre>x = 1</pre><li>b</ul>", "- a\n\n```\nx = 1\n```\n\n- b"),
        ("<ol><li><h3>First</h3><p>text</p></ol>", "### 1. First\n\n- text"),
        (
            "<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>",
            "- [x] done\n- [ ] open",
        ),
        ("<dl><dt>A<dt>B:<dd>one<dd>two<dt>C</dl>", "- A; B: one\n- A; B: two\n- C"),
    ],
)
def test_lists(html: str, expected: str) -> None:
    assert read(html) == expected


def test_code_is_kept_as_it_is() -> None:
    html = "<pre><code>\n  a &lt; b  # c\n\n```\n<b>d</b><br>e</code></pre>"
    assert read(html) == "````\n  a < b  # c\n\n```\nd\ne\n````"


def test_a_row_is_a_sentence_with_its_headers_and_the_grid_is_beside_it() -> None:
    html = (
        "<table><caption>Fares</caption><thead><tr><th rowspan=2>Route<th colspan=2>Adult"
        "<tr><th>single<th>return<tbody><tr><td>1<td>2.40<td>4.00<tr><td>2<td colspan=2>free</table>"
    )
    (page,) = write_html(shown_tree(html))
    assert page.markdown.split("\n\n") == [
        "Fares",
        "Route: 1; Adult single: 2.40; Adult return: 4.00.",
        "Route: 2; Adult single return: free.",
    ]
    (table,) = page.tables
    assert (table.rows, table.columns, table.header_rows, table.caption) == (4, 3, 2, "Fares")
    assert [page.markdown[start:end][:8] for _, start, end in table.sentences] == ["Route: 1", "Route: 2"]
    assert [region.kind for region in page.regions] == ["caption", "row", "row"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><td rowspan=2>A<td>x<td>1<tr><td>y<td>2", ["A; x; 1.", "A; y; 2."]),
        ("<tr><th>Name<td>Duck<tr><th>Order<td>Birds", ["Name: Duck.", "Order: Birds."]),
        ("<tr><th colspan=2>Duck<tr><th>Name<td>x", ["Duck", "Name: x."]),
        ("<tr><th>a<th>b<tr><td>1<td><table><tr><th>c<tr><td>2</table>", ["a: 1; b: c: 2."]),
        ("<tr><th>a<th>b<tr><td>1<td><ul><li>x<li>y</ul>", ["a: 1; b: x y."]),
        ("<tr><th>a<th><th>b<tr><td>1<td>&nbsp;<td>2", ["a: 1; b: 2."]),
        ("<tr><th>a<th>b<tr><td>1<td><img alt=Logo>", ["a: 1; b: Logo."]),
        ("<tfoot><tr><td>s<td>3</tfoot><thead><tr><th>a<th>b</thead><tr><td>x<td>3",
         ["a: x; b: 3.", "a: s; b: 3."]),
        ("<tr><td>Year<td>Sales<td>Cost<tr><td>2020<td>4<td>3<tr><td>2021<td>5<td>4",
         ["Year: 2020; Sales: 4; Cost: 3.", "Year: 2021; Sales: 5; Cost: 4."]),
        ("<tr><th>a<th>b<tr><td colspan=x>1<td rowspan=0>2<tr><td>3", ["a: 1; b: 2.", "a: 3; b: 2."]),
    ],
)  # fmt: skip
def test_tables(html: str, expected: list[str]) -> None:
    assert read(f"<table>{html}</table>").split("\n\n") == expected


@pytest.mark.parametrize(
    "html",
    [
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td>a<tr><td>b</table>",
        "<table><tr><td><h1>T</h1><td>a</table>b",
        "<table><tr><td><table><tr><td>a</table><td><table><tr><td>b</table></table>",
    ],
)
def test_tables_that_only_place_things_are_blocks(html: str) -> None:
    (page,) = write_html(shown_tree(html))
    assert not page.tables
    assert page.markdown.split("\n\n")[-2:] in (["a", "b"], ["# T", "a"])


def test_f35_a_spanned_value_is_in_every_row() -> None:
    html = "<table><tr><th>Stage<th>Cluster<tr><td>Staging<td rowspan=2>A<tr><td>Test</table>"
    assert read(html) == "Stage: Staging; Cluster: A.\n\nStage: Test; Cluster: A."


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>no",
        "<p style='display: none'>no",
        "<p style='display: none !important; display: block'>no",
        "<style>.x {display:none}</style><p class=x>no",
        "<style>@media screen {.x {display:none}}</style><p class=x>no",
        "<style>@media (max-width: 2000px) {.x {display:none}}</style><p class=x>no",
        "<style media=screen>.x {display:none}</style><div class=x>no<p>no</div>",
        "<p style='visibility:hidden'>no<b>no</b></p>",
        "<input type=hidden value=no><dialog>no</dialog>",
    ],
)
def test_hidden_text_is_out_and_what_follows_it_stays(html: str) -> None:
    assert read(f"<div>a{html}</p></div>b").split() == ["a", "b"]


@pytest.mark.parametrize(
    "html",
    [
        "<style>.x {display:none} #i {display:block}</style><p class=x id=i>yes",
        "<style>@media print {.x {display:none}}</style><p class=x>yes",
        "<style>@media (max-width: 600px) {.x {display:none}}</style><p class=x>yes",
        "<p aria-hidden=true>yes",
        "<p style='visibility:hidden'><b style='visibility:visible'>yes</b></p>",
        "<style>.x::before {display:none} :nonsense( {display:none}</style><p class=x>yes",
    ],
)
def test_what_the_screen_shows_is_in(html: str) -> None:
    assert read(html) == "yes"


def test_values_of_forms_are_text() -> None:
    html = (
        "<form>Name<input value=Ann><select><option>a<option selected>b</select>"
        "<textarea>long</textarea><input type=submit><input type=password value=secret>"
        "<input placeholder='Your mail'></form>"
    )
    assert read(html).split() == ["Name", "Ann", "b", "long", "Submit", "Your", "mail"]


def test_page_breaks_of_the_style_end_pages() -> None:
    html = "<style>.b {break-after: page}</style><p class=b>a</p><p>b</p>"
    assert pages(f"{html}<h1 style='page-break-before:always'>c</h1>") == ["a", "b", "# c"]
    assert pages("<div style='page-break-before: always'>only</div>") == ["only"]
    assert pages("<p>x</p><style>@media print {p {page-break-after: always}}</style>") == ["x"]
    assert pages("<body><!-- Page 1 --><p>a</p><!-- Page 3 --><p>b</p>") == ["a", "", "b"]


def test_every_row_is_an_element_of_its_kind() -> None:
    (page,) = write_html(shown_tree("<h1>T</h1><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x</pre>"))
    text = PageText(
        Page("d", 1), PageState.OK, page.markdown, "native",
        regions=tuple(page.regions), tables=tuple(page.tables),
    )  # fmt: skip
    from drac.config import StructureSettings

    made = structure.run([text], StructureSettings())
    assert [element.id for element in made.elements] == ["h1", "r1", "c1"]
