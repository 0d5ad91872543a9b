"""Mail and saved web archives to PDF: printed as web pages that get their own parts and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from email.message import Message
from html import escape
from importlib.metadata import version
from pathlib import Path

from drac.adapters import mime_mail, outlook_mail, weasyprint_html
from drac.adapters.mail import Mail, MailPart, html_of_text, part_keys, reference_key
from drac.adapters.mime_content import part_bytes
from drac.adapters.mime_text import charset_text, header_text, html_part_text
from drac.adapters.remarks import keep_remarks
from drac.errors import CorruptDocument, EmptyDocument

_STYLE = """
.drac-head p { margin: 0 0 9pt; overflow-wrap: anywhere }
.drac-head { border-bottom: 0.5pt solid; padding-bottom: 6pt; margin-bottom: 10pt }
.drac-head h1 { font-size: 16pt; margin: 0 0 6pt; overflow-wrap: anywhere }
.drac-lines { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 8pt }
"""
_MOST_HEADER = 10_000
"""Characters of a header line that are printed; a longer one ends in a note that says how many more."""


class MailConverter:
    """`ports.PdfConverter` for .eml, .msg and .mhtml."""

    def __init__(self) -> None:
        self._html = weasyprint_html.HtmlConverter()

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What prints web pages, and what reads Outlook's files; raises ConverterUnavailable."""
        return {**self._html.fingerprint, **reader_fingerprint()}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Print `source` to `target`; the same bytes for the same mail and tools. Remarks go
        to `remarks.remarks_file`.

        Raises EmptyDocument (no bytes, or a mail without anything), CorruptDocument, EncryptedDocument or
        ConverterUnavailable.
        """
        if not source.stat().st_size:
            raise EmptyDocument(f"{source}: an empty file of 0 bytes")
        made, remarks = (_web_archive(source), ()) if suffix == ".mhtml" else _mail(source, suffix)
        page, base, parts = made
        from drac.adapters.weasyprint_fetcher import BASE, PartsOnly

        sheet = weasyprint_html.Sheet(source, page, base or BASE, PartsOnly(parts))
        target.write_bytes(weasyprint_html.printed(sheet))
        keep_remarks(target, remarks)


def reader_fingerprint() -> Mapping[str, str]:
    """Versions of what reads mail."""
    packages = ("extract-msg", "tnefparse", "RTFDE", "striprtf")
    return {"mail": "3"} | {name: version(name) for name in packages}


def read(source: Path, suffix: str) -> Mail:
    """The mail in a .eml or .msg file; raises a DocumentError."""
    return outlook_mail.read_msg(source) if suffix == ".msg" else mime_mail.read_mail(source)


Page = tuple[str, str | None, dict[str, tuple[bytes, str]]]
"""A page, the address that its references are relative to, and its parts by address."""


def _mail(source: Path, suffix: str) -> tuple[Page, tuple[str, ...]]:
    mail = read(source, suffix)
    if not (mail.headers or mail.subject or mail.body or mail.attachments):
        raise EmptyDocument(f"{source}: a mail without headers, text and attachments")
    return (mail_page(mail), None, _by_address(mail.related)), mail.remarks


def mail_page(mail: Mail) -> str:
    """The mail as a web page: subject as its heading, other headers, names of attachments, then the body."""
    names = "; ".join(one.name or one.media_type for one in mail.attachments)
    lines = [*mail.headers, *([("Attachments", names)] if names else [])]
    head = "".join(f"<p><b>{name}:</b> {escape(_shortened(value))}</p>\n" for name, value in lines)
    subject = f"<h1>{escape(_shortened(mail.subject))}</h1>\n" if mail.subject else ""
    body = "\n".join(f"<div>{page}</div>" for page in mail.body)
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><style>{_STYLE}</style></head><body>\n"
        f'<div class="drac-head">\n{subject}{head}</div>\n{body}\n</body></html>\n'
    )


def _shortened(text: str) -> str:
    more = len(text) - _MOST_HEADER
    return f"{text[:_MOST_HEADER]} [{more:,} more characters]" if more > 0 else text


def _by_address(parts: Iterable[MailPart]) -> dict[str, tuple[bytes, str]]:
    found: dict[str, tuple[bytes, str]] = {}
    for part in parts:
        for key in part_keys(part):
            found.setdefault(key, (part.data, part.media_type or "application/octet-stream"))
    return found


def _web_archive(source: Path) -> Page:
    """The first page of a web archive (RFC 2557); its other parts by Content-Location and Content-ID."""
    message = mime_mail.message_of(source.read_bytes())
    leaves = [one for one in message.walk() if not one.is_multipart()]
    root = _root(message, leaves)
    if root is None:
        raise CorruptDocument(f"{source}: a web archive without a page")
    parts = [_part(one) for one in leaves if one is not root]
    data = part_bytes(root)
    if root.get_content_type() == "text/html" or root.get_content_type() == "application/xhtml+xml":
        page = html_part_text(data, mime_mail.charset_of(root))
    else:
        page = html_of_text(charset_text(data, mime_mail.charset_of(root)))
    base = _location(root) or _location(message)
    return page, base if ":" in base else None, _by_address(parts)


def _root(message: Message, leaves: list[Message]) -> Message | None:
    """The part that `start` names, else the first page, else the first text."""
    start = str(message.get_param("start", "")).strip("<> ")
    named = [one for one in leaves if start and str(one.get("Content-ID", "")).strip("<> ") == start]
    pages = [one for one in leaves if one.get_content_type() in ("text/html", "application/xhtml+xml")]
    texts = [one for one in leaves if one.get_content_maintype() == "text"]
    return next(iter([*named, *pages, *texts]), None)


def _location(part: Message) -> str:
    return reference_key(header_text(str(part.get("Content-Location", ""))))


def _part(part: Message) -> MailPart:
    content_id = header_text(str(part.get("Content-ID", ""))).strip("<> ")
    data = part_bytes(part)
    return MailPart("", part.get_content_type(), data, content_id, _location(part))
