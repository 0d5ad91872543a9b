"""Internet mail as its reader has it: charsets, alternatives, inline parts, mails within, damaged ones."""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mails import HEAD, attachment, mail, nested, one_part, text, winmail

from drac.adapters.mail import Mail
from drac.adapters.mime_mail import mail_of, message_of, read_mail
from drac.adapters.mime_text import charset_text, header_text
from drac.errors import CorruptDocument, EncryptedDocument

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def read(data: bytes) -> Mail:
    return mail_of(message_of(data))


def words(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def names(found: Mail) -> list[str]:
    return [one.name for one in found.attachments]


def test_headers_as_written() -> None:
    found = read(
        one_part(b"x", more="Cc: c@example.org\r\nReply-To: Anna <anna@example.org>\r\nX-Else: no\r\n")
    )
    assert found.headers == (
        ("From", "Anna <anna@example.org>"), ("To", "bo@example.org"), ("Cc", "c@example.org"),
        ("Date", "Mon, 1 Jan 2024 10:00:00 +0100"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("=?utf-8?Q?Gr=C3=B6=C3=9Fe_5?=", "Größe 5"),
        ("=?iso-8859-1?q?caf=E9?= =?iso-8859-1?q?s?=", "cafés"),
        ("=?utf-8?B?w6Q=?= and =?UTF-8?b?w7Y?=", "ä and ö"),
        ("=?utf-8?B?4pg=?=\r\n =?utf-8?B?gw==?=", "☃"),
        ("=?no-such-charset?q?plain?=", "plain"),
        ("=?utf-8*en?q?tagged?=", "tagged"),
        ("=?utf-8?q?not closed", "=?utf-8?q?not closed"),
        ("folded\r\n\tline", "folded line"),
        ("Gr\udcc3\udcb6\udcc3\udc9fe", "Größe"),
        ("Gr\udcf6\udcdfe f\udcfcr alle", "Größe für alle"),
    ],
)
def test_header_text(raw: str, expected: str) -> None:
    assert header_text(raw) == expected


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("Größe", "utf-8"), ("Größe", "iso-8859-1"), ("Größe – 5 €", "windows-1252"),
        ("日本語", "iso-2022-jp"), ("日本語です", "shift_jis"), ("Größe", "utf-16"), ("привет", "koi8-r"),
    ],
)  # fmt: skip
def test_declared_charsets(data: str, charset: str) -> None:
    assert charset_text(data.encode(charset), charset) == data


def test_wrong_charsets() -> None:
    utf8 = "Größe – 5 €".encode()
    assert {charset_text(utf8, one) for one in ("us-ascii", "iso-8859-1", "nonsense", "", None)} == {
        "Größe – 5 €"
    }
    assert charset_text("Größe für alle".encode("cp1252"), "utf-8") == "Größe für alle"


def test_a_file_saved_as_utf_16() -> None:
    found = read(b"\xff\xfe" + one_part("Größe".encode()).decode().encode("utf-16-le"))
    assert (words(found.body[0]), found.subject) == ("Größe", "Hello")


def test_html_is_preferred_and_plain_text_kept_where_it_says_nothing() -> None:
    plain, page = text("plain"), text("<p>rich", "html")
    assert words(read(mail(plain, page, kind="alternative")).body[0]) == "rich"
    assert words(read(mail(page, plain, kind="alternative")).body[0]) == "rich"
    empty = text("<html><head><title>x</title></head><body><!-- y --> &nbsp;</body>", "html")
    assert words(read(mail(plain, empty, kind="alternative")).body[0]) == "plain"


def test_pictures_that_the_body_shows_are_no_attachments() -> None:
    shown = attachment("a.png", PIXEL, "image/png", "Content-ID: <one@x>\r\n")
    located = attachment("b.png", PIXEL, "image/png", "Content-Location: http://x/b.png\r\n")
    other = attachment("c.png", PIXEL, "image/png", "Content-ID: <three@x>\r\n")
    page = text("<img src='cid:one%40x'><div style='background: url(http://x/b.png)'>", "html")
    found = read(
        mail(nested(text("plain"), nested(page, shown, located, other, kind="related"), kind="alternative"))
    )
    assert names(found) == ["c.png"]
    assert [one.name for one in found.related] == ["a.png", "b.png"]


