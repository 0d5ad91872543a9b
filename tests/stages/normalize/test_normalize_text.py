"""Encodings of plain text, web pages and Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.stages.normalize.markup import html_text, markdown_to_html
from drac.stages.normalize.text import decode, encoding_of, looks_like_text

_ENGLISH = "Naïve café – “quoted” costs 5 €, the façade of the hôtel"
_POLISH = "Zażółć gęślą jaźń, proszę pana. Wartość zamówienia wynosi 5 zł"
_RUSSIAN = "Привет, как дела? Отчёт за год готов и отправлен"
_JAPANESE = "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (_ENGLISH, "utf-8"),
        (_ENGLISH, "utf-8-sig"),
        (_ENGLISH, "utf-16"),
        (_ENGLISH, "utf-16-le"),
        (_ENGLISH, "utf-16-be"),
        (_ENGLISH, "cp1252"),
        (_POLISH, "cp1250"),
        (_RUSSIAN, "cp1251"),
        (_JAPANESE, "cp932"),
    ],
)
def test_text_comes_back_in_any_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@given(st.text())
def test_utf8_comes_back_whole(text: str) -> None:
    data = text.encode()
    if encoding_of(data) == "utf-8":
        assert decode(data) == text


def test_a_character_cut_at_the_end_of_a_sample_is_no_other_encoding() -> None:
    assert encoding_of("Größe – €".encode()[:-1], partial=True) == "utf-8"
    assert encoding_of("Größe – €".encode()[:-1]) != "utf-8"


def test_binary_is_no_text() -> None:
    assert looks_like_text(_ENGLISH.encode())
    assert looks_like_text(b"tab\tand\x0cform feed\r\n")
    assert not looks_like_text(bytes(range(32)) * 4)


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ('<meta charset="windows-1252">é', "cp1252"),
        ('<meta charset="iso-8859-1">5 €', "cp1252"),
        ("<meta http-equiv=content-type content='text/html; charset=Shift_JIS'>名前", "cp932"),
        ("<?xml version='1.0' encoding='gb2312'?><p>价格", "gb18030"),
        ("<meta charset=utf-8>é in spite of what is declared", "utf-16"),
        ("<meta charset=utf-16>é read as UTF-8", "utf-8"),
        ("<meta charset=no-such>é", "utf-8"),
    ],
)
def test_web_pages_are_read_as_browsers_do(page: str, encoding: str) -> None:
    assert html_text(page.encode(encoding)) == page


def test_markdown_keeps_tables_html_and_front_matter() -> None:
    page = markdown_to_html("---\ntitle: A\n---\n# Head\n\n|a|b|\n|-|-|\n|1|2|\n\n<b>raw</b> ~~gone~~\n")
    assert "<h1>Head</h1>" in page
    assert page.count("<td>") == 2
    assert "<b>raw</b>" in page and "<s>gone</s>" in page
    assert "<pre><code>title: A\n</code></pre>" in page and "<h2>" not in page


@pytest.mark.parametrize("depth", [30, 150, 250, 3000])
def test_f40_text_in_deep_lists_and_quotes_is_not_dropped(depth: int) -> None:
    nested = "\n".join(f"{'  ' * level}- item{level}" for level in range(min(depth, 300)))
    assert f"item{min(depth, 300) - 1}" in markdown_to_html(nested)
    assert "deep words" in markdown_to_html(f"{'>' * depth} deep words\n")
