"""A web page made ready for printing as its reader sees it on the screen, scrolled to the end.

Boxes that clip their text grow with it, what floats over the page stands in it, tables of data get rules
where they have none. The tree is WeasyPrint's own, changed before it is drawn.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import cssselect2

from drac.adapters.html_parser import flatten
from drac.adapters.html_style import Styles
from drac.adapters.html_tree import prune, shown_tree
from drac.stages.convert.native.inline import text_of
from drac.stages.convert.native.table import cells_of, is_layout
from drac.stages.convert.native.tree import name_of

RULED = "drac-ruled"
"""Attribute of tables that get rules."""
STYLE = f"""
@page {{ size: A4; margin: 1.5cm }}
:where(html) {{ font-family: "Liberation Serif", serif }}
:where(pre, code, kbd, samp) {{ font-family: "Liberation Mono", monospace }}
:where(pre) {{ white-space: pre-wrap; overflow-wrap: anywhere }}
:where(img, svg, video, canvas) {{ max-width: 100% }}
:where(th, td) {{ padding: 1pt 4pt; vertical-align: top }}
:where(table) {{ border-collapse: collapse }}
* {{ overflow: visible !important; columns: auto !important }}
* {{ letter-spacing: normal !important; font-variant-caps: normal !important }}
sup {{ vertical-align: 0.33em !important }}
sub {{ vertical-align: -0.16em !important }}
input, textarea, select, button {{ height: auto !important; max-width: 100% !important }}
input, textarea, input::before {{ overflow: visible !important; white-space: pre-wrap !important }}
[{RULED}] {{ border-collapse: collapse !important }}
:where([{RULED}]) {{ margin: 6pt 0 }}
[{RULED}] > tr > *, [{RULED}] > * > tr > * {{ border: 0.5pt solid !important }}
"""
"""What a page that says nothing looks like (`:where` lets its own rules win), and what no page may do: clip
text, set it in columns as short as the window, space letters so that words fall apart, or raise a sign out of
its line. Cells without rules can only be guessed from white space; without a margin two tables become one."""

_BLOCK = re.compile(r"\{[^{}]*\}|\A[^{}]*\Z")
_CLIPS = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|auto|scroll|clip)", re.IGNORECASE)
_HEIGHT = re.compile(r"(?<![-\w])height\s*:", re.IGNORECASE)
_CUT = re.compile(r"(?<![-\w])(?:max-height|(?:-webkit-)?line-clamp|max-lines)\s*:[^;}]*", re.IGNORECASE)
_ONE_LINE = re.compile(r"white-space\s*:\s*(?:nowrap|pre)(?![-\w])", re.IGNORECASE)
_OVER = re.compile(r"position\s*:\s*(?:fixed|(?:-webkit-)?sticky)", re.IGNORECASE)
_BORDERS = {
    **dict.fromkeys(("border", "border-style", "border-width"), "border"),
    **dict.fromkeys(("border-left", "border-left-style", "border-left-width"), "left"),
    **dict.fromkeys(("border-right", "border-right-style", "border-right-width"), "right"),
}
_NO_BORDER = re.compile(r"(?:^|\s)(?:none|hidden|0(?:px|pt|em)?)(?:\s|$)")
_WORD = re.compile(r"[^\W_]{2,}")
_NAMED = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "td", "th"))
"""Elements for whose picture its alternative stands."""
_DRAWN_DEEP = 60
"""Elements within each other that a page may have which is drawn flat; about 100 blocks can be drawn."""
_FEW = 3
"""Words that may be missing from a print, for words that are drawn in a way of their own."""
_SHARE = 0.01


def prepare(root: Element) -> None:
    """Change a page's tree so that its print holds what the screen shows."""
    for element in root.iter():
        if element.tag == "style" and element.text:
            element.text = unclipped(element.text)
        if style := element.get("style"):
            element.set("style", unclipped(style))
    _rule_tables(root)
    _silence(root)


def _silence(root: Element) -> None:
    """The alternative of a picture is no text, as in `--native`, but for headings and cells."""
    named = {image for one in root.iter() if name_of(one) in _NAMED for image in one.iter()}
    for image in root.iter():
        if name_of(image) == "img" and image not in named:
            image.set("alt", "")


def strip_style(root: Element) -> None:
    """Take the page's own style out, but not what it hides; for pages that lose text by their style."""
    prune(root)
    for element in root.iter():
        element.attrib.pop("style", None)
        for child in [one for one in element if one.tag in ("style", "link")]:
            element.remove(child)


def flatten_page(root: Element) -> None:
    """Set what is nested too deeply to be drawn beside each other."""
    prune(root)
    flatten(root, _DRAWN_DEEP)


def unclipped(css: str) -> str:
    """CSS without what cuts text off or lays it over other text: a style sheet, or a `style` attribute."""
    return _BLOCK.sub(lambda block: _unclipped_block(block[0]), css)


def _unclipped_block(block: str) -> str:
    block = _OVER.sub("position:static", block)
    if _CLIPS.search(block):
        block = _ONE_LINE.sub("white-space:normal", _HEIGHT.sub("min-height:", _CUT.sub("", block)))
    return block


def words_lost(html: str, pdf: bytes) -> int:
    """How many different words the screen shows and the print lacks; 0 for a few of many."""
    import pymupdf

    shown = {word.casefold() for word in _WORD.findall(_folded(text_of(shown_tree(html))))}
    everything = pymupdf.INFINITE_RECT()
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        text = "".join(page.get_text(clip=everything) for page in document)
    there = "".join(_folded(text).split()).casefold()
    lost = sum(word not in there for word in shown)
    return lost if lost > max(_FEW, _SHARE * len(shown)) else 0


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u00ad", "")


def _rule_tables(root: Element) -> None:
    styles = Styles(root, _BORDERS)
    plain = styles.say_nothing(root)
    bordered = set() if plain else set(_bordered(root, styles))
    for table in [one for one in root.iter() if name_of(one) == "table"]:
        cells = list(cells_of(table))
        if cells and _wants_rules(table) and 2 * sum(cell in bordered for cell in cells) < len(cells):
            table.set(RULED, "")


def _bordered(root: Element, styles: Styles) -> Iterator[Element]:
    """Cells with a line on their left or right by the page's own style."""
    for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
        if wrapper.local_name in ("td", "th"):
            values = styles.of(wrapper).values()
            if any(not _NO_BORDER.search(value) for value in values):
                yield wrapper.etree_element


def _wants_rules(table: Element) -> bool:
    """Whether a table holds data and draws no rules by its attributes."""
    if is_layout(table) or table.get("border", "0").strip() not in ("", "0"):
        return False
    names = [name_of(one) for one in table.iter()]
    return "th" in names or ("border" not in table.attrib and names.count("table") == 1)
