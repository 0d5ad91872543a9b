"""Markdown as it stands, and our own exports read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.adapters.html_tree import shown_tree
from drac.adapters.native_reader import NativeConverter, NativeReader, written_pages
from drac.pipeline.exporting import markdown_text
from drac.records import Page, PageState, PageText
from drac.stages.convert.native.markdown import is_marked, write_marked
from drac.stages.convert.text import escape, escape_heading, fenced


def _read(folder: Path, text: str) -> list[str]:
    source, target = folder / "a.md", folder / "document.md"
    source.write_text(text, encoding="utf-8", newline="")
    NativeConverter().convert(source, target, suffix=".md")
    return [page.markdown for page in written_pages(target)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====\n\nOne\ntwo **three** `four` ~~five~~.", "# Title\n\nOne two three four five."),
        ("[here](http://x.y) ![no](a.png) <b>bold</b>", "here bold"),
        ("1. a\n   - b\n2. c", "1. a\n   - b\n2. c"),
        ("```py\nx = 1\n```\n\n    y", "```\nx = 1\n```\n\n```\ny\n```"),
        ("---\ntitle: T\n---\n\ntext", "```\ntitle: T\n```\n\ntext"),
        ("A | B\n--|--\n1 | x \\| y", "A: 1; B: x | y."),
        ("<details>\n<summary>S</summary>\n\ntext\n\n</details>", "S\n\ntext"),
        ("Fact[^1].\n\n[^1]: Source", "Fact[1].\n\n1. Source"),
        ("<table><tr><th>a<th>b</tr>\n\n<tr><td>1<td>2</table>", "a: 1; b: 2."),
        ("- [x] done\n- [ ] open", "- [x] done\n- [ ] open"),
    ],
)  # fmt: skip
def test_markdown(tmp_path: Path, text: str, expected: str) -> None:
    assert _read(tmp_path, text) == [expected]


def test_markers_end_pages_and_number_them(tmp_path: Path) -> None:
    assert _read(tmp_path, "<!-- Page 1 -->\n\na\n\n<!-- Page 2 -->\n\nb\n") == ["a", "b"]
    assert _read(tmp_path, "<!-- Page 2 -->\n\nb\n<!-- page 4 -->\n") == ["", "b", "", ""]
    assert _read(tmp_path, "<!-- Page 7 -->\na\n<!-- Page 3 -->\nb") == ["a", "b"]
    assert _read(tmp_path, "<!-- Page 1 -->\na\n<!-- Page 999999 -->\nb") == ["a", "b"]
    assert not is_marked("a <!-- Page 1 --> b")


def test_text_before_the_first_marker_is_on_its_page(tmp_path: Path) -> None:
    assert _read(tmp_path, "front\n\n<!-- Page 1 -->\n\na\n\n<!-- Page 2 -->\n\nb") == ["front\n\na", "b"]


def test_marked_text_stays_as_it_is_but_for_tables_and_html() -> None:
    table = "| x | y |\n|---|---|\n| 1 | 2 |"
    text = f"*a*  [b](c)\nd_e_f\n\n{table}\n\n- *i*\n\n<div>g <b>h</b></div>\n"
    (page,) = write_marked(f"<!-- Page 1 -->\n\n{text}", shown_tree)
    assert page.markdown == "*a*  [b](c)\nd_e_f\n\nx: 1; y: 2.\n\n- *i*\n\ng h"
    (row,) = [region for region in page.regions if region.kind == "row"]
    assert page.markdown[row.start : row.end] == "x: 1; y: 2."
    assert page.tables[0].sentences == ((1, row.start, row.end),)


def test_f24_a_fence_without_an_end_hides_no_marker() -> None:
    text = "<!-- Page 1 -->\n\n```\ncode\n\n<!-- Page 2 -->\n\n# Next\n"
    assert [page.markdown for page in write_marked(text, shown_tree)] == ["```\ncode", "# Next"]


_CHARACTERS = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))
_LINE = st.text(_CHARACTERS, min_size=1).map(str.strip).filter(bool)
_BLOCK = st.one_of(
    _LINE.map(escape),
    _LINE.map(lambda text: f"## {escape_heading(text)}"),
    st.lists(_LINE, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {escape(one)}" for one in items)),
    st.lists(_LINE, min_size=1, max_size=3).map("\n".join).map(fenced),
)


@given(st.lists(st.lists(_BLOCK, max_size=4).map("\n\n".join), min_size=1, max_size=4))
def test_our_own_export_gives_the_same_pages_and_text(texts: list[str]) -> None:
    pages = [
        PageText(Page("d", n), PageState.OK if text else PageState.BLANK, text, "local")
        for n, text in enumerate(texts, start=1)
    ]
    found = [page.markdown for page in write_marked(markdown_text(pages), shown_tree)]
    assert found == texts


def test_the_reader_names_what_is_not_there(tmp_path: Path) -> None:
    document = tmp_path / "document.md"
    document.write_text("<!-- Page 1 -->\na\n<!-- Page 2 -->\n")
    reader = NativeReader()
    texts = reader.read(document, [Page("d", 2), Page("d", 1), Page("d", 3)])
    assert [text.state for text in texts] == [PageState.BLANK, PageState.OK, PageState.FAILED]
    assert "the document has 2" in texts[2].attempts[0].outcome
    assert reader.read(tmp_path / "gone.md", [Page("e", 1)])[0].state is PageState.FAILED


def test_a_marker_in_a_closed_block_of_code_is_code(tmp_path: Path) -> None:
    text = "<!-- Page 1 -->\n\n```\n<!-- Page 7 -->\n```\n\nafter\n\n<!-- Page 2 -->\n\nsecond\n"
    assert _read(tmp_path, text) == ["```\n<!-- Page 7 -->\n```\n\nafter", "second"]
    assert not is_marked("```\n<!-- Page 7 -->\n```\n")


def test_scripts_and_comments_of_marked_text_are_not_text(tmp_path: Path) -> None:
    text = "<!-- Page 1 -->\n\none\n\n<script>\nhidden()\n</script>\n\n<!-- aside -->\n\ntwo\n"
    assert _read(tmp_path, text) == ["one\n\ntwo"]