def test_texts_between_attachments_are_body_and_named_ones_are_attached() -> None:
    named = "Content-Type: text/plain; name=notes.txt\r\nContent-Disposition: inline\r\n\r\nnote"
    found = read(mail(text("one"), attachment("a.pdf", b"%PDF"), text("two"), named))
    assert [words(page) for page in found.body] == ["one", "two"]
    assert names(found) == ["a.pdf", "notes.txt"]


def test_an_attached_mail_keeps_its_bytes() -> None:
    inner = one_part(b"From here on\r\n.", subject="=?utf-8?q?In=C3=A4?=")
    found = read(mail(text("x"), b"Content-Type: message/rfc822\r\n\r\n" + inner))
    (part,) = found.attachments
    assert part.name == "Inä.eml"
    assert words(read(part.data).body[0]) == "From here on ."


def test_a_report_of_failed_delivery_shows_what_it_says() -> None:
    status = (
        "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: a@b.c\r\n"
    )
    found = read(mail(text("could not be delivered"), status, kind="report"))
    assert "Final-Recipient: a@b.c" in found.body[1]


def test_flowed_text_is_joined() -> None:
    body = b"one \r\ntwo\r\n> quoted \r\n> on\r\n-- \r\nname"
    assert (
        words(read(one_part(body, "text/plain; format=flowed")).body[0]) == "one two &gt; quoted on -- name"
    )


def test_names_in_every_way_that_programs_write_them() -> None:
    extended = (
        "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*0*=utf-8''%C3%A4;\r\n"
        " filename*1=b.pdf\r\n\r\nx"
    )
    parts = [attachment("=?utf-8?b?w7YucGRm?=", b"x"), extended, attachment("ü.pdf", b"x")]
    latin = attachment("naïve café.pdf", b"x").decode().encode("latin-1")
    assert names(read(mail(*parts, latin))) == ["ö.pdf", "äb.pdf", "ü.pdf", "naïve café.pdf"]


def test_what_is_in_a_winmail_dat() -> None:
    data = winmail(("a.txt", b"first"), ("b.pdf", b"second"), body="Dear all")
    found = read(mail(text("own text"), attachment("winmail.dat", data, "application/ms-tnef")))
    assert [(one.name, one.data) for one in found.attachments] == [("a.txt", b"first"), ("b.pdf", b"second")]
    assert [words(page) for page in found.body] == ["own text"]
    alone = read(one_part(data, "application/ms-tnef"))
    assert [words(page) for page in alone.body] == ["Dear all"]
    for size in range(len(data)):
        read(mail(text("x"), attachment("winmail.dat", data[:size])))
    assert names(read(mail(text("x"), attachment("winmail.dat", data[:-3])))) == ["winmail.dat"]


