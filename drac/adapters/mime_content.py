"""What the parts of an Internet mail hold once decoded, and which of them end early."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message

_NO_DIGIT = re.compile(rb"[^A-Za-z0-9+/]")
_HALF_ESCAPE = re.compile(rb"=[0-9A-Fa-f]?\Z")
_UU_BEGIN = re.compile(rb"^begin [0-7]{3,4} ", re.MULTILINE)
_UU_END = re.compile(rb"^end\s*$", re.MULTILINE)
_UUENCODED = ("x-uuencode", "uuencode", "uue", "x-uue")


def part_bytes(part: Message) -> bytes:
    """A part's content, decoded as far as it goes."""
    encoding, raw = _encoding(part), _raw(part)
    if encoding == "base64" and len(_digits(raw)) % 4 == 1:
        digits = _digits(raw)
        return base64.b64decode(digits[: len(digits) // 4 * 4])
    if encoding == "quoted-printable" and _HALF_ESCAPE.search(raw):
        part.set_payload(_HALF_ESCAPE.sub(b"", raw).decode())
    if encoding in _UUENCODED and _ends_early(part):
        part.set_payload(_closed_uuencode(raw).decode())
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def cut_parts(message: Message) -> Iterator[Message]:
    """Parts whose end is missing; call it before `part_bytes`, which repairs what it reads."""
    last = _last_leaf(message) if _is_open(message) else None
    for part in message.walk():
        if part is last or (not part.is_multipart() and _ends_early(part)):
            yield part


def _is_open(message: Message) -> bool:
    return any(isinstance(one, CloseBoundaryNotFoundDefect) for one in message.defects)


def _last_leaf(message: Message) -> Message:
    """The part that the file ends in; an attached mail is one part."""
    while message.get_content_maintype() == "multipart":
        payload = message.get_payload()
        if not isinstance(payload, list) or not isinstance(payload[-1], Message):
            break
        message = payload[-1]
    return message


def _ends_early(part: Message) -> bool:
    """Whether what is left of a part shows by itself that its end is missing."""
    encoding, raw = _encoding(part), _raw(part)
    if encoding == "base64":
        return b"=" not in raw and len(_digits(raw)) % 4 != 0
    if encoding == "quoted-printable":
        return re.search(rb"=[0-9A-Fa-f]\Z", raw) is not None
    return encoding in _UUENCODED and _UU_BEGIN.search(raw) is not None and not _UU_END.search(raw)


def _closed_uuencode(raw: bytes) -> bytes:
    """Uuencoded lines with the end that they lack; a last line that is not whole is left out."""
    lines = raw.rstrip(b"\r\n").split(b"\n")
    needed = -(-((lines[-1][0] - 32) & 63) // 3) * 4 + 1 if lines[-1] else 0
    if len(lines[-1].rstrip(b"\r")) < needed:
        lines.pop()
    return b"\n".join([*lines, b"`", b"end", b""])


def _encoding(part: Message) -> str:
    return str(part.get("Content-Transfer-Encoding", "")).strip().lower()


def _raw(part: Message) -> bytes:
    payload = part.get_payload()
    return payload.encode() if isinstance(payload, str) and payload.isascii() else b""


def _digits(raw: bytes) -> bytes:
    return _NO_DIGIT.sub(b"", raw.partition(b"=")[0])
