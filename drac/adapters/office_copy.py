"""What is changed in the copy of an Office document that LibreOffice opens.

Fields become the text that the file stores for them. LibreOffice would fill them anew: with the name of the
copy that it reads, today's date, its own page count, or an error where the file's value cannot be computed.
Page numbers stay fields, except on slides, where continuations of other slides must not count. Table rows,
frames and text boxes of a fixed height grow with their text, which would be cut off. Hidden text of text
documents becomes plain where it is wanted. Formulas of spreadsheets become their values.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from drac.adapters.office_copy_doc import keep_fields
from drac.adapters.office_values import with_stored_values

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SHOW = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"

_WORD_FIELDS = frozenset(
    ("FILENAME", "FILESIZE", "DATE", "TIME", "NUMPAGES", "SECTIONPAGES", "SECTION", "AUTHOR", "LASTSAVEDBY",
     "DOCPROPERTY", "DOCVARIABLE", "INFO", "TITLE", "SUBJECT", "KEYWORDS", "COMMENTS", "TEMPLATE", "REVNUM",
     "SAVEDATE", "CREATEDATE", "PRINTDATE", "EDITTIME", "NUMWORDS", "NUMCHARS", "USERNAME", "USERINITIALS",
     "USERADDRESS", "REF", "PAGEREF", "NOTEREF", "STYLEREF", "SEQ", "IF", "COMPARE", "QUOTE", "MERGEFIELD",
     "INCLUDETEXT", "=")
)  # fmt: skip
"""Field names of [ECMA-376] 17.16.5 whose stored value stays."""
_OPEN_FIELDS = frozenset(
    ("date", "time", "file-name", "page-count", "paragraph-count", "word-count", "character-count",
     "table-count", "image-count", "object-count", "author-name", "author-initials", "title", "subject",
     "keywords", "description", "initial-creator", "creator", "creation-date", "creation-time",
     "modification-date", "modification-time", "print-date", "print-time", "printed-by", "editing-cycles",
     "editing-duration", "user-defined", "template-name", "bookmark-ref", "reference-ref", "sequence-ref",
     "note-ref", "chapter", "expression", "conditional-text", "database-display", "variable-get",
     "user-field-get", *(f"sender-{one}" for one in (
         "firstname", "lastname", "initials", "title", "position", "email", "phone-private", "fax", "company",
         "phone-work", "street", "city", "postal-code", "country", "state-or-province")))
)  # fmt: skip
"""Fields of [OpenDocument 1.2] 7.3 to 7.7 likewise."""
_MOST = 200_000_000
"""Bytes of a part above which it stays as it is."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What zipfile raises on packages that are damaged, encrypted or packed in an unknown way."""

_WORD_PART = re.compile(r"word/(?:document\d*|header\d*|footer\d*|footnotes|endnotes)\.xml")
_VANISH = re.compile(rb"<w:(?:vanish|specVanish)(?:\s[^>]*)?/>")
_EXACT = re.compile(rb'w:hRule="exact"')
_FIXED_BOX = re.compile(rb"<a:noAutofit/>|<wps:bodyPr([^>]*)/>|<v:textbox([^>]*)>")
_FIXED_ROW = re.compile(rb"(?<=[\s])style:row-height=")
_UNSHOWN = re.compile(rb'text:display="none"')
_RTF_NAME = re.compile(rb"\\fldinst(?:[\s{}]|\\\*|\\[a-z]+-?\d* ?)*([A-Za-z]+|=)")
_RTF_HIDDEN = re.compile(rb"\\v(?![a-z0-9-])")


def prepare(document: Path, suffix: str, *, hidden: bool) -> None:
    """Change `document`, a copy of the file, in place; `hidden`: hidden text of text documents is shown.

    A part that cannot be parsed stays as it is: LibreOffice says what is wrong with it.
    """
    if suffix in (".docx", ".docm"):
        _edit_package(document, lambda name, data: _word_part(name, data, hidden))
    elif suffix in (".pptx", ".pptm"):
        numbers = _slide_numbers(document)
        _edit_package(document, lambda name, data: _slide_part(name, data, numbers))
    elif suffix in (".odt", ".odp"):
        _edit_package(document, lambda name, data: _open_part(name, data, hidden))
    elif suffix in (".fodt", ".fodp"):
        document.write_bytes(_open_part("content.xml", document.read_bytes(), hidden))
    elif suffix in (".xlsx", ".xlsm", ".ods"):
        _edit_package(document, with_stored_values)
    elif suffix == ".fods":
        document.write_bytes(with_stored_values("content.xml", document.read_bytes()))
    elif suffix == ".doc":
        keep_fields(document)
    elif suffix == ".rtf":
        document.write_bytes(_rtf(document.read_bytes(), hidden))


