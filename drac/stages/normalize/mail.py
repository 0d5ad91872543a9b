"""Whether a text is a mail or a saved web archive (MHTML), by its header lines (RFC 5322, RFC 2557)."""

from __future__ import annotations

import re

from drac.stages.normalize.kinds import TEXT_TYPES, named
from drac.stages.normalize.text import encoding_of

_HEADER = re.compile(r"([!-9;-~]{1,76})[ \t]*:(.*)")
_OF_MAIL = frozenset(
    {"from", "date", "message-id", "received", "mime-version", "return-path", "delivered-to"}
)
"""Headers of which nearly every mail has two, and other texts none."""
_COMMON = _OF_MAIL | {"to", "cc", "subject", "sender", "content-type", "x-mailer"}
_WEB_ARCHIVES = frozenset({".mht", ".mhtml"})
_WEB_PAGES_SAVED_AS = frozenset({".doc", ".xls", ".ppt", ""})
"""Suffixes under which programs also save web archives."""


def mail_type(head: bytes, declared: str) -> str | None:
    """`eml`, `mhtml` or None for a file that starts with `head`; plain text types stay what they say."""
    kind = named(declared)
    if kind and kind.name in TEXT_TYPES:
        return None
    headers = _headers(_text(head))
    if _is_web_archive(headers, declared):
        return "mhtml"
    enough = _COMMON & headers.keys() if declared == ".eml" else len(_OF_MAIL & headers.keys()) >= 2
    return "eml" if enough else None


def _text(head: bytes) -> str:
    encoding = encoding_of(head[:4096], partial=True) if b"\x00" in head[:64] else "latin-1"
    return head.decode(encoding, errors="replace").removeprefix("\ufeff").removeprefix("ï»¿")


def _headers(text: str) -> dict[str, str]:
    """Header lines at the top, names in lower case; ends at the first line that is none."""
    found: dict[str, str] = {}
    last = ""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.lstrip("\r\n"))):
        if line[:1] in (" ", "\t") and last:
            found[last] += line
        elif match := _HEADER.fullmatch(line):
            last = match[1].lower()
            found.setdefault(last, match[2])
        elif number > 0 or not line.startswith(("From ", ">From ")):
            break
    return found


def _is_web_archive(headers: dict[str, str], declared: str) -> bool:
    if "snapshot-content-location" in headers or "<saved by" in headers.get("from", "").lower():
        return True
    if declared in _WEB_ARCHIVES:
        return bool({"mime-version", "content-type"} & headers.keys())
    related = "multipart/related" in headers.get("content-type", "").lower()
    return declared in _WEB_PAGES_SAVED_AS and related and not {"date", "from"} <= headers.keys()
