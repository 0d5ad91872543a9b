"""Internet mail (RFC 5322, MIME) as a `Mail`, by Python's email package; damaged mail as far as it goes."""

from __future__ import annotations

import email
import email.generator
import email.policy
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path

from drac.adapters import tnef
from drac.adapters.mail import (
    Mail,
    MailPart,
    html_of_text,
    lacking_words,
    shows_something,
    split_related,
)
from drac.adapters.mime_content import cut_parts, part_bytes
from drac.adapters.mime_text import charset_text, header_text, html_part_text, unflowed
from drac.errors import CorruptDocument, EncryptedDocument
from drac.stages.normalize.text import encoding_of

SHOWN = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date")
"""Headers that the page shows, in this order; Sender and Reply-To only where they are not From."""
_TEXTS = ("text/plain", "text/html")
_AS_TEXT = ("message/delivery-status", "text/rfc822-headers", "message/disposition-notification")
_OTHERWISE = "Open it in the mail program that has the key, save it decrypted, then run again."
_MOST_NESTED = 200
"""Multipart within multipart at most; mail programs write fewer than ten."""


def read_mail(path: Path) -> Mail:
    """The mail in a file; raises CorruptDocument, or EncryptedDocument where all of it is encrypted."""
    try:
        return mail_of(message_of(path.read_bytes()))
    except RecursionError as error:
        raise CorruptDocument(f"{path}: its parts are nested too deeply") from error
    except EncryptedDocument as error:
        raise EncryptedDocument(f"{path}: {error.message}", remedy=_OTHERWISE) from error


