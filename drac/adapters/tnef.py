"""What is in a winmail.dat (TNEF), the envelope that Outlook may put attachments in, by tnefparse."""

from __future__ import annotations

import contextlib
import io
import logging
from typing import Any

from drac.adapters.mail import MailPart
from drac.adapters.mail_rtf import rtf_page

_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError, OSError)
"""What tnefparse raises on damaged files."""


def parts_of(data: bytes) -> list[MailPart]:
    """The attachments, and before them the body as an attached page; empty where it cannot be read."""
    from tnefparse import TNEF

    logging.getLogger("tnef-decode").setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = TNEF(data, do_checksum=False)
            return [*_body(found), *(_part(one) for one in found.attachments)]
    except (*_MALFORMED, UnboundLocalError, RecursionError):
        return []


def _part(one: Any) -> MailPart:
    return MailPart(str(one.long_filename() or one.name or "").rstrip("\x00"), "", bytes(one.data or b""))


def _body(found: Any) -> list[MailPart]:
    """The text: HTML, else RTF, else plain."""
    if found.htmlbody:
        page = found.htmlbody
        data = page.encode() if isinstance(page, str) else bytes(page)
        return [MailPart("message.html", "text/html", data)]
    if found.rtfbody:
        return [MailPart("message.html", "text/html", rtf_page(found.rtfbody).encode())]
    text = found.body.encode() if isinstance(found.body, str) else found.body
    return [MailPart("message.txt", "text/plain", bytes(text))] if text and text.strip(b"\x00 \r\n") else []