@pytest.mark.parametrize(
    "kind", ["multipart/encrypted; boundary=x", "application/pkcs7-mime; smime-type=enveloped-data"]
)
def test_encrypted_mail_is_named(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(one_part(b"--x--", kind))
    with pytest.raises(EncryptedDocument, match=r"a\.eml: encrypted for its receiver"):
        read_mail(tmp_path / "a.eml")


def test_endless_nesting_is_named(tmp_path: Path) -> None:
    parts = "".join(f"Content-Type: multipart/mixed; boundary=B{n}\r\n\r\n--B{n}\r\n" for n in range(3000))
    (tmp_path / "a.eml").write_bytes((HEAD + parts + "\r\nx").encode())
    with pytest.raises(CorruptDocument, match="nested too deeply"):
        read_mail(tmp_path / "a.eml")


def test_headers_of_megabytes() -> None:
    many = ", ".join(f"u{n}@example.org" for n in range(100_000))
    found = read(
        one_part(b"x", subject="=?" * 200_000, more=f"Cc: {many}\r\nX-Long: {'=?utf-8?q?' * 100_000}\r\n")
    )
    assert dict(found.headers)["Cc"] == many


_PIECES = st.sampled_from(
    [
        *(
            b"Content-Type: ",
            b"multipart/alternative",
            b"; boundary=x",
            b"\r\n",
            b"\r\n\r\n",
            b"--x",
            b"--x--",
        ),
        *(
            b"text/html",
            b"; charset=",
            b"utf-8",
            b"\xff\xfe",
            b"message/rfc822",
            b"=?utf-8?b?",
            b"?=",
            b"\x00",
        ),
        *(b"Content-Disposition: ", b"attachment; filename*=", b"''%", b"Content-Transfer-Encoding: base64"),
        *(b"uuencode", b"=E9", b"<p>x", b"application/ms-tnef"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=30))
def test_any_mail_can_be_read(pieces: list[bytes]) -> None:
    with contextlib.suppress(EncryptedDocument):
        read(HEAD.encode() + b"".join(pieces))


ENCODED = base64.encodebytes(b"All that was said of ferries. " * 20)


@pytest.mark.parametrize("lost", [1, 2, 3, 4, 61])
def test_a_mail_cut_in_a_base64_attachment_is_decoded_as_far_as_it_goes(lost: int) -> None:
    part = attachment("a.txt", ENCODED.rstrip(b"=\n")[:-lost], more="Content-Transfer-Encoding: base64\r\n")
    whole = mail(text("See attached."), part)
    found = read(whole[: whole.rindex(b"\r\n--")])
    (attached,) = found.attachments
    whole_text = b"All that was said of ferries. " * 20
    assert whole_text.startswith(attached.data)
    assert len(attached.data) > len(whole_text) - lost - 3
    assert found.remarks == ("attachment 'a.txt' is cut: the mail lacks its end",)


def test_a_cut_attachment_between_others_is_told() -> None:
    cut = attachment("a.txt", ENCODED.rstrip(b"=\n")[:402], more="Content-Transfer-Encoding: base64\r\n")
    found = read(mail(text("See attached."), cut, attachment("b.txt", b"whole")))
    assert found.attachments[0].data.startswith(b"All that was said")
    assert found.remarks == ("attachment 'a.txt' is cut: the mail lacks its end",)


def test_cut_quoted_printable_loses_only_its_half_letter() -> None:
    part = attachment("a.txt", b"Gr=C3=B6=C", more="Content-Transfer-Encoding: quoted-printable\r\n")
    found = read(mail(text("See attached."), part))
    assert found.attachments[0].data == "Grö".encode()
    assert found.remarks


def test_cut_uuencode_is_decoded_as_far_as_it_goes() -> None:
    lines = [binascii.b2a_uu(b"All that was said of ferries, 45 bytes long. "[:45]) for _ in range(3)]
    body = b"begin 644 a.txt\n" + b"".join(lines)[:-10]
    part = attachment("a.txt", body, more="Content-Transfer-Encoding: x-uuencode\r\n")
    found = read(mail(text("See attached."), part))
    assert found.attachments[0].data == b"All that was said of ferries, 45 bytes long. "[:45] * 2
    assert found.remarks == ("attachment 'a.txt' is cut: the mail lacks its end",)


def test_a_whole_mail_has_no_remarks() -> None:
    part = attachment("a.txt", ENCODED, more="Content-Transfer-Encoding: base64\r\n")
    assert read(mail(text("See attached."), part)).remarks == ()


def test_words_of_a_plain_text_that_its_html_lacks_are_told() -> None:
    plain = text("The ferry leaves at nine o'clock.\r\nTickets must be bought on the day before.\r\n")
    page = text("<p>The <b>ferry</b> leaves at nine o'clock.</p>", "html")
    found = read(mail(plain, page, kind="alternative"))
    assert found.remarks == (
        "its plain text, which is not shown, also says: Tickets must be bought on the day before",
    )
    same = text(
        "<p>The ferry leaves at nine o'clock.</p><p>Tickets must be bought on the day before.", "html"
    )
    assert read(mail(plain, same, kind="alternative")).remarks == ()


@pytest.mark.parametrize(
    ("part", "lists", "told"),
    [
        (
            attachment("old.p7m", b"0", "application/pkcs7-mime"),
            ["old.p7m", "plan.pdf"],
            "attachment 'old.p7m' is encrypted for its receiver (S/MIME)",
        ),
        (
            nested(attachment("a.asc", b"x"), kind="encrypted"),
            ["plan.pdf"],
            "a part of it is encrypted for its receiver (PGP)",
        ),
    ],
)
def test_an_encrypted_part_leaves_the_others_readable(part: bytes, lists: list[str], told: str) -> None:
    found = read(mail(text("Here is what I got"), part, attachment("plan.pdf", b"%PDF-1.7")))
    assert [words(page) for page in found.body] == ["Here is what I got"]
    assert names(found) == lists
    assert told in found.remarks
    with pytest.raises(EncryptedDocument):
        read(mail(part))