def _edit_package(document: Path, edit: Callable[[str, bytes], bytes]) -> None:
    """Write the package anew only where a part changes; a damaged one stays as it is."""
    with suppress(*_DAMAGED):
        _edit_parts(document, edit)


def _edit_parts(document: Path, edit: Callable[[str, bytes], bytes]) -> None:
    changed: dict[str, bytes] = {}
    with zipfile.ZipFile(document) as package:
        for info in package.infolist():
            if info.filename.endswith(".xml") and info.file_size <= _MOST and not info.flag_bits & 1:
                data = package.read(info)
                new = edit(info.filename, data)
                if new != data:
                    changed[info.filename] = new
        if changed:
            _write(package, document.with_name("frozen"), changed)
    if changed:
        document.with_name("frozen").replace(document)


def _write(package: zipfile.ZipFile, target: Path, changed: dict[str, bytes]) -> None:
    with zipfile.ZipFile(target, "w") as out:
        for info in package.infolist():
            entry = zipfile.ZipInfo(info.filename, info.date_time)
            entry.compress_type = info.compress_type
            with out.open(entry, "w", force_zip64=info.file_size > 1 << 30) as part:
                if info.filename in changed:
                    part.write(changed[info.filename])
                else:
                    with package.open(info) as old:
                        shutil.copyfileobj(old, part)


def _parsed(data: bytes, change: Callable[[Any], bool]) -> bytes:
    """The part with the change made; as it was where nothing changed or it is not XML."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, huge_tree=True, remove_blank_text=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return data
    if not change(root):
        return data
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


# Word


def _word_part(name: str, data: bytes, hidden: bool) -> bytes:
    if hidden and (name == "word/styles.xml" or _WORD_PART.fullmatch(name)):
        data = _VANISH.sub(b"", data)
    if not _WORD_PART.fullmatch(name):
        return data
    data = _FIXED_BOX.sub(_growing, _EXACT.sub(b'w:hRule="atLeast"', data))
    if b"fldChar" not in data and b"fldSimple" not in data:
        return data
    return _parsed(data, _unlink_fields)


def _growing(found: re.Match[bytes]) -> bytes:
    """The look of a text box that is at least as high as its text."""
    if found[1] is not None:
        return b"<wps:bodyPr%s><a:spAutoFit/></wps:bodyPr>" % found[1]
    if found[2] is None:
        return b"<a:spAutoFit/>"
    if b"mso-fit-shape-to-text" in found[2] or found[2].endswith(b"/"):
        return found[0]
    if b'style="' not in found[2]:
        return b'<v:textbox style="mso-fit-shape-to-text:t"%s>' % found[2]
    return found[0].replace(b'style="', b'style="mso-fit-shape-to-text:t;', 1)


def _unlink_fields(root: Any) -> bool:
    simple = [one for one in root.iter(f"{_W}fldSimple") if _is_stored(one.get(f"{_W}instr", ""))]
    for field in simple:
        _unwrap(field)
    complex_fields = list(_complex_fields(root))
    for field in complex_fields:
        for element in field:
            if element.getparent() is not None:
                element.getparent().remove(element)
    return bool(simple or complex_fields)


def _is_stored(instruction: str) -> bool:
    words = instruction.split(maxsplit=1)
    return bool(words) and (words[0].upper() in _WORD_FIELDS or words[0].startswith("="))


def _complex_fields(root: Any) -> Iterator[list[Any]]:
    """For each field whose value stays: all that is not its value."""
    open_fields: list[_Field] = []
    for run in root.iter(f"{_W}r"):
        for child in run:
            kind = child.get(f"{_W}fldCharType") if child.tag == f"{_W}fldChar" else None
            if kind == "begin":
                open_fields.append(_Field())
            for field in open_fields:
                if not field.has_value:
                    field.code.append(child)
            if child.tag == f"{_W}instrText" and open_fields and not open_fields[-1].has_value:
                open_fields[-1].instruction += child.text or ""
            if kind == "separate" and open_fields:
                open_fields[-1].has_value = True
            elif kind == "end" and open_fields:
                field = open_fields.pop()
                if _is_stored(field.instruction):
                    yield [*field.code, child]


class _Field:
    def __init__(self) -> None:
        self.code: list[Any] = []
        self.instruction = ""
        self.has_value = False


def _unwrap(element: Any) -> None:
    """Put an element's children in its place."""
    parent = element.getparent()
    at = parent.index(element)
    for child in reversed(list(element)):
        parent.insert(at, child)
    parent.remove(element)


