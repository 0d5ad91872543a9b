"""A mail as its reader has it, whatever program wrote it; `mime_mail` and `outlook_mail` make it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape
from itertools import groupby
from urllib.parse import unquote

_REFERENCE = re.compile(
    r"""(?:src|background|href|data)\s*=\s*["']?([^"'\s>]+)|url\(\s*["']?([^"')]+)""", re.I
)
_SOMETHING = re.compile(r"<img\b|<svg\b|<table\b", re.IGNORECASE)
_UNSEEN = re.compile(r"<(style|script|title|head)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"\w+")
_LINK = re.compile(r"(?:https?|mailto|cid):\S+", re.IGNORECASE)
_SHARED = 3
"""Words in a row by which two texts are taken to say the same."""
_TELLING = 5
"""Words in a row that only one of two texts has, from which on it is worth a remark."""
_QUOTED = 20
"""Words of them that a remark quotes."""
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class MailPart:
    """One part of a mail that is not its text."""

    name: str
    """File name as the mail says it, decoded; empty where it says none."""
    media_type: str
    """MIME type in lower case, e.g. `image/png`."""
    data: bytes
    """Content, decoded."""
    content_id: str = ""
    """Content-ID without its brackets, by which the body may refer to it; else empty."""
    location: str = ""
    """Content-Location, by which the body may refer to it; else empty."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail."""

    headers: tuple[tuple[str, str], ...] = ()
    """(From, To, Cc, Date or the like, text as written), in the order shown."""
    subject: str = ""
    """Subject; empty if there is none."""
    body: tuple[str, ...] = ()
    """Pieces of the body as HTML, in order."""
    related: tuple[MailPart, ...] = ()
    """Parts that the body refers to."""
    attachments: tuple[MailPart, ...] = field(default=())
    """All other parts, in order."""
    remarks: tuple[str, ...] = ()
    """What a reader of the mail should know of it, e.g. that an attachment is cut."""


def html_of_text(text: str) -> str:
    """Plain text as HTML: a paragraph for each block between blank lines, lines and indents kept."""
    blocks = _BLANK_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n").strip("\n"))
    return "\n".join(f'<p class="drac-lines">{escape(one)}</p>' for one in blocks if one.strip())


def shows_something(page: str) -> bool:
    """Whether an HTML body has text or pictures."""
    return bool(_SOMETHING.search(page) or unescape(_UNSEEN.sub("", page)).strip())


def lacking_words(page: str, shown: Sequence[str]) -> str:
    """The first words in a row that `page` has and the pages `shown` lack; empty for fewer than five."""
    words = _words(page)
    known = {one for other in shown for one in _runs([word.casefold() for word in _words(other)])}
    told = [False] * len(words)
    for at, run in enumerate(_runs([word.casefold() for word in words])):
        if run in known:
            told[at : at + _SHARED] = [True] * _SHARED
    for same, run_of in groupby(range(len(words)), key=told.__getitem__):
        lost = list(run_of)
        if not same and len(lost) >= _TELLING:
            more = " …" if len(lost) > _QUOTED else ""
            return " ".join(words[at] for at in lost[:_QUOTED]) + more
    return ""


def _words(page: str) -> list[str]:
    return _WORD.findall(_LINK.sub(" ", unescape(_UNSEEN.sub(" ", page))))


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(_SHARED)), strict=False)


def split_related(body: Sequence[str], parts: Iterable[MailPart]) -> tuple[list[MailPart], list[MailPart]]:
    """The parts that the body refers to by Content-ID or Content-Location, and the others."""
    named = {reference_key(one) for page in body for one in _references(page)}
    related: list[MailPart] = []
    others: list[MailPart] = []
    for part in parts:
        (related if _is_referred_to(part, named) else others).append(part)
    return related, others


def _is_referred_to(part: MailPart, named: set[str]) -> bool:
    return not named.isdisjoint(part_keys(part))


def part_keys(part: MailPart) -> list[str]:
    """What references to a part look like, as `reference_key` writes them."""
    keys = [f"cid:{part.content_id}"] if part.content_id else []
    return [reference_key(one) for one in (*keys, part.location) if one]


def reference_key(url: str) -> str:
    """A reference in the form in which two that mean the same part are equal."""
    plain = unquote(unescape(url)).strip()
    return f"cid:{plain[4:]}" if plain[:4].lower() == "cid:" else plain


def _references(page: str) -> Iterator[str]:
    for match in _REFERENCE.finditer(page):
        yield match[1] or match[2]


def without_attachments(mail: Mail) -> Mail:
    """The mail alone, as its page needs it: attachments by name only."""
    return replace(mail, attachments=tuple(replace(one, data=b"") for one in mail.attachments))
