"""Mails made by tests, as bytes."""

from __future__ import annotations

import struct

HEAD = (
    "From: Anna <anna@example.org>\r\nTo: bo@example.org\r\nDate: Mon, 1 Jan 2024 10:00:00 +0100\r\n"
    "MIME-Version: 1.0\r\n"
)
"""Headers of every mail, the subject and its type left out."""


def mail(*parts: bytes | str, subject: str = "Hello", kind: str = "mixed", head: str = HEAD) -> bytes:
    """A multipart mail of parts that begin with their own headers; its boundary is made of the subject."""
    mark = f"{kind}-{subject.encode().hex()[:40]}"
    top = f'{head}Subject: {subject}\r\nContent-Type: multipart/{kind}; boundary="{mark}"\r\n\r\n'
    return top.encode() + _multipart(parts, mark)


def nested(*parts: bytes | str, kind: str) -> bytes:
    """A multipart within a mail; its boundary is `kind`-x."""
    return f'Content-Type: multipart/{kind}; boundary="{kind}-x"\r\n\r\n'.encode() + _multipart(
        parts, f"{kind}-x"
    )


def _multipart(parts: tuple[bytes | str, ...], mark: str) -> bytes:
    begin = f"--{mark}\r\n".encode()
    data = b"".join(begin + (one if isinstance(one, bytes) else one.encode()) + b"\r\n" for one in parts)
    return data + f"--{mark}--\r\n".encode()


def text(body: str | bytes, subtype: str = "plain", more: str = "; charset=utf-8") -> bytes:
    """A piece of the body."""
    data = body if isinstance(body, bytes) else body.encode()
    return f"Content-Type: text/{subtype}{more}\r\n\r\n".encode() + data


def attachment(name: str, data: bytes, kind: str = "application/octet-stream", more: str = "") -> bytes:
    """An attached file."""
    head = f'Content-Type: {kind}\r\nContent-Disposition: attachment; filename="{name}"\r\n{more}\r\n'
    return head.encode() + data


def one_part(body: bytes, kind: str = "text/plain", subject: str = "Hello", more: str = "") -> bytes:
    """A mail of one part."""
    return f"{HEAD}Subject: {subject}\r\nContent-Type: {kind}\r\n{more}\r\n".encode() + body


def winmail(*files: tuple[str, bytes], body: str = "") -> bytes:
    """A winmail.dat ([MS-OXTNEF]) with attached files and a plain body."""
    data = struct.pack("<IH", 0x223E9F78, 1)
    data += _attribute(1, 0x00089006, struct.pack("<I", 0x10000))
    data += _attribute(1, 0x00069007, struct.pack("<II", 1252, 0))
    if body:
        data += _attribute(1, 0x0002800C, body.encode("cp1252") + b"\0")
    for name, content in files:
        data += _attribute(2, 0x00069002, b"\0" * 14)
        data += _attribute(2, 0x00018010, name.encode("cp1252") + b"\0")
        data += _attribute(2, 0x0006800F, content)
    return data


def _attribute(level: int, name: int, data: bytes) -> bytes:
    return struct.pack("<BII", level, name, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)
