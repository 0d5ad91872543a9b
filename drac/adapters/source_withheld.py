"""What the policy of normalize leaves out of a document: counted, never quoted.

Reads the XML parts as a stream, so that memory stays small whatever the size of the document.
"""

from __future__ import annotations

import logging
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from drac.adapters import office_crypto, source_withheld_odf
from drac.adapters.source_withheld_odf import (
    COMMENT,
    DELETED,
    HIDDEN_COLUMN,
    HIDDEN_ROW,
    HIDDEN_SHAPE,
    HIDDEN_SHEET,
    HIDDEN_SLIDE,
    HIDDEN_TEXT,
    NOTES,
)
from drac.config import NormalizeSettings
from drac.errors import EncryptedDocument

log = logging.getLogger(__name__)

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WORD_PART = re.compile(r"word/(?:document\d*|header\d*|footer\d*|footnotes|endnotes)\.xml")
_SLIDE = re.compile(r"ppt/slides/[^/]+\.xml")
_SLIDE_COMMENTS = re.compile(r"ppt/comments/[^/]+\.xml")
_SHEET_COMMENTS = re.compile(r"xl/(?:comments/?[^/]*|threadedComments/[^/]+)\.xml")
_PLURALS = {
    HIDDEN_SLIDE: "hidden slides", HIDDEN_SHEET: "hidden sheets", HIDDEN_ROW: "hidden rows",
    HIDDEN_COLUMN: "hidden columns", HIDDEN_SHAPE: "hidden shapes", COMMENT: "comments",
}  # fmt: skip
_ORDER = (
    HIDDEN_SHEET, HIDDEN_ROW, HIDDEN_COLUMN, HIDDEN_SLIDE, HIDDEN_SHAPE, HIDDEN_TEXT, NOTES, COMMENT, DELETED,
)  # fmt: skip
_OPTIONS = {
    "--hidden": (HIDDEN_SHEET, HIDDEN_ROW, HIDDEN_COLUMN, HIDDEN_SLIDE, HIDDEN_TEXT), "--notes": (NOTES,),
}  # fmt: skip

_BROUGHT = {"--hidden": "what is hidden", "--notes": "the notes"}


def withheld(
    document: Path, suffix: str, settings: NormalizeSettings, passwords: Sequence[str], beside: Path
) -> str:
    """A line such as `left out: 2 hidden sheets; --hidden brings in what is hidden`; empty where nothing is.

    An encrypted document is decrypted to the file `beside`. A document that cannot be read has a line too.
    """
    read = _READERS.get(suffix.lstrip("."))
    if read is None:
        return ""
    try:
        found = read(_opened(document, passwords, beside))
    except Exception as error:  # libraries raise anything on odd files; this one has its PDF already
        log.debug("%s", document, exc_info=error)
        return "what is hidden in it is not known; it is left out"
    finally:
        beside.unlink(missing_ok=True)
    shown = [*(_OPTIONS["--hidden"] if settings.hidden else ()), *((NOTES,) if settings.notes else ())]
    return _line({kind: found[kind] for kind in _ORDER if found[kind] and kind not in shown})


def _opened(document: Path, passwords: Sequence[str], beside: Path) -> Path:
    if zipfile.is_zipfile(document) or not office_crypto.is_encrypted(document):
        return document
    for password in (None, *passwords):
        try:
            office_crypto.decrypt(document, beside, password)
            return beside
        except EncryptedDocument as error:
            failure = error
    raise failure


def _line(found: dict[str, int]) -> str:
    if not found:
        return ""
    said = "left out: " + ", ".join(_counted(kind, count) for kind, count in found.items())
    helps = [option for option, kinds in _OPTIONS.items() if any(kind in found for kind in kinds)]
    verb = "bring" if len(helps) > 1 else "brings"
    what = " and ".join(_BROUGHT[option] for option in helps)
    return said + (f"; {' / '.join(helps)} {verb} in {what}" if helps else "")


def _counted(kind: str, count: int) -> str:
    if kind == NOTES:
        return f"speaker notes of {count:,} slide{'s' * (count > 1)}"
    if kind in (HIDDEN_TEXT, DELETED):
        return kind
    return f"{count:,} {kind if count == 1 else _PLURALS[kind]}"


def _parsed(file: IO[bytes], *tags: str) -> Iterator[Any]:
    """The elements of these tags at their end; what was seen of others is dropped on the way."""
    from lxml import etree

    for _, element in etree.iterparse(file, tag=tags, resolve_entities=False, no_network=True):
        yield element
        element.clear(keep_tail=True)
        while element.getprevious() is not None and element.getparent() is not None:
            del element.getparent()[0]


def _is_on(value: str | None) -> bool:
    return value in ("1", "true", "on")


# Word