def message_of(data: bytes) -> Message:
    """The parsed message; a file that was saved as UTF-16 is read as such."""
    encoding = encoding_of(data[:4096], partial=True) if b"\x00" in data[:64] else ""
    if encoding.startswith(("utf-16", "utf-32")):
        data = data.decode(encoding, errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    return email.message_from_bytes(data.removeprefix(b">"), policy=email.policy.compat32)


def mail_of(message: Message) -> Mail:
    """The mail that a message is."""
    found = _Found()
    found.remarks += [_cut(part) for part in cut_parts(message)]
    _walk(message, found, 0)
    _check_sealed(found)
    body = [page for page in found.body or found.enveloped if shows_something(page)]
    related, attachments = split_related(body, found.parts)
    headers = _headers(message)
    return Mail(
        _shown(headers), headers.get("subject", ""), tuple(body), tuple(related), tuple(attachments),
        tuple(found.remarks),
    )  # fmt: skip


def _cut(part: Message) -> str:
    name = _file_name(part)
    what = f"attachment {name!r}" if name else f"a part of type {part.get_content_type()}"
    return f"{what} is cut: the mail lacks its end"


def _headers(message: Message) -> dict[str, str]:
    """The first of each header, by its name in lower case."""
    found: dict[str, str] = {}
    for name, value in message.raw_items():
        if name.title() in (*SHOWN, "Subject"):
            found.setdefault(name.lower(), header_text(str(value)))
    return found


def _shown(headers: dict[str, str]) -> tuple[tuple[str, str], ...]:
    sender = headers.get("from", "")
    pairs = [(name, headers.get(name.lower(), "")) for name in SHOWN]
    return tuple(
        (name, value) for name, value in pairs
        if value and not (name in ("Sender", "Reply-To") and value == sender)
    )  # fmt: skip


@dataclass(slots=True)
class _Found:
    body: list[str] = field(default_factory=list)
    parts: list[MailPart] = field(default_factory=list)
    enveloped: list[str] = field(default_factory=list)
    """Bodies in a winmail.dat, which count where the mail has none."""
    sealed: list[str] = field(default_factory=list)
    """By what each part is encrypted that cannot be read."""
    remarks: list[str] = field(default_factory=list)


def _walk(part: Message, found: _Found, depth: int) -> None:
    """Sort out one part: a piece of the body, an attachment, or parts within."""
    if depth > _MOST_NESTED:
        raise RecursionError
    kind = part.get_content_type()
    if kind in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
        _encrypted(part, kind, found, depth)
    elif kind == "multipart/alternative" and part.is_multipart():
        _best(list(_children(part)), found, depth + 1)
    elif part.is_multipart() and kind.startswith("multipart/"):
        for child in _children(part):
            _walk(child, found, depth + 1)
    elif kind in _AS_TEXT:
        found.body.append(html_of_text(_source(part)))
    elif kind in _TEXTS and not _is_attached(part):
        found.body.append(_page(part, kind))
    elif envelope := _envelope(part, kind):
        found.enveloped.append(envelope.body)
        found.parts += envelope.parts
    else:
        found.parts.append(_attached(part, kind))


def _children(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (one for one in payload if isinstance(one, Message))


def _encrypted(part: Message, kind: str, found: _Found, depth: int) -> None:
    """Raise for encrypted mail; signed mail whose text lies within the signature is an attachment.

    So is an encrypted part among others, which are read.
    """
    pgp = kind == "multipart/encrypted"
    if pgp or str(part.get_param("smime-type", "")).lower() in ("enveloped-data", ""):
        sealed = f"encrypted for its receiver ({'PGP' if pgp else 'S/MIME'})"
        if depth == 0:
            raise EncryptedDocument(sealed)
        found.sealed.append(sealed)
        name = _file_name(part)
        found.remarks.append(f"attachment {name!r} is {sealed}" if name else f"a part of it is {sealed}")
    if not pgp:
        found.parts.append(_attached(part, kind))


def _check_sealed(found: _Found) -> None:
    """Raise EncryptedDocument where nothing of a mail is left beside its encrypted parts."""
    texts = any(shows_something(page) for page in (*found.body, *found.enveloped))
    if found.sealed and not texts and len(found.parts) <= len(found.sealed):
        raise EncryptedDocument(found.sealed[0])


def _best(choices: list[Message], found: _Found, depth: int) -> None:
    """The last choice with an HTML body that shows something, else the last that shows anything.

    What the other choices hold beside their text is kept.
    """
    tried: list[_Found] = []
    for one in choices:
        tried.append(_Found())
        _walk(one, tried[-1], depth)
    order = sorted(range(len(tried)), key=lambda at: (_rank(choices[at], tried[at]), at))
    best = order[-1] if order else -1
    for at, within in enumerate(tried):
        found.body += within.body if at == best else []
        found.parts += within.parts
        found.enveloped += within.enveloped
        found.remarks += within.remarks
        found.sealed += within.sealed
    found.remarks += _untold(choices, tried, best)


def _untold(choices: list[Message], tried: list[_Found], best: int) -> list[str]:
    """A remark where a plain text that is not shown says something that the text shown does not."""
    plain = [at for at, one in enumerate(choices) if one.get_content_type() == "text/plain" and at != best]
    shown = tried[best].body if tried else []
    lost = (lacking_words(page, shown) for at in plain for page in tried[at].body)
    return [f"its plain text, which is not shown, also says: {one}" for one in lost if one]


def _rank(part: Message, found: _Found) -> int:
    if not any(shows_something(page) for page in found.body):
        return 0
    return 2 if any(one.get_content_type() == "text/html" for one in part.walk()) else 1


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_file_name(part))


def _page(part: Message, kind: str) -> str:
    data, charset = part_bytes(part), charset_of(part)
    if kind == "text/html":
        return html_part_text(data, charset)
    text = charset_text(data, charset)
    if str(part.get_param("format", "")).lower() == "flowed":
        text = unflowed(text, str(part.get_param("delsp", "")).lower() == "yes")
    return html_of_text(text)


def charset_of(part: Message) -> str | None:
    """The charset that a part declares, if any."""
    try:
        return part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        return None


def _envelope(part: Message, kind: str) -> tnef.Envelope | None:
    if kind != "application/ms-tnef" and _file_name(part).lower() != "winmail.dat":
        return None
    return tnef.opened(part_bytes(part))


def _attached(part: Message, kind: str) -> MailPart:
    name = _file_name(part)
    if kind == "message/rfc822" or (part.is_multipart() and not kind.startswith("multipart/")):
        return _inner_mail(part, name)
    content_id = header_text(str(part.get("Content-ID", ""))).strip("<> ")
    location = header_text(str(part.get("Content-Location", "")))
    return MailPart(name, kind, part_bytes(part), content_id, location)


def _inner_mail(part: Message, name: str) -> MailPart:
    inner = next(_children(part), None)
    if inner is None:
        return MailPart(name or "message.eml", "message/rfc822", part_bytes(part))
    subject = header_text(next((v for n, v in inner.raw_items() if n.lower() == "subject"), ""))
    named = name if name.lower().endswith(".eml") else f"{name or subject or 'message'}.eml"
    return MailPart(named, "message/rfc822", _source(inner).encode("utf-8", "surrogateescape"))


def _source(part: Message) -> str:
    """A part as it was written, its own headers first."""
    out = io.BytesIO()
    email.generator.BytesGenerator(out, mangle_from_=False, maxheaderlen=0).flatten(part)
    return out.getvalue().decode("utf-8", "surrogateescape")


def _file_name(part: Message) -> str:
    for header, raw in part.raw_items():
        if header.lower() in ("content-disposition", "content-type") and not str(raw).isascii():
            part.replace_header(header, header_text(str(raw)))
    try:
        name = part.get_filename()
    except (LookupError, ValueError, TypeError, IndexError):
        return ""
    return header_text(name) if name else ""
