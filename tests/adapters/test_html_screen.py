"""A printed web page holds what its reader sees on the screen, scrolled to the end."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from fakes_normalize import page_texts

from drac.adapters import weasyprint_html
from drac.adapters.weasyprint_html import HtmlConverter
from drac.adapters.weasyprint_screen import unclipped, words_lost


def _words(folder: Path, html: str, **beside: str) -> list[str]:
    """Words that lie on the pages, in the order of the text layer."""
    for name, text in beside.items():
        (folder / name.replace("_", ".")).write_text(text)
    (folder / "a.html").write_text(html)
    HtmlConverter().convert(folder / "a.html", folder / "a.pdf", suffix=".html")
    return " ".join(page_texts(folder / "a.pdf")).split()


_LINES = "<p>one<p>two<p>three<p>four</div><p>after"
_SHOWN = ["one", "two", "three", "four", "after"]


@pytest.mark.parametrize(
    "style",
    [
        "height: 20px; overflow: hidden",
        "max-height: 20px; overflow-y: scroll",
        "height: 30px; overflow: auto; white-space: nowrap",
        "-webkit-line-clamp: 1; overflow: hidden; display: block",
        "columns: 3",
    ],
)
def test_clipped_text_is_whole_and_in_order(tmp_path: Path, style: str) -> None:
    assert _words(tmp_path, f"<div style='{style}'>{_LINES}") == _SHOWN
    assert _words(tmp_path, f"<style>.c {{ {style} }}</style><div class=c>{_LINES}") == _SHOWN
    page = f"<link rel=stylesheet href=s.css><div class=c>{_LINES}"
    assert _words(tmp_path, page, s_css=f".c {{ {style} }}") == _SHOWN
    with pymupdf.open(tmp_path / "a.pdf") as document:
        tops = [word[1] for word in document[0].get_text("words")]
        assert tops == sorted(tops) and len(set(tops)) == len(tops)


def test_boxes_that_clip_nothing_keep_their_size() -> None:
    css = "a{height:1px} .b{line-height:2;height:3px;overflow:hidden;min-height:1px} img{max-height:9px}"
    grown = css.replace("height:3px", "min-height:3px")
    assert unclipped(css) == grown
    assert unclipped("height:3px;overflow:hidden") == "min-height:3px;overflow:hidden"
    assert unclipped("height:3px") == "height:3px"


def test_banners_stand_once_and_cover_nothing(tmp_path: Path) -> None:
    style = "<style>.b { position: fixed; top: 0; height: 300px } .s { position: sticky }</style>"
    body = "<div class=b>banner</div><p>text<p style='page-break-before: always'>next<p class=s>stuck"
    assert _words(tmp_path, style + body) == ["banner", "text", "next", "stuck"]


def test_styles_are_those_of_the_screen(tmp_path: Path) -> None:
    style = "<style>@media print { .a { display: none } } @media screen { .b { display: none } }</style>"
    assert _words(tmp_path, f"{style}<p class=a>shown<p class=b>hidden") == ["shown"]


def test_letters_set_apart_are_still_words(tmp_path: Path) -> None:
    style = "letter-spacing: 1em; font-variant: small-caps"
    assert _words(tmp_path, f"<p style='{style}'>Practice Slopes") == ["Practice", "Slopes"]


def test_values_of_forms_are_whole(tmp_path: Path) -> None:
    value = " ".join(f"value{at}" for at in range(20))
    lines = "\n".join(f"line{at}" for at in range(9))
    choice = "<select><option>x<option selected>y</select>"
    words = _words(tmp_path, f"<form><input value='{value}'><textarea>{lines}</textarea>{choice}")
    assert [word for word in words if word[:4] in ("valu", "line")] == [*value.split(), *lines.split()]
    assert "y" in words and "x" not in words


def test_details_are_open_and_scripts_do_not_run(tmp_path: Path) -> None:
    html = "<details><summary>More</summary><p>inside</details><script>document.write('no')</script>"
    assert _words(tmp_path, html)[-2:] == ["More", "inside"]


def test_borders_and_widths_of_attributes_are_drawn(tmp_path: Path) -> None:
    cells = "<tr><td>a<td>b<tr><td>c<td>d"
    _words(tmp_path, f"<table border=1 width=900>{cells}</table>")
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert document[0].get_drawings()


def test_a_page_that_loses_text_by_its_style_is_printed_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    style = "<style>p::before { content: none } .gone { content: 'x' } .no { display: none }</style>"
    words = [f"word{at}" for at in range(20)]
    page = f"{style}<p class=no>hidden<p class=gone>{' '.join(words)}<p>more"
    assert _words(tmp_path, page) in (["x", "more"], [*words, "more"])
    lost = iter([20, 0])
    monkeypatch.setattr("drac.adapters.weasyprint_screen.words_lost", lambda html, pdf: next(lost))
    printed: list[bool] = []
    real = weasyprint_html._print
    monkeypatch.setattr(
        weasyprint_html,
        "_print",
        lambda page, size, styled: printed.append(styled) or real(page, size, styled),
    )
    assert _words(tmp_path, page) == [*words, "more"]
    assert printed == [True, False]


def test_lost_words_are_counted(tmp_path: Path) -> None:
    _words(tmp_path, "<p>" + " ".join(f"word{at}" for at in range(50)))
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert words_lost("<p>word1 word2 <b hidden>other</b> one two six", pdf) == 0
    assert words_lost("<p>word1 alpha beta gamma delta epsilon", pdf) == 5


def test_a_table_over_many_pages_is_whole(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{at}<td>name {at}<td>{at * 7}" for at in range(200))
    words = _words(tmp_path, f"<table><tr><th>no<th>name<th>sum{rows}</table>")
    assert words.count("name") == 201
    assert words[-4:] == ["199", "name", "199", "1393"]


def test_the_alternative_of_a_missing_picture_stands_only_for_a_heading_or_a_cell(tmp_path: Path) -> None:
    page = "<h1><img src=no.png alt=Title></h1><p>text</p><img src=no.png alt='missing chart'>"
    assert _words(tmp_path, page) == ["Title", "text"]


@pytest.mark.parametrize("tag", ["div", "b"])
def test_a_page_nested_too_deeply_to_be_drawn_is_printed_flat(tmp_path: Path, tag: str) -> None:
    page = f"<{tag}>" * 900 + "INNERMOST" + f"</{tag}>" * 900 + "<p hidden>unseen</p><p>after"
    assert _words(tmp_path, page) == ["INNERMOST", "after"]
