r"""Names of files as printable text, there and back, and the identity made of them.

A file name is bytes: it may hold a line break or bytes that are no UTF-8. Records, exports and the
catalog hold text. `printable` writes what cannot be printed as `\n`, `\t`, `\r`, `\xff` (a byte that is
no UTF-8) or `\u0007` (a control character), and a backslash as `\\`; every other name stays as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from drac.records import Source

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": "\\\\"}
_LONG = {escape: char for char, escape in _SHORT.items()}
_SPECIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\\\udc80-\udcff]")
_ESCAPE = re.compile(r"\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_SURROGATE = 0xDC00
"""Python decodes byte b of a name that is no UTF-8 as this plus b (PEP 383)."""


def printable(name: str) -> str:
    """The name or path as text that UTF-8 can hold and a terminal can show; `original` turns it back."""
    return _SPECIAL.sub(lambda match: _escape(match[0]), name)


def original(text: str) -> str:
    """The name or path that `printable` was given."""
    return _ESCAPE.sub(lambda match: _unescape(match[0]), text)


def real_path(source: Source) -> Path:
    """The file on disk; `source.root` and `source.path` are in printable form."""
    return Path(original(source.root)) / original(source.path)


def doc_id(collection: str, path: str) -> str:
    """16 hexadecimal digits; the zero byte keeps ("a", "b/c") and ("a/b", "c") apart."""
    return hashlib.sha256(f"{collection}\0{path}".encode()).hexdigest()[:16]


def absolute(path: str | os.PathLike[str], base: Path) -> Path:
    """An absolute path without `..`; links in it are kept, so that a path stays as the user wrote it."""
    return Path(os.path.abspath(base / path))  # noqa: PTH100 - resolve() would replace links


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    return f"\\x{code - _SURROGATE:02x}" if code > _SURROGATE else f"\\u{code:04x}"


def _unescape(escape: str) -> str:
    if escape in _LONG:
        return _LONG[escape]
    code = int(escape[2:], 16)
    return chr(_SURROGATE + code) if escape[1] == "x" else chr(code)