# Slides


def _slide_numbers(document: Path) -> dict[str, int]:
    """Number shown on each slide, by the name of its part; empty where the file does not say."""
    from lxml import etree

    try:
        with zipfile.ZipFile(document) as package:
            deck = etree.fromstring(package.read("ppt/presentation.xml"))
            links = etree.fromstring(package.read("ppt/_rels/presentation.xml.rels"))
    except (*_DAMAGED, KeyError, etree.XMLSyntaxError):
        return {}
    targets = {
        one.get("Id"): posixpath.normpath(posixpath.join("ppt", one.get("Target", ""))) for one in links
    }
    first = int(deck.get("firstSlideNum", "1"))
    slides = deck.iterfind(f"{_P}sldIdLst/{_P}sldId")
    return {targets.get(one.get(f"{_R}id"), ""): number for number, one in enumerate(slides, first)}


def _slide_part(name: str, data: bytes, numbers: dict[str, int]) -> bytes:
    if not name.startswith("ppt/slide") or b":fld" not in data:
        return data
    return _parsed(data, lambda root: _unlink_slide_fields(root, numbers.get(name)))


def _unlink_slide_fields(root: Any, number: int | None) -> bool:
    changed = False
    for field in list(root.iter(f"{_A}fld")):
        kind = field.get("type", "")
        if kind == "slidenum" and number is not None:
            for text in field.iterfind(f"{_A}t"):
                text.text = str(number)
        elif not kind.startswith("datetime"):
            continue
        _make_run(field)
        changed = True
    return changed


def _make_run(field: Any) -> None:
    field.tag = f"{_A}r"
    for name in list(field.attrib):
        del field.attrib[name]
    for child in list(field.iterfind(f"{_A}pPr")):
        field.remove(child)


# OpenDocument


def _open_part(name: str, data: bytes, hidden: bool) -> bytes:
    if name not in ("content.xml", "styles.xml"):
        return data
    if hidden:
        data = _UNSHOWN.sub(b'text:display="true"', data)
    return _parsed(_FIXED_ROW.sub(b"style:min-row-height=", data), _unlink_open_fields)


def _unlink_open_fields(root: Any) -> bool:
    changed = False
    for element in root.iter(f"{_TEXT}*", f"{_SHOW}date-time-decl"):
        space, _, name = element.tag.rpartition("}")
        if f"{space}}}" == _SHOW:
            element.set(f"{_SHOW}source", "fixed")
        elif name in _OPEN_FIELDS:
            element.tag = f"{_TEXT}span"
            for key in list(element.attrib):
                del element.attrib[key]
        else:
            continue
        changed = True
    return changed


# Rich text


def _rtf(data: bytes, hidden: bool) -> bytes:
    """A field named so that its value is shown as it stands."""
    if hidden:
        data = _RTF_HIDDEN.sub(b"\\\\v0", data)
    return _RTF_NAME.sub(_renamed, data)


def _renamed(found: re.Match[bytes]) -> bytes:
    if found[1].decode("ascii").upper() not in _WORD_FIELDS:
        return found[0]
    start = found.start(1) - found.start()
    return found[0][:start] + b"QUOTE " + b" " * max(0, len(found[1]) - 6)
