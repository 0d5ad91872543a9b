"""Files beside a web page that its PDF depends on: they are part of what names the PDF."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from drac.stages.normalize import DocumentType

_REFERENCE = re.compile(
    r"""(?:src|href|srcset|data|poster)\s*=\s*["']?([^"'\s>]+)|url\(\s*["']?([^"')]+)|!\[[^\]]*\]\(<?([^)>\s]+)"""
    r"""|@import\s+["']([^"']+)""",
    re.IGNORECASE,
)
_MOST = 1_000
"""Files that one page may depend on; more do not change the name of its PDF."""


def companions(path: Path, kind: DocumentType) -> tuple[Path, ...]:
    """Files in the document's own folder that it refers to, and those that they refer to, sorted."""
    if kind.converter not in ("html", "native"):
        return ()
    folder = path.parent.resolve()
    found: set[Path] = set()
    waiting = [path]
    while waiting and len(found) < _MOST:
        new = _references(waiting.pop(), folder) - found - {path.resolve()}
        found |= new
        waiting += [one for one in sorted(new) if one.suffix.lower() in {".css", ".svg", ".html", ".htm"}]
    return tuple(sorted(found))


def _references(path: Path, folder: Path) -> set[Path]:
    text = path.read_bytes().decode("latin-1").replace("\x00", "")
    named = (next(filter(None, match.groups()), "") for match in _REFERENCE.finditer(text))
    places = (_place(name, path.parent) for name in named)
    return {place for place in places if place and place.is_relative_to(folder) and place.is_file()}


def _place(reference: str, folder: Path) -> Path | None:
    try:
        parts = urlsplit(reference)
        plain = not (parts.scheme or parts.netloc) and parts.path
        return (folder / unquote(parts.path)).resolve() if plain else None
    except (ValueError, OSError):
        return None
