"""The tree of a web page to pages of retrieval-aware Markdown.

Blocks stand in the order of the tree. Running text between two blocks is a paragraph; two line breaks end it.
`details` are open; links and emphasis are their text; of a form stand the values. A picture is no text, but
its alternative stands for it where a heading or a cell holds nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from drac.records import Table
from drac.stages.convert.lists import Item, write_items
from drac.stages.convert.native.inline import alternative, around, own_text, text_of
from drac.stages.convert.native.pages import MARKER, Pages
from drac.stages.convert.native.table import HtmlTable, cells_of, is_layout, read_table
from drac.stages.convert.native.tree import BREAK, LINE_BREAK, SHOWN_AS, SKIPPED, collapse, is_block, name_of
from drac.stages.convert.rows import idle_headers, row_sentences, sentence
from drac.stages.convert.text import escape, escape_heading, fenced
from drac.stages.convert.write import Written

_PARAGRAPH_END = re.compile(rf"{LINE_BREAK}\s*{LINE_BREAK}")
_INDENT = 12.0
"""Points from a list to a list within it, as `write_items` counts."""
_LISTS = frozenset(("ul", "ol", "dir", "menu"))


def write_html(root: Element) -> list[Written]:
    """The page's text by pages, at least one; `root` is a tree from which hidden elements are gone."""
    writer = _Writer()
    writer.children(root)
    writer.end_list()
    return writer.pages.finish()


class _Writer:
    """Walks a tree and writes what it meets."""

    def __init__(self) -> None:
        self.pages = Pages()
        self._inline: list[str] = []
        self._kinds = ["paragraph"]
        self._items: list[Item] = []
        self._depth = 0
        self._marker = ""
        self._prefix = ""

    def children(self, element: Element) -> None:
        """Everything in the element, in order."""
        self._inline.append(element.text or "")
        for child in element:
            self._node(child)
            self._inline.append(child.tail or "")
        if is_block(element):
            self._flush()

    def end_list(self) -> None:
        """Write what waits: running text, then the items of a list."""
        self._flush()
        if self._items:
            self.pages.page.add("list", "\n".join(write_items(self._items)), ())
            self._items = []

    def _node(self, node: Element) -> None:
        name = name_of(node)
        if not name:
            self._comment(node)
            return
        if name in SKIPPED:
            return
        breaks = node.get(BREAK, "")
        if "before" in breaks:
            self._turn()
        self._element(node, name)
        if "after" in breaks:
            self._turn()

    def _comment(self, node: Element) -> None:
        marker = MARKER.fullmatch(node.text or "")
        if marker:
            self._turn(int(marker[1]))

    def _turn(self, number: int | None = None) -> None:
        self.end_list()
        self.pages.turn(number)

    def _element(self, node: Element, name: str) -> None:
        if is_block(node):
            self._flush()
        if name in _LISTS:
            self._list(node)
        elif handle := _BLOCKS.get(_role(node) or name):
            handle(self, node)
        elif own_text(node) is not None or node.get(SHOWN_AS) == "apart" or name in ("q", "svg", "math"):
            self._inline += around(node)
        else:
            self.children(node)

    # Running text.

    def _flush(self) -> None:
        text, self._inline = "".join(self._inline), []
        for part in _PARAGRAPH_END.split(text):
            if words := collapse(part):
                self._paragraph(words)

    def _paragraph(self, words: str) -> None:
        if self._depth:
            self._to_item(words)
        else:
            self.end_list()
            self.pages.page.add(self._kinds[-1], escape(words), ())

    def _captioned(self, node: Element) -> None:
        self._kinds.append("caption")
        self.children(node)
        self._flush()
        self._kinds.pop()

    def _heading(self, node: Element) -> None:
        if words := text_of(node) or alternative(node):
            label = self._marker.removeprefix("-")
            words = f"{label} {self._prefix}{words}".strip()
            self._marker = self._prefix = ""
            self.end_list()
            self.pages.page.add("heading", f"{'#' * _level(node)} {escape_heading(words)}", ())

    def _code(self, node: Element) -> None:
        body = _verbatim(node).strip("\n")
        if body.strip():
            self.end_list()
            self.pages.page.add("code", fenced(body), ())

    # Lists.

    def _list(self, node: Element) -> None:
        self._depth += 1
        number = _number(node.get("start"), 1)
        for child in node:
            if name_of(child) == "li":
                number = _number(child.get("value"), number)
                self._item(child, *_label(node, number))
                number += -1 if "reversed" in node.attrib else 1
            else:
                self._node(child)
                self._flush()
        self._depth -= 1
        if not self._depth:
            self.end_list()

    def _loose_item(self, node: Element) -> None:
        """An item outside a list."""
        self._depth += 1
        self._item(node, "-", "")
        self._depth -= 1

    def _item(self, node: Element, marker: str, prefix: str) -> None:
        self._marker, self._prefix = marker, prefix
        self.children(node)
        self._flush()
        self._marker = ""

    def _to_item(self, words: str) -> None:
        """Words of an item: its first open it, further ones at its level go on with it."""
        left = self._depth * _INDENT
        last = self._items[-1] if self._items else None
        if last and not self._marker and last.left == left:
            self._items[-1] = Item(left, last.marker, f"{last.text} {words}")
        else:
            self._items.append(Item(left, self._marker or "-", self._prefix + words))
        self._marker = self._prefix = ""

    def _definitions(self, node: Element) -> None:
        """Terms and what they mean: an item for each meaning, its terms before it."""
        self._depth += 1
        self._define(node, [])
        self._depth -= 1
        if not self._depth:
            self.end_list()

    def _define(self, node: Element, terms: list[str]) -> None:
        told = True
        for child in node:
            name = name_of(child)
            if name == "dt":
                terms = [text_of(child)] if told else [*terms, text_of(child)]
                told = False
            elif name == "dd":
                self._item(child, "-", _term(terms))
                told = True
            else:
                self._define(child, terms)
        if not told:
            self._marker, self._prefix = "-", ""
            self._to_item("; ".join(filter(None, terms)))

    # Tables.

    def _table(self, node: Element) -> None:
        if is_layout(node):
            for cell in cells_of(node):
                self._flush()
                self.children(cell)
                self._flush()
            return
        table = read_table(node, _as_sentences)
        if table is None:
            return
        self.end_list()
        self._rows(table)

    def _rows(self, table: HtmlTable) -> None:
        page = self.pages.page
        for title in table.titles:
            page.add("caption", escape(title), ())
        if idle := idle_headers(table.cells, table.columns, table.header_rows):
            page.add("paragraph", escape(sentence(idle)), ())
        places = [
            (row, *page.add("row", escape(text), ()))
            for row, text in row_sentences(table.cells, table.rows, table.columns, table.header_rows)
        ]
        filled = tuple(one for one in table.cells if one.text)
        caption = table.titles[0] if table.titles else ""
        grid = Table(_NOWHERE, table.rows, table.columns, table.header_rows, filled, caption, tuple(places))
        page.tables.append(grid)