def _word(document: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    with zipfile.ZipFile(document) as package:
        names = package.namelist()
        styles = _hidden_styles(package) if "word/styles.xml" in names else frozenset[str]()
        for name in filter(_WORD_PART.fullmatch, names):
            with package.open(name) as part:
                _word_part(part, styles, found)
        if "word/comments.xml" in names:
            with package.open("word/comments.xml") as part:
                found[COMMENT] = sum(1 for _ in _parsed(part, f"{_W}comment"))
    return found


def _word_part(part: IO[bytes], styles: frozenset[str], found: Counter[str]) -> None:
    for run in _parsed(part, f"{_W}r"):
        gone = any(text.text for text in run.iter(f"{_W}delText"))
        moved = next(run.iterancestors(f"{_W}moveFrom"), None) is not None
        found[DELETED] += gone or moved
        text = "".join(one.text or "" for one in run.iter(f"{_W}t"))
        found[HIDDEN_TEXT] += bool(text.strip()) and not moved and _is_hidden(run, styles)


def _hidden_styles(package: zipfile.ZipFile) -> frozenset[str]:
    with package.open("word/styles.xml") as part:
        return frozenset(
            style.get(f"{_W}styleId", "")
            for style in _parsed(part, f"{_W}style")
            if _vanishes(style.find(f"{_W}rPr")) is True
        )


def _is_hidden(run: Any, styles: frozenset[str]) -> bool:
    properties = run.find(f"{_W}rPr")
    said = _vanishes(properties)
    if said is not None or properties is None:
        return bool(said)
    style = properties.find(f"{_W}rStyle")
    return style is not None and style.get(f"{_W}val") in styles


def _vanishes(properties: Any) -> bool | None:
    """What run properties say of being hidden; None: nothing."""
    vanish = properties.find(f"{_W}vanish") if properties is not None else None
    return None if vanish is None else vanish.get(f"{_W}val", "true") not in ("0", "false", "off")


# Slides


def _slides(document: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    with zipfile.ZipFile(document) as package:
        names = frozenset(package.namelist())
        for name in filter(_SLIDE.fullmatch, sorted(names)):
            hidden = _slide(package, name, found)
            found[NOTES] += not hidden and _has_notes(package, name, names)
        for name in filter(_SLIDE_COMMENTS.fullmatch, sorted(names)):
            with package.open(name) as part:
                found[COMMENT] += sum(1 for _ in _parsed(part, "{*}cm"))
    return found


def _slide(package: zipfile.ZipFile, name: str, found: Counter[str]) -> bool:
    """Whether the slide is hidden."""
    hidden, shapes = False, 0
    with package.open(name) as part:
        for element in _parsed(part, f"{_P}cNvPr", f"{_P}sld"):
            if element.tag == f"{_P}sld":
                hidden = element.get("show") in ("0", "false")
            else:
                shapes += _is_on(element.get("hidden"))
    found[HIDDEN_SLIDE] += hidden
    found[HIDDEN_SHAPE] += 0 if hidden else shapes
    return hidden


def _has_notes(package: zipfile.ZipFile, slide: str, names: frozenset[str]) -> bool:
    folder, _, name = slide.rpartition("/")
    for target in _targets(package, f"{folder}/_rels/{name}.rels", names).values():
        notes = f"ppt/notesSlides/{target.rpartition('/')[2]}"
        if "notesSlides/" in target and notes in names:
            with package.open(notes) as part:
                return any(_is_body(shape) and _says(shape) for shape in _parsed(part, f"{_P}sp"))
    return False


def _is_body(shape: Any) -> bool:
    return any(one.get("type") == "body" for one in shape.iter(f"{_P}ph"))


def _says(shape: Any) -> bool:
    return any((one.text or "").strip() for one in shape.iter(f"{_A}t"))


def _targets(package: zipfile.ZipFile, name: str, names: frozenset[str]) -> dict[str, str]:
    """Where the relations of a part lead, by their ids."""
    if name not in names:
        return {}
    with package.open(name) as part:
        return {one.get("Id", ""): one.get("Target", "") for one in _parsed(part, "{*}Relationship")}


# Sheets


def _sheets(document: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    with zipfile.ZipFile(document) as package:
        names = frozenset(package.namelist())
        targets = _targets(package, "xl/_rels/workbook.xml.rels", names)
        with package.open("xl/workbook.xml") as part:
            listed = [(one.get(_R, ""), one.get("state", "visible")) for one in _parsed(part, f"{_S}sheet")]
        for relation, state in listed:
            found[HIDDEN_SHEET] += state != "visible"
            name = _sheet_name(targets.get(relation, ""))
            if state == "visible" and name in names:
                with package.open(name) as part:
                    _sheet(part, found)
        found[COMMENT] = _sheet_comments(package, names)
    return found


def _sheet_name(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _sheet(part: IO[bytes], found: Counter[str]) -> None:
    """Count its hidden rows and columns that hold something."""
    hidden: list[tuple[int, int]] = []
    filled: set[int] = set()
    for element in _parsed(part, f"{_S}col", f"{_S}row"):
        if element.tag == f"{_S}col":
            if _is_on(element.get("hidden")):
                hidden.append((int(element.get("min", 1)), int(element.get("max", 1))))
            continue
        cells = [one for one in element if one.find(f"{_S}v") is not None or one.find(f"{_S}is") is not None]
        if _is_on(element.get("hidden")):
            found[HIDDEN_ROW] += bool(cells)
        elif hidden:
            columns = {_column(one.get("r", "")) for one in cells}
            filled |= {at for at in columns if any(first <= at <= last for first, last in hidden)}
    found[HIDDEN_COLUMN] += len(filled)


def _column(reference: str) -> int:
    """1 of `A7`; 0 where a cell does not say."""
    number = 0
    for letter in filter(str.isalpha, reference):
        number = 26 * number + ord(letter.upper()) - 64
    return number


def _sheet_comments(package: zipfile.ZipFile, names: frozenset[str]) -> int:
    """A threaded comment stands among the plain ones too, a thread as one; the higher count is told."""
    plain = threaded = 0
    for name in filter(_SHEET_COMMENTS.fullmatch, sorted(names)):
        with package.open(name) as part:
            for one in _parsed(part, "{*}comment", "{*}threadedComment"):
                threaded += one.tag.endswith("}threadedComment")
                plain += one.tag == f"{_S}comment"
    return max(plain, threaded)


_READERS: dict[str, Callable[[Path], Counter[str]]] = {
    **dict.fromkeys(("docx", "docm"), _word),
    **dict.fromkeys(("pptx", "pptm"), _slides),
    **dict.fromkeys(("xlsx", "xlsm"), _sheets),
    **dict.fromkeys(("odt", "fodt", "odp", "fodp", "ods", "fods"), source_withheld_odf.count),
}
