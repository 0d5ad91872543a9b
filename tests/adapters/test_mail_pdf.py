"""Mail and web archives as pages: what is drawn, and that nothing is fetched."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from fakes_network import Listener
from fakes_normalize import page_texts
from mails import HEAD, attachment, mail, nested, one_part, text
from PIL import Image

from drac.adapters.mail_pdf import MailConverter, mail_page
from drac.adapters.mime_mail import mail_of, message_of
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.remarks import remarks_file, take_remarks
from drac.config import ConvertSettings
from drac.errors import CorruptDocument, EmptyDocument
from drac.records import Page
from drac.stages.normalize import detect


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(out, "PNG")
    return out.getvalue()


def convert(place: Path, data: bytes, name: str = "a.eml") -> Path:
    source = place / name
    source.write_bytes(data)
    target = place / "out.pdf"
    MailConverter().convert(source, target, suffix=detect(source).suffix)
    return target


def colours(pdf: Path) -> set[tuple[int, int, int]]:
    with pymupdf.open(pdf) as document:
        shown = document[0].get_pixmap(dpi=72)
    return set(Image.frombytes("RGB", (shown.width, shown.height), shown.samples).getdata())


def test_the_page_of_a_mail(tmp_path: Path) -> None:
    data = mail(
        text("Dear Bo,\r\n\r\n  two lines\r\n  indented"), attachment("a.pdf", b"x"), subject="On <ferries>"
    )
    (page,) = page_texts(convert(tmp_path, data))
    assert page.splitlines() == [
        "On <ferries>", "From: Anna <anna@example.org>", "To: bo@example.org",
        "Date: Mon, 1 Jan 2024 10:00:00 +0100", "Attachments: a.pdf", "Dear Bo,", "  two lines", "  indented",
    ]  # fmt: skip


def test_pictures_of_the_body_are_drawn(tmp_path: Path) -> None:
    page = text("<p>x<img src='cid:a@b'><img src='CID:c%40d'>", "html")
    red = attachment("a.png", picture("red"), "image/png", "Content-ID: <a@b>\r\n")
    blue = attachment("b.png", picture("blue"), "image/png", "Content-ID: <c@d>\r\n")
    assert {(255, 0, 0), (0, 0, 255)} <= colours(convert(tmp_path, mail(page, red, blue, kind="related")))


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def test_f09_nothing_is_fetched_from_network_or_disk(tmp_path: Path, listener: Listener) -> None:
    (tmp_path / "secret.png").write_bytes(picture("red"))
    address = f"{listener.url}/a.png"
    tricks = "".join(
        f"<img src='{one}'>"
        for one in (address, "secret.png", (tmp_path / "secret.png").as_uri(), "cid:none")
    )
    links = f"<base href='{address}'><link rel=stylesheet href='{address}'><iframe src='{address}'></iframe>"
    page = f"{links}{tricks}x"
    assert colours(convert(tmp_path, one_part(page.encode(), "text/html"))).isdisjoint({(255, 0, 0)})
    assert listener.requests == []


def test_a_long_header_is_cut_and_says_so() -> None:
    many = ", ".join(f"u{n}@example.org" for n in range(1000))
    page = mail_page(mail_of(message_of(one_part(b"x", more=f"Cc: {many}\r\n"))))
    assert f"[{len(many) - 10_000:,} more characters]" in page


def test_an_empty_mail_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument, match=r"a\.eml"):
        convert(tmp_path, b"Mime-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n")


ARCHIVE = (
    'From: <Saved by Blink>\r\nSnapshot-Content-Location: http://x.example/d/p.html\r\nMIME-Version: 1.0\r\n'
    'Content-Type: multipart/related; type="text/html"; boundary="related-x"\r\n\r\n'
)  # fmt: skip


def web_archive() -> bytes:
    page = (
        "Content-Type: text/html\r\nContent-Location: http://x.example/d/p.html\r\n\r\n"
        "<link rel=stylesheet href=../s.css><link rel=stylesheet href='cid:css-1@mhtml.blink'>"
        "<p class=hidden>unseen</p><p>Shown.</p><img src='img/a.png'><img src='http://x.example/b.png#x'>"
    )
    style = (
        "Content-Type: text/css\r\nContent-Location: http://x.example/s.css\r\n\r\n.hidden { display: none }"
    )
    inline = (
        "Content-Type: text/css\r\nContent-ID: <css-1@mhtml.blink>\r\n\r\nbody { background: url(c.png) }"
    )
    red = b"Content-Type: image/png\r\nContent-Location: http://x.example/d/img/a.png\r\n\r\n" + picture(
        "red"
    )
    blue = b"Content-Type: image/png\r\nContent-Location: http://x.example/b.png\r\n\r\n" + picture("blue")
    body = nested(page, style, inline, red, blue, kind="related").split(b"\r\n\r\n", 1)[1]
    return ARCHIVE.encode() + body


@pytest.mark.parametrize("name", ["a.mhtml", "a.mht", "a.doc", "a.eml"])
def test_a_web_archive_has_its_own_styles_and_pictures(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(web_archive())
    assert detect(tmp_path / name).name == "mhtml"
    pdf = convert(tmp_path, web_archive(), name)
    assert page_texts(pdf) == ["Shown."]
    assert {(255, 0, 0), (0, 0, 255)} <= colours(pdf)


def test_a_web_archive_without_a_page_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorruptDocument, match="without a page"):
        picture_alone = b"--related-x\r\nContent-Type: image/png\r\n\r\nx\r\n--related-x--"
        convert(tmp_path, ARCHIVE.encode() + picture_alone, "a.mht")


def test_a_mail_is_told_by_its_content(tmp_path: Path) -> None:
    kinds = {}
    for name in ("a.eml", "a", "a.dat", "a.txt", "a.pdf"):
        (tmp_path / name).write_bytes(one_part(b"x"))
        kinds[name] = detect(tmp_path / name).name
    assert kinds == {"a.eml": "eml", "a": "eml", "a.dat": "eml", "a.txt": "txt", "a.pdf": "eml"}
    (tmp_path / "b.eml").write_bytes(b"Dear all, this is no mail: it says nothing.\r\n")
    with pytest.raises(CorruptDocument, match="not the eml"):
        detect(tmp_path / "b.eml")


def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    data = mail(text("x"), attachment("a.pdf", b"x"), head=HEAD)
    assert convert(tmp_path, data).read_bytes() == convert(tmp_path, data).read_bytes()


def test_what_is_to_be_known_of_a_mail_is_kept_for_its_record(tmp_path: Path) -> None:
    whole = mail(text("See attached."), attachment("a.txt", b"words and more words"))
    pdf = convert(tmp_path, whole[: whole.index(b"more")])
    assert take_remarks(pdf) == (("attachment 'a.txt' is cut: the mail lacks its end",), ())
    assert not remarks_file(pdf).exists()


def test_each_header_line_is_a_paragraph(tmp_path: Path) -> None:
    pdf = convert(tmp_path, mail(text("Dear Bo,"), attachment("a.pdf", b"x"), subject="Ferries"))
    (page,) = LocalReader(ConvertSettings()).read(pdf, [Page("", 1)])
    assert page.markdown.split("\n\n") == [
        "# Ferries", "From: Anna <anna@example.org>", "To: bo@example.org",
        "Date: Mon, 1 Jan 2024 10:00:00 +0100", "Attachments: a.pdf", "Dear Bo,",
    ]  # fmt: skip
