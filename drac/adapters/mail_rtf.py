"""RTF bodies of Outlook mail as HTML: what was HTML once by RTFDE, all else as plain text by striprtf."""

from __future__ import annotations

import logging
import re

from drac.adapters.mail import html_of_text
from drac.stages.normalize.text import decode

_FROM_HTML = re.compile(rb"\\fromhtml1")
_HEAD = 4_096


def was_html(rtf: bytes) -> bool:
    """Whether the RTF is HTML in RTF's clothes ([MS-OXRTFEX])."""
    return _FROM_HTML.search(rtf[:_HEAD]) is not None


def rtf_page(rtf: bytes) -> str:
    """The body as HTML."""
    page = _unwrapped(rtf) if was_html(rtf) else ""
    return page or html_of_text(_plain(rtf))


def _unwrapped(rtf: bytes) -> str:
    """The HTML within, or empty where RTFDE cannot find it."""
    from RTFDE.deencapsulate import DeEncapsulator

    logging.getLogger("RTFDE").setLevel(logging.CRITICAL)
    try:
        found = DeEncapsulator(rtf[: rtf.rfind(b"}") + 1])
        found.deencapsulate()
        page = found.html
    except Exception:  # its parser's errors have no common class, and plain text is still to be had
        return ""
    return page if isinstance(page, str) else decode(page or b"")


def _plain(rtf: bytes) -> str:
    from striprtf.striprtf import rtf_to_text

    return str(rtf_to_text(rtf.decode("latin-1"), errors="replace"))
