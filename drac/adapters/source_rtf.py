"""Rich text's visible text, by striprtf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from drac.config import NormalizeSettings
from drac.records import Passage

_LEFT_OUT = re.compile(r"\\deleted\b|\\v(?![a-z0-9-])")


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """A passage for each paragraph; raises ValueError where deleted or hidden text would be read with it."""
    from striprtf.striprtf import rtf_to_text

    text = source.read_bytes().decode("latin-1")
    if _LEFT_OUT.search(text):
        raise ValueError("deleted or hidden text")
    for number, line in enumerate(rtf_to_text(text, errors="ignore").splitlines(), 1):
        yield Passage(line, f"paragraph {number}")
