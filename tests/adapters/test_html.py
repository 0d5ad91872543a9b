"""Web pages and Markdown to PDF."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pymupdf
import pytest
from fakes_normalize import page_texts
from PIL import Image

from drac.adapters import weasyprint_html
from drac.adapters.weasyprint_html import HtmlConverter, health
from drac.errors import ConverterUnavailable


def _convert(folder: Path, text: str | bytes, name: str = "a.html") -> list[str]:
    source = folder / name
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    HtmlConverter().convert(source, folder / "a.pdf", suffix=source.suffix)
    return page_texts(folder / "a.pdf")


def test_scripts_do_not_run_and_hidden_text_is_hidden(tmp_path: Path) -> None:
    page = "<p>shown<p style='display:none'>hidden<script>document.write('scripted')</script>"
    assert _convert(tmp_path, page) == ["shown"]


def test_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-16", "cp1252"):
        assert _convert(tmp_path, "<p>Größe – 5 €".encode(encoding)) == ["Größe – 5 €"], encoding


def test_markdown_tables_and_headings(tmp_path: Path) -> None:
    (page,) = _convert(tmp_path, "# Head\n\n|a|b|\n|-|-|\n|one|two|\n\n- item\n", "a.md")
    assert sorted(page.split()) == sorted(["Head", "a", "b", "one", "two", "•", "item"])
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert document.get_toc() == [[1, "Head", 1]]


def _rules(folder: Path, text: str, name: str = "a.html") -> int:
    """Shapes drawn on the page; borders are all there is to draw."""
    _convert(folder, text, name)
    with pymupdf.open(folder / "a.pdf") as document:
        return len(document[0].get_drawings())


def test_tables_of_data_get_rules_where_they_have_none(tmp_path: Path) -> None:
    table = "<table><tr><th>a<th>b<tr><td>border<td>2</table>"
    full = _rules(tmp_path, table)
    assert full > 0
    assert _rules(tmp_path, "|a|b|\n|-|-|\n|1|2|\n", "a.md") == full
    assert (
        _rules(tmp_path, f"<style>* {{ border: 0 }} body {{ box-sizing: border-box }}</style>{table}") == full
    )
    assert _rules(tmp_path, f"<style>tr {{ border-bottom: 1px solid }}</style>{table}") >= full
    assert _rules(tmp_path, table.replace("<table", "<table role=presentation")) == 0
    assert _rules(tmp_path, table.replace("<table", "<table border=0").replace("<th", "<td")) == 0


def test_rules_of_the_page_stay_as_they_are(tmp_path: Path) -> None:
    html = "<style>td { border: 3px solid red }</style><table><tr><td>a<td>b<tr><td>1<td>2</table>"
    _convert(tmp_path, html)
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert {one["fill"] or one["color"] for one in document[0].get_drawings()} == {(1.0, 0.0, 0.0)}
    assert _rules(tmp_path, "<table border=1><tr><td>a<td>b<tr><td>1<td>2</table>") > 0


def test_wide_tables_get_a_wider_sheet(tmp_path: Path) -> None:
    cells = "".join(f"<td>unbreakable-cell-{at:02}</td>".replace("-", "\u2011") for at in range(20))
    (page,) = _convert(tmp_path, f"<table><tr>{cells}</table>")
    assert page.split() == [f"unbreakable\u2011cell\u2011{at:02}" for at in range(20)]
    with pymupdf.open(tmp_path / "a.pdf") as document:
        sheet = document[0].rect
        assert sheet.width > 842
        assert all(word[2] <= sheet.x1 for word in document[0].get_text("words"))


def test_long_lines_of_code_wrap(tmp_path: Path) -> None:
    (page,) = _convert(tmp_path, f"<pre>{'x' * 400}</pre>")
    assert page.replace("\n", "") == "x" * 400
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert document[0].rect.width < 600


def test_f09_only_files_beside_the_document_are_read(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.css"
    (inside / "sub").mkdir(parents=True)
    Image.new("RGB", (8, 8), "red").save(inside / "sub" / "a b.png")
    (inside / "beside.css").write_text("p:after { content: ' beside' }")
    outside.write_text("p:after { content: ' CANARY' }")
    (inside / "link.css").symlink_to(outside)
    links = ("beside.css", "../outside.css", outside.as_uri(), "link.css", "..%2Foutside.css", "/etc/passwd")
    styles = "".join(f"<link rel=stylesheet href='{link}'>" for link in links)
    texts = _convert(inside, f"{styles}<p>text</p><img src='sub/a%20b.png'><a href='sub/'>there</a>")
    assert texts == ["text beside\nthere"]
    with pymupdf.open(inside / "a.pdf") as document:
        assert len(document[0].get_images()) == 1
    pdf = (inside / "a.pdf").read_bytes()
    assert b"CANARY" not in pdf and str(tmp_path).encode() not in pdf


def test_f09_nothing_is_fetched(tmp_path: Path) -> None:
    arrived = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        page = (
            f"<base href='{address}/'><link rel=stylesheet href='{address}/a.css'>"
            f"<script src='{address}/a.js'></script>"
            f"<style>@import url({address}/b.css); p {{ background: url({address}/c.png) }}</style>"
            f"<p>text<img src='{address}/d.png'><iframe src='{address}/e'></iframe>"
            f"<object data='{address}/f'></object>"
        )
        assert _convert(tmp_path, page)[0].startswith("text")
        try:
            server.accept()[0].close()
            arrived.set()
        except TimeoutError:
            pass
    assert not arrived.is_set()


def test_data_urls_are_shown(tmp_path: Path) -> None:
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
    _convert(tmp_path, f"<img src='data:image/png;base64,{dot}'>")
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert len(document[0].get_images()) == 1


def test_same_bytes_at_another_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FontTools stamps the fonts that it cuts, unless it is told the time."""
    _convert(tmp_path, "<title>T</title><p>text")
    first = (tmp_path / "a.pdf").read_bytes()
    monkeypatch.setattr("fontTools.misc.timeTools.time.time", lambda: 2_000_000_000.0)
    _convert(tmp_path, "<title>T</title><p>text")
    assert (tmp_path / "a.pdf").read_bytes() == first


def test_missing_libraries_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weasyprint_html, "_library", lambda names: None)
    with pytest.raises(ConverterUnavailable, match="Pango"):
        _convert(tmp_path, "<p>x")
    assert (health().state, "libpango" in health().remedy) == ("missing", True)


def test_a_missing_font_cutter_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weasyprint_html, "_library", lambda names: None)
    monkeypatch.setattr(weasyprint_html, "_pango_version", lambda: "15012")
    assert (health().state, "libharfbuzz-subset0" in health().remedy) == ("warning", True)


def test_real_pages(rag_multi_corpus: Path, tmp_path: Path) -> None:
    source = sorted(rag_multi_corpus.glob("datasets/*/html/*.html"))[0]
    HtmlConverter().convert(source, tmp_path / "a.pdf", suffix=".html")
    assert "toolkit" in " ".join(page_texts(tmp_path / "a.pdf")).lower()
