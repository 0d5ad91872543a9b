"""Header values and texts of MIME messages, also where their charset is wrong, unknown or missing."""

from __future__ import annotations

import binascii
import quopri
import re

from drac.stages.normalize.markup import codec_named, html_text
from drac.stages.normalize.text import decode, encoding_of

_WORD = r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?="
_WORDS = re.compile(rf"{_WORD}(?:\s*{_WORD})*")
_ONE_WORD = re.compile(_WORD)
_FOLD = re.compile(r"\r?\n[ \t]*|\r")
_LETTERS = bytes(range(0xA0, 0x100))


def header_text(raw: str) -> str:
    """A header's value as its reader sees it: unfolded, encoded words (RFC 2047) decoded.

    `raw` is as Python's parser keeps it: bytes beyond ASCII as lone surrogates.
    """
    data = raw.encode("ascii", "surrogateescape") if raw.isascii() or _has_surrogates(raw) else raw.encode()
    text = _FOLD.sub(" ", decode(data))
    return _WORDS.sub(lambda found: _words(found[0]), text).replace("\x00", "").strip()


def _has_surrogates(text: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in text)


def _words(run: str) -> str:
    """Neighbouring encoded words; a character may be parted between two of one charset."""
    pieces: list[tuple[str, bytes]] = []
    for charset, how, text in _ONE_WORD.findall(run):
        name, data = charset.partition("*")[0].lower(), _word_bytes(how, text)
        if pieces and pieces[-1][0] == name:
            data = pieces.pop()[1] + data
        pieces.append((name, data))
    return "".join(charset_text(data, name) for name, data in pieces)


def _word_bytes(how: str, text: str) -> bytes:
    if how in "qQ":
        return quopri.decodestring(text.encode("utf-8"), header=True)
    plain = re.sub(r"[^A-Za-z0-9+/]", "", text)
    try:
        return binascii.a2b_base64(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        return text.encode("utf-8")


def charset_text(data: bytes, charset: str | None) -> str:
    """Text in the charset declared, unless the bytes say otherwise.

    Bytes beyond ASCII that are UTF-8 are taken as UTF-8 where a charset of one byte a character is declared:
    by chance they hardly ever are.
    """
    codec = codec_named(charset) if charset else None
    really_utf8 = not data.isascii() and encoding_of(data) == "utf-8"
    if codec is None or (really_utf8 and _is_single_byte(codec)):
        return decode(data)
    try:
        return data.decode(codec)
    except (UnicodeError, LookupError):
        return decode(data)


def html_part_text(data: bytes, charset: str | None) -> str:
    """As `charset_text`; without a charset the page's own declaration counts."""
    return charset_text(data, charset) if charset else html_text(data)


def _is_single_byte(codec: str) -> bool:
    try:
        text = _LETTERS.decode(codec, "replace")
        return len(text) == len(_LETTERS) and text.count("\ufffd") < len(text) // 2
    except (UnicodeError, LookupError):
        return False


def unflowed(text: str, delete_space: bool) -> str:
    """Text of `format=flowed` (RFC 3676) with its soft line breaks taken out."""
    lines: list[str] = []
    open_depth = -1
    for line in text.replace("\r\n", "\n").split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        rest = line[depth:].removeprefix(" ")
        if depth == open_depth and rest != "-- ":
            lines[-1] += rest
        else:
            lines.append(">" * depth + (" " if depth else "") + rest)
        flows = rest.endswith(" ") and rest != "-- "
        open_depth = depth if flows else -1
        if flows and delete_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)
