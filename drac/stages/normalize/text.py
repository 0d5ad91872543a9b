"""What is text, and in which encoding."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LEGACY = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
)
"""Encodings from before Unicode that are tried, the commonest first among families."""
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)


def looks_like_text(head: bytes) -> bool:
    """Whether a file that starts with `head` is text: no control characters beyond one in a thousand."""
    if _utf16_without_bom(head) or any(head.startswith(bom) for bom, _ in _BOMS):
        return True
    return len(_CONTROLS.findall(head)) * 1000 <= len(head)


def looks_like_html(head: bytes) -> bool:
    """Whether the first bytes of a text hold the tags that start a web page."""
    return bool(_HTML.search(decode(head[:4096], partial=True)))


def decode(data: bytes, *, partial: bool = False) -> str:
    """Text in the encoding that fits: by mark, UTF-8, UTF-16, else by its letters; Windows-1252 at last.

    `partial` allows a character that is cut at the end. Bytes that fit nowhere become U+FFFD.
    """
    encoding = encoding_of(data, partial=partial)
    return data.decode(encoding, errors="replace")


def encoding_of(data: bytes, *, partial: bool = False) -> str:
    """Name of the codec that `decode` uses."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return name
    if utf16 := _utf16_without_bom(data[:4096]):
        return utf16
    if _is_utf8(data, partial):
        return "utf-8"
    return _by_letters(data)


def _is_utf8(data: bytes, partial: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=not partial)
    except UnicodeDecodeError:
        return False
    return True


def _utf16_without_bom(head: bytes) -> str | None:
    """UTF-16 shows by NUL in every other byte of its ASCII characters (spaces and line ends at least)."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    enough = max(len(head) // 20, 2)
    if odd >= enough and even == 0:
        return "utf-16-le"
    if even >= enough and odd == 0:
        return "utf-16-be"
    return None


def _by_letters(data: bytes) -> str:
    """The legacy encoding in which the text reads best; of equals the commonest."""
    from charset_normalizer import from_bytes

    matches = list(from_bytes(data[:200_000], cp_isolation=list(_LEGACY)))
    best = min(((one.chaos, -one.coherence) for one in matches), default=None)
    fitting = {
        name for one in matches if (one.chaos, -one.coherence) == best for name in one.could_be_from_charset
    }
    return next((name for name in _LEGACY if name in fitting), "cp1252")