def _letters(number: int) -> str:
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _roman(number: int) -> str:
    text = ""
    for value, letters in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    ):
        count, number = divmod(number, value)
        text += letters * count
    return text


_LABELS: dict[str, Callable[[int], str]] = {
    "a": _letters,
    "A": lambda n: _letters(n).upper(),
    "i": _roman,
    "I": lambda n: _roman(n).upper(),
}
"""By an ordered list's `type`; numbers need none."""
_NOWHERE = (0.0, 0.0, 0.0, 0.0)
"""Place of what is not drawn."""
_BLOCKS: dict[str, Callable[[_Writer, Element], None]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "heading"), _Writer._heading),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), _Writer._code),
    "figcaption": _Writer._captioned,
    "table": _Writer._table,
    "dl": _Writer._definitions,
    "li": _Writer._loose_item,
}


def _role(node: Element) -> str:
    return "heading" if node.get("role") == "heading" else ""


def _level(node: Element) -> int:
    name = name_of(node)
    said = node.get("aria-level", "")
    level = int(name[1]) if len(name) == 2 and name[1].isdigit() else int(said) if said.isdecimal() else 2
    return min(max(level, 1), 6)


def _as_sentences(table: Element) -> str:
    """A table within a cell: its rows' sentences on one line."""
    read = read_table(table, _as_sentences)
    if read is None:
        return ""
    heads = idle_headers(read.cells, read.columns, read.header_rows)
    rows = [text for _, text in row_sentences(read.cells, read.rows, read.columns, read.header_rows)]
    return " ".join([*read.titles, *([sentence(heads)] if heads else []), *rows])


def _verbatim(node: Element) -> str:
    parts = [node.text or ""]
    for child in node:
        name = name_of(child)
        parts += ["\n" if name == "br" else "" if name in SKIPPED else _verbatim(child), child.tail or ""]
    return "".join(parts) if name_of(node) else ""


def _term(terms: list[str]) -> str:
    term = "; ".join(filter(None, terms)).rstrip(" :")
    return f"{term}: " if term else ""


def _number(given: str | None, otherwise: int) -> int:
    return int(given) if given and re.fullmatch(r"-?[0-9]{1,9}", given.strip()) else otherwise


def _label(node: Element, number: int) -> tuple[str, str]:
    """Marker of an item, and what stands before its text: a label that Markdown has no marker for."""
    if name_of(node) != "ol":
        return "-", ""
    letters = _LABELS.get(node.get("type", ""))
    if letters and 0 < number < 4_000:
        return "-", f"{letters(number)}. "
    return (f"{number}.", "") if number >= 0 else ("-", f"{number}. ")
