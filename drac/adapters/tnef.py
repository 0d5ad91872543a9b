"""What is in a winmail.dat (TNEF), the envelope that Outlook may put attachments in, by tnefparse."""

from __future__ import annotations

import contextlib
import io
import logging
import struct
from dataclasses import dataclass
from typing import Any

from drac.adapters.mail import MailPart, html_of_text
from drac.adapters.mail_rtf import rtf_page
from drac.stages.normalize.markup import html_text
from drac.stages.normalize.text import decode

_MALFORMED = (
    *(ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError, OSError),
    *(UnboundLocalError, RecursionError, struct.error),
)
"""What tnefparse raises on damaged files."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a winmail.dat holds."""

    body: str
    """The text as HTML; empty if there is none. Mail programs write the mail's own text beside it."""
    parts: tuple[MailPart, ...]
    """The attachments."""


def opened(data: bytes) -> Envelope | None:
    """What is in it, or None where it cannot be read."""
    from tnefparse import TNEF

    if not _is_whole(data):
        return None
    logging.getLogger("tnef-decode").setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = TNEF(data, do_checksum=False)
            return Envelope(_body(found), tuple(_part(one) for one in found.attachments))
    except _MALFORMED:
        return None


def _is_whole(data: bytes) -> bool:
    """Whether its attributes end where the data does; tnefparse takes what there is of a cut one."""
    at = 6
    while at + 11 <= len(data):
        at += 11 + int(struct.unpack_from("<I", data, at + 5)[0])
    return at == len(data)


def _part(one: Any) -> MailPart:
    return MailPart(str(one.long_filename() or one.name or "").rstrip("\x00"), "", bytes(one.data or b""))


def _body(found: Any) -> str:
    """The text: HTML, else RTF, else plain."""
    if found.htmlbody:
        page = found.htmlbody
        return page if isinstance(page, str) else html_text(bytes(page))
    if found.rtfbody:
        return rtf_page(found.rtfbody)
    text = found.body if isinstance(found.body, str) else decode(bytes(found.body or b""))
    return html_of_text(text.rstrip("\x00 \r\n"))
