"""Which font families a document asks for.

Layouts after [MS-DOC] 2.9.285 (SttbfFfn), [MS-PPT] 2.9.8 (FontEntityAtom) and [MS-XLS] 2.4.122 (Font).
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

from drac.stages.normalize import ole

_MOST = 20_000_000
"""Bytes read of a part or stream."""
_PARTS = re.compile(
    r"word/(?:document|styles|header\d*|footer\d*|theme/theme\d+)\.xml"
    r"|ppt/(?:slides|slideMasters|slideLayouts|theme)/[^/]+\.xml"
    r"|xl/(?:styles|theme/theme\d+)\.xml|content\.xml|styles\.xml"
)
_NAMED = re.compile(
    r"""<a:(?:latin|ea|cs)\s[^>]*?typeface="([^"]+)\""""
    r"""|<(?:\w+:)?(?:name|rFont)\s+val="([^"]+)"|svg:font-family="([^"]+)\""""
)
_WORD_FONTS = re.compile(r"<w:rFonts\b[^>]*>")
_WORD_NAMED = re.compile(r'w:(?:ascii|hAnsi|eastAsia|cs)="([^"]+)"')
"""Within `_WORD_FONTS` alone: languages have attributes of the same names."""
_RTF = re.compile(rb"\\f\d+((?:[^{};]|\{[^{}]*\})*);")
_RTF_WORDS = re.compile(rb"\{[^{}]*\}|\\\*|\\[a-z]+-?\d* ?")
_CSS = re.compile(r"font-family\s*:\s*([^;}<]+)", re.IGNORECASE)
_GENERIC = frozenset(
    ("serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "inherit", "initial", "unset")
)
_SAME_WIDTHS = {
    "Arial": ("Liberation Sans", "Arimo"),
    "Arial Narrow": ("Liberation Sans Narrow",),
    "Calibri": ("Carlito",),
    "Cambria": ("Caladea",),
    "Courier New": ("Liberation Mono", "Cousine"),
    "Helvetica": ("Liberation Sans", "Nimbus Sans"),
    "Times New Roman": ("Liberation Serif", "Tinos"),
    "Times": ("Liberation Serif", "Nimbus Roman"),
}
"""Stand-ins that are made to the widths of the family that they replace."""
_BAD = (
    OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, ValueError, struct.error,
    LookupError,
)  # fmt: skip
"""What damaged files raise; a document whose list of fonts cannot be read is converted all the same."""


def asked_fonts(source: Path, suffix: str) -> tuple[str, ...]:
    """Font families that `source`, of the true type `suffix`, asks for, sorted.

    Also such as its styles name and no text uses. Empty where that is not known: an encrypted or damaged
    file, plain text.
    """
    read = _READERS.get(suffix.lstrip("."))
    if read is None:
        return ()
    try:
        found = {" ".join(name.split()).strip("'\" ") for name in read(source)}
    except _BAD:
        return ()
    return tuple(sorted(name for name in found if name and name[0] not in "+@" and name.isprintable()))


def same_widths(asked: str, found: str) -> bool:
    """Whether a stand-in has the same widths, so that lines and pages break as they were meant to."""
    return found in _SAME_WIDTHS.get(asked, ())


def _of_package(source: Path) -> Iterator[str]:
    with zipfile.ZipFile(source) as package:
        for name in filter(_PARTS.fullmatch, package.namelist()):
            with package.open(name) as part:
                text = part.read(_MOST).decode("utf-8", "replace")
            for tag in _WORD_FONTS.findall(text):
                yield from map(unescape, _WORD_NAMED.findall(tag))
            for found in _NAMED.finditer(text):
                yield from (unescape(one) for one in found.groups() if one)


def _of_flat_xml(source: Path) -> Iterator[str]:
    for found in _NAMED.finditer(source.read_bytes()[:_MOST].decode("utf-8", "replace")):
        yield from (unescape(one) for one in found.groups() if one)


def _of_rtf(source: Path) -> Iterator[str]:
    data = source.read_bytes()[:_MOST]
    start = data.find(b"\\fonttbl")
    if start >= 0:
        for entry in _RTF.findall(data[start : start + 65_536]):
            yield _RTF_WORDS.sub(b"", entry).decode("cp1252", "replace")


def _of_page(source: Path) -> Iterator[str]:
    """The first family of each list."""
    for found in _CSS.finditer(source.read_bytes()[:_MOST].decode("utf-8", "replace")):
        first = unescape(found[1]).split(",")[0].strip("'\" ")
        if first.lower() not in _GENERIC and "var(" not in first:
            yield first


def _of_doc(source: Path) -> Iterator[str]:
    head = ole.read_stream(source, "WordDocument", _MOST)
    table = ole.read_stream(source, "1Table" if head[0x0B] & 0x02 else "0Table", _MOST)
    at = struct.unpack_from("<I", head, 0x112)[0]
    count = struct.unpack_from("<H", table, at)[0]
    at += 4
    for _ in range(count):
        size = table[at] + 1
        yield table[at + 40 : at + size].decode("utf-16-le", "replace").partition("\0")[0]
        at += size


def _of_ppt(source: Path) -> Iterator[str]:
    data = ole.read_stream(source, "PowerPoint Document", _MOST)
    for found in re.finditer(rb"\xb7\x0f\x44\x00\x00\x00", data):
        yield data[found.end() : found.end() + 64].decode("utf-16-le", "replace").partition("\0")[0]


def _of_xls(source: Path) -> Iterator[str]:
    data, at = ole.read_stream(source, "Workbook", _MOST), 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        if kind == 0x31 and size > 16:
            length, wide = data[at + 18], data[at + 19] & 1
            name = data[at + 20 : at + 20 + length * (1 + wide)]
            yield name.decode("utf-16-le" if wide else "latin-1", "replace")
        at += 4 + size


_READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    **dict.fromkeys(("docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "odt", "odp", "ods"), _of_package),
    **dict.fromkeys(("fodt", "fods", "fodp"), _of_flat_xml),
    **dict.fromkeys(("html", "svg"), _of_page),
    "rtf": _of_rtf,
    "doc": _of_doc,
    "ppt": _of_ppt,
    "xls": _of_xls,
}
