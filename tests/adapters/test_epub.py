"""E-books to PDF: reading order, styles and pictures of the book, nothing from outside."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import pymupdf
import pytest
from fakes_normalize import page_texts, zip_of
from PIL import Image

from drac.adapters.weasyprint_epub import EpubConverter, _depths
from drac.errors import CorruptDocument, EmptyDocument, EncryptedDocument, LimitExceeded
from drac.stages.normalize import detect

_CONTAINER = b"""<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
_OPF = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>
<spine>{refs}</spine></package>"""


def _xhtml(body: str, head: str = "<title/>") -> bytes:
    return (
        f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>{head}</head>"
        f"<body>{body}</body></html>"
    ).encode()


def _book(chapters: Mapping[str, bytes], order: list[str] | None = None, **parts: bytes) -> bytes:
    """An EPUB whose chapters lie in OPS/text; `order` names the spine, `parts` more files by name."""
    items = "".join(
        f'<item id="{name}" href="text/{name.replace(" ", "%20")}.xhtml" media-type="application/xhtml+xml"/>'
        for name in [*chapters, *(order or [])]
    )
    refs = "".join(f'<itemref idref="{name}"/>' for name in order or chapters)
    texts = {f"OPS/text/{name}.xhtml": data for name, data in chapters.items()}
    return zip_of(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "OPS/book.opf": _OPF.format(items=items, refs=refs).encode(),
            **texts,
            **parts,
        }
    )


def _convert(folder: Path, data: bytes) -> list[str]:
    source = folder / "a.epub"
    source.write_bytes(data)
    assert detect(source).converter == "epub"
    EpubConverter().convert(source, folder / "a.pdf", suffix=".epub")
    return page_texts(folder / "a.pdf")


def test_chapters_come_in_the_spines_order_each_on_a_page(tmp_path: Path) -> None:
    chapters = {"z first": _xhtml("<p>one</p>"), "a": _xhtml("<p>two&nbsp;</p><a id='x'/><p>three</p>")}
    assert _convert(tmp_path, _book(chapters)) == ["one", "two\xa0\nthree"]
    assert _convert(tmp_path, _book(chapters, ["a", "z first"]))[1] == "one"


def test_the_books_own_styles_and_pictures_are_used(tmp_path: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(picture, "PNG")
    head = "<link rel='stylesheet' href='../a.css'/>"
    chapters = {"c": _xhtml("<p class='no'>hidden</p><p>shown</p><img src='../i.png'/>", head)}
    parts = {"OPS/a.css": b".no { display: none }", "OPS/i.png": picture.getvalue()}
    assert _convert(tmp_path, _book(chapters, **parts)) == ["shown"]
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert len(document[0].get_images()) == 1


def test_nothing_outside_the_package_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("CANARY")
    places = (
        "../../../secret.txt",
        "../../secret.txt",
        f"file://{tmp_path}/secret.txt",
        "http://127.0.0.1:9/x",
    )
    body = "<p>text</p>" + "".join(f"<object data='{one}'>gone</object>" for one in places)
    body += "".join(f"<img src='{one}'/>" for one in places)
    assert _convert(tmp_path, _book({"c": _xhtml(body)}))[0].startswith("text")
    assert b"CANARY" not in (tmp_path / "a.pdf").read_bytes()


def test_a_chapter_that_is_missing_is_named_and_the_rest_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert _convert(tmp_path, _book({"c": _xhtml("<p>there</p>")}, ["gone", "c"])) == ["there"]
    assert "OPS/text/gone.xhtml" in caplog.text


def test_headings_of_all_chapters_are_bookmarks_by_their_own_levels(tmp_path: Path) -> None:
    chapters = {"a": _xhtml("<h1>Book</h1><h2>One</h2>"), "b": _xhtml("<h2>Two</h2><h3>Part</h3>")}
    _convert(tmp_path, _book(chapters))
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert document.get_toc() == [[1, "Book", 1], [2, "One", 1], [2, "Two", 2], [3, "Part", 2]]
    assert _depths([3, 1, 4, 2, 2, 6]) == [1, 1, 2, 2, 2, 3]


def test_the_same_book_gives_the_same_bytes(tmp_path: Path) -> None:
    book = _book({"a": _xhtml("<h1>A</h1><p>text</p>"), "b": _xhtml("<p>text</p>")})
    _convert(tmp_path, book)
    first = (tmp_path / "a.pdf").read_bytes()
    _convert(tmp_path, book)
    assert (tmp_path / "a.pdf").read_bytes() == first


def _encryption(algorithm: str) -> bytes:
    return (
        "<encryption xmlns='urn:oasis:names:tc:opendocument:xmlns:container'>"
        f"<EncryptedData><EncryptionMethod Algorithm='{algorithm}'/></EncryptedData></encryption>"
    ).encode()


def test_copy_protection_is_named_and_hidden_fonts_are_none(tmp_path: Path) -> None:
    chapter = {"c": _xhtml("<p>text</p>")}
    source = tmp_path / "drm.epub"
    protected = {"META-INF/encryption.xml": _encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    source.write_bytes(_book(chapter, **protected))
    with pytest.raises(EncryptedDocument, match="copy protection") as raised:
        detect(source, password="p")
    assert "--password" not in raised.value.remedy
    fonts = {"META-INF/encryption.xml": _encryption("http://www.idpf.org/2008/embedding")}
    assert _convert(tmp_path, _book(chapter, **fonts)) == ["text"]


def test_bad_books_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmptyDocument, match=r"a\.epub"):
        _convert(tmp_path, _book({}, ["gone"]))
    with pytest.raises(CorruptDocument, match=r"book\.opf"):
        _convert(tmp_path, _book({"c": _xhtml("x")}, **{"OPS/book.opf": b"<package>"}))
    with pytest.raises(CorruptDocument, match="lists its chapters"):
        _convert(tmp_path, zip_of({"mimetype": b"application/epub+zip"}))
    monkeypatch.setattr("drac.adapters.weasyprint_epub.MAX_CHAPTER", 10)
    with pytest.raises(LimitExceeded, match="the limit is 10"):
        _convert(tmp_path, _book({"c": _xhtml("<p>text</p>")}))


def test_a_real_book(corpora: Path, tmp_path: Path) -> None:
    source = corpora / "documents" / "epub" / "eng_spa_mult.epub"
    EpubConverter().convert(source, tmp_path / "a.pdf", suffix=".epub")
    assert "equal in dignity" in " ".join(page_texts(tmp_path / "a.pdf"))
