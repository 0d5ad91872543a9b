"""Outlook's message files ([MS-OXMSG]) as a `Mail`, by extract-msg."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from drac.adapters import tnef
from drac.adapters.mail import Mail, MailPart, html_of_text, shows_something, split_related
from drac.adapters.mail_rtf import rtf_page, was_html
from drac.adapters.mime_text import header_text
from drac.errors import CorruptDocument, EncryptedDocument
from drac.stages.normalize.markup import html_text

_HTML, _PLAIN, _TRANSPORT = "__substg1.0_10130102", "__substg1.0_1000", "__substg1.0_007D"
"""Streams of the HTML body, the plain body, and the headers as they came."""
_DISPLAYED = {"To": "__substg1.0_0E04", "Cc": "__substg1.0_0E03", "Bcc": "__substg1.0_0E02"}
"""Streams of the names of those who got it."""
_SEALED = ("ipm.note.smime", "ipm.note.secure")


def read_msg(path: Path) -> Mail:
    """The mail in a .msg file; raises CorruptDocument or EncryptedDocument."""
    import extract_msg

    logging.getLogger("extract_msg").setLevel(logging.CRITICAL + 1)
    try:
        with extract_msg.openMsg(path, strict=False, errorBehavior=_tolerant()) as message:
            return _mail(path, message)
    except EncryptedDocument:
        raise
    except Exception as error:  # damaged files make it raise anything
        raise CorruptDocument(
            f"{path}: an Outlook message that cannot be read ({type(error).__name__}: {error})"
        ) from error


def _tolerant() -> Any:
    from extract_msg.enums import ErrorBehavior

    return ErrorBehavior.SUPPRESS_ALL


def _mail(path: Path, message: Any) -> Mail:
    body = [page for page in _body(message) if shows_something(page)]
    parts = [one for attachment in message.attachments for one in _parts(attachment)]
    if not body and str(message.classType or "").lower() in _SEALED:
        raise EncryptedDocument(
            f"{path}: encrypted for its receiver (S/MIME)",
            remedy="Open it in Outlook, save it decrypted, then run again.",
        )
    related, attachments = split_related(body, parts)
    return Mail(
        tuple(_headers(message)), _text(message, "subject"), tuple(body), tuple(related), tuple(attachments)
    )


def _text(message: Any, name: str) -> str:
    return str(getattr(message, name, None) or "").replace("\x00", "").strip()


def _headers(message: Any) -> Iterator[tuple[str, str]]:
    pairs = [(label, _receivers(message, label)) for label in _DISPLAYED]
    yield from ((name, text) for name, text in [("From", _text(message, "sender")), *pairs] if text)
    if date := _date(message):
        yield "Date", date


def _receivers(message: Any, label: str) -> str:
    """With their addresses where the file lists them, else the names alone."""
    return _text(message, label.lower()) or str(message.getStringStream(_DISPLAYED[label]) or "").strip(
        "\x00 "
    )


def _date(message: Any) -> str:
    """As the headers that it came with say it, else the time sent, in UTC."""
    written = message.header.get("Date") if message.sExists(_TRANSPORT) else None
    if written:
        return header_text(str(written))
    sent = getattr(message, "date", None)
    return format_datetime(sent.astimezone(UTC)) if isinstance(sent, datetime) else ""


def _body(message: Any) -> Iterator[str]:
    """The best body of those stored: HTML, HTML within RTF, plain text, RTF."""
    rtf = getattr(message, "rtfBody", None)
    plain = message.getStringStream(_PLAIN)
    if message.exists(_HTML):
        yield html_text(message.getStream(_HTML))
    elif rtf and was_html(rtf):
        yield rtf_page(rtf)
    elif plain and plain.strip():
        yield html_of_text(plain.replace("\x00", ""))
    elif rtf:
        yield rtf_page(rtf)


def _parts(attachment: Any) -> list[MailPart]:
    """An attachment; a message within as a file of its own; what is broken as an empty one, to be named."""
    import extract_msg

    name = str(attachment.longFilename or attachment.shortFilename or attachment.name or "").strip("\x00 ")
    data = attachment.data
    if isinstance(data, extract_msg.MSGFile):
        return [_inner(data, name)]
    data = bytes(data) if isinstance(data, bytes | bytearray) else b""
    if name.lower() == "winmail.dat" and (envelope := tnef.opened(data)):
        return list(envelope.parts)
    media_type = str(attachment.mimetype or "").strip("\x00 ").lower()
    return [MailPart(name, media_type, data, str(attachment.cid or "").strip("<> \x00"))]


def _inner(message: Any, name: str) -> MailPart:
    named = name or _text(message, "subject") or "message"
    named = named if named.lower().endswith(".msg") else f"{named}.msg"
    return MailPart(named, "application/vnd.ms-outlook", bytes(message.exportBytes()))
