"""Fields of old Word files (.doc) keep the text that the file stores for them.

LibreOffice decides by a field's type what to do with it; of one of the type QUOTE it shows the stored text.
The types stand in tables of their own ([MS-DOC], Plcfld), where they are changed in place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_QUOTE = 0x23
_STORED = frozenset(
    (0x03, 0x07, 0x0A, 0x0C, 0x0E, *range(0x0F, 0x21), 0x22, 0x25, 0x3B, 0x3C, 0x3D, 0x3E, 0x40, 0x41, 0x42,
     0x44, 0x45, 0x48, 0x50, 0x55)
)  # fmt: skip
"""Types ([MS-DOC], flt) of REF, IF, STYLEREF, SEQ, INFO, TITLE to TIME and TEMPLATE, formulas, PAGEREF,
MERGEFIELD, USERNAME, USERINITIALS, USERADDRESS, DOCVARIABLE, SECTION, SECTIONPAGES, INCLUDETEXT, FILESIZE,
NOTEREF, COMPARE and DOCPROPERTY; not of PAGE, which depends on the layout."""
_TABLES = (0x11A, 0x122, 0x12A, 0x21A, 0x262, 0x272)
"""Where the head says where the tables stand: of the body, headers, footnotes, endnotes, text boxes in the
body and in headers ([MS-DOC], FibRgFcLcb97)."""
_BEGIN = 0x13


def keep_fields(document: Path) -> None:
    """Change the types of fields in `document`, a copy; one that is damaged stays as it is."""
    import olefile

    try:
        with olefile.OleFileIO(document, write_mode=True) as file:
            head = file.openstream("WordDocument").read()
            name = "1Table" if head[0x0B] & 0x02 else "0Table"
            table = bytearray(file.openstream(name).read())
            places = [at for at in _field_types(head, table) if table[at] in _STORED]
            for at in places:
                table[at] = _QUOTE
            if places:
                file.write_stream(name, bytes(table))
    except (OSError, ValueError, LookupError, struct.error, AttributeError):
        return  # LibreOffice says what is wrong with it


def _field_types(head: bytes, table: bytearray) -> Iterator[int]:
    """Places in the table's stream of the type of each field."""
    for at in _TABLES:
        start, size = struct.unpack_from("<II", head, at)
        if start + size > len(table) or size < 10:
            continue
        count = (size - 4) // 6
        for place in range(start + 4 * (count + 1), start + size, 2):
            if table[place] & 0x1F == _BEGIN:
                yield place + 1
