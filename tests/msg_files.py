"""Outlook messages made by tests: the streams that [MS-OXMSG] asks for, and no more."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

SUBJECT, SENDER, TO, BODY, CLASS, NAME = "0037", "0C1A", "0E04", "1000", "001A", "3707"
_METHOD, _BY_VALUE, _EMBEDDED = 0x3705, 1, 5


def write_msg(path: Path, message: dict[str, Any]) -> Path:
    """Write a message: `texts` {property: text}, `streams` {name: bytes}, `attachments` [(name, content)].

    An attachment's content is bytes, or a message of its own.
    """
    from extract_msg import OleWriter

    writer = OleWriter()
    for name in ("__substg1.0_00020102", "__substg1.0_00030102", "__substg1.0_00040102"):
        writer.addEntry(f"__nameid_version1.0/{name}", b"")
    _add_message(writer, "", message, header=32)
    writer.write(str(path))
    return path


def _add_message(writer: Any, at: str, message: dict[str, Any], header: int) -> None:
    texts = {CLASS: "IPM.Note", **message.get("texts", {})}
    attachments = message.get("attachments", [])
    properties = b"".join(_variable(int(name, 16), 0x1F, len(text) * 2 + 2) for name, text in texts.items())
    count = struct.pack("<4I", 0, len(attachments), 0, len(attachments))
    writer.addEntry(f"{at}__properties_version1.0", (b"\0" * 8 + count).ljust(header, b"\0") + properties)
    for name, text in texts.items():
        writer.addEntry(f"{at}__substg1.0_{name}001F", text.encode("utf-16-le"))
    for name, data in message.get("streams", {}).items():
        writer.addEntry(f"{at}{name}", data)
    for number, (name, content) in enumerate(attachments):
        _add_attachment(writer, f"{at}__attach_version1.0_#{number:08X}/", name, content)


def _add_attachment(writer: Any, at: str, name: str, content: Any) -> None:
    embedded = isinstance(content, dict)
    fixed = _fixed(_METHOD, _EMBEDDED if embedded else _BY_VALUE)
    named = _variable(int(NAME, 16), 0x1F, len(name) * 2 + 2)
    held = _variable(0x3701, 0x0D if embedded else 0x0102, 0xFFFFFFFF if embedded else len(content))
    writer.addEntry(f"{at}__properties_version1.0", b"\0" * 8 + fixed + named + held)
    writer.addEntry(f"{at}__substg1.0_{NAME}001F", name.encode("utf-16-le"))
    if embedded:
        _add_message(writer, f"{at}__substg1.0_3701000D/", content, header=24)
    else:
        writer.addEntry(f"{at}__substg1.0_37010102", content)


def _fixed(number: int, value: int) -> bytes:
    return struct.pack("<HHIQ", 0x03, number, 6, value)


def _variable(number: int, kind: int, size: int) -> bytes:
    return struct.pack("<HHIII", kind, number, 6, size, 0)
