"""DoclingDocument, docling's result, to pages: its JSON as docling-core 2 writes it, read without docling.

Text that runs over a page is parted by the character spans that docling states. Words in pictures are left
out, as docling's own Markdown leaves them out, unless asked for; what a model said of a picture stands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from drac.adapters.parsed_pages import ListItem, ParsedPage, list_html

Item = Mapping[str, Any]
_FURNITURE = frozenset(("page_header", "page_footer"))
_BOXES = {"checkbox_selected": "\u2612 ", "checkbox_unselected": "\u2610 "}
_LISTS = frozenset(("list", "ordered_list"))
_NUMBER = re.compile(r"\d+")


def document_pages(document: Item, *, picture_text: bool = False) -> dict[int, ParsedPage]:
    """What stands on each 1-based page that anything stands on."""
    walk = _Walk(document, picture_text)
    walk.children(document.get("body", {}), 0)
    for item in document.get("texts", ()):
        if item.get("content_layer") == "furniture" and item.get("self_ref") not in walk.seen:
            walk.furniture(item)
    return walk.finish()


class _Walk:
    """Goes through the body in reading order and hands each item's blocks to its page."""

    def __init__(self, document: Item, picture_text: bool) -> None:
        self._document, self._picture_text = document, picture_text
        self._pages: dict[int, list[str | ListItem]] = defaultdict(list)
        self._furniture: dict[int, list[str]] = defaultdict(list)
        self._page = _first_page(document)
        self.seen: set[str] = set()

    def finish(self) -> dict[int, ParsedPage]:
        """The pages, lists put together."""
        numbers = sorted({*self._pages, *self._furniture})
        return {n: ParsedPage(list(_joined(self._pages[n])), self._furniture[n]) for n in numbers}

    def children(self, item: Item, depth: int) -> None:
        """Everything below an item, in order; `depth`: lists that it is in."""
        for child in item.get("children", ()):
            self._item(self._resolve(child), depth)

    def furniture(self, item: Item) -> None:
        """A running header or footer."""
        for page, text in self._parts(item):
            self._furniture[page].append(text)

    def _resolve(self, reference: Item) -> Item:
        """The item that `#/texts/3` names."""
        found: Any = self._document
        for part in str(reference.get("$ref", "")).removeprefix("#/").split("/"):
            found = found[int(part)] if isinstance(found, list) else found.get(part, {})
        return found if isinstance(found, Mapping) else {}

    def _item(self, item: Item, depth: int) -> None:
        name = str(item.get("self_ref", ""))
        if name in self.seen:
            return
        self.seen.add(name)
        label, kind = str(item.get("label", "")), name.split("/")[1] if name.count("/") > 1 else ""
        if item.get("content_layer", "body") == "furniture" or label in _FURNITURE:
            self.furniture(item)
        elif kind == "groups":
            self._group(item, label, depth)
        elif kind == "tables":
            self._grid(item, depth)
        elif kind == "pictures":
            self._picture(item, depth)
        elif item.get("text") or item.get("children"):
            self._text(item, label, depth)

    def _group(self, item: Item, label: str, depth: int) -> None:
        if label == "inline":
            if words := self._inline(item):
                self._add(item, f"<p>{words}</p>")
        else:
            self.children(item, depth + 1 if label in _LISTS else depth)

    def _inline(self, item: Item) -> str:
        """Pieces of one line: they are items of their own where their style differs."""
        found = []
        for child in map(self._resolve, item.get("children", ())):
            self.seen.add(str(child.get("self_ref", "")))
            self._turn(child)
            found.append(escape(str(child.get("text", ""))) or self._inline(child))
        return " ".join(filter(None, found))

    def _text(self, item: Item, label: str, depth: int) -> None:
        if label == "list_item":
            self._list_item(item, max(depth, 1))
        elif not item.get("text"):
            self._heading_of(item, label)
        else:
            for page, text in self._parts(item):
                self._pages[page].append(_block(item, label, text))
        self.children(item, depth)

    def _heading_of(self, item: Item, label: str) -> None:
        """A block whose words are pieces below it."""
        self._turn(item)
        if words := self._inline(item):
            self._add(item, _wrapped(item, label, words))

    def _list_item(self, item: Item, depth: int) -> None:
        number = _NUMBER.search(str(item.get("marker", ""))) if item.get("enumerated") else None
        value = int(number[0][:9]) if number else None
        if not item.get("text"):
            self._turn(item)
            words = self._pieces(item)
            self._pages[self._page] += [ListItem(depth, words, value)] if words else []
            return
        for page, text in self._parts(item):
            self._pages[page].append(ListItem(depth, escape(text), value))

    def _pieces(self, item: Item) -> str:
        """The words of an item that are pieces of their own; what else is below it comes after."""
        inline = [one for one in map(self._resolve, item.get("children", ())) if one.get("label") == "inline"]
        self.seen.update(str(one.get("self_ref", "")) for one in inline)
        return " ".join(map(self._inline, inline))

    def _grid(self, item: Item, depth: int) -> None:
        """A table. What is below it is its cells' own text once more, unless it has no cells."""
        self._captions(item)
        rows = _table(item)
        self._add(item, rows)
        if not rows:
            self.children(item, depth)
        for note in map(self._resolve, item.get("footnotes", ())):
            self._item(note, 0)

    def _picture(self, item: Item, depth: int) -> None:
        self._captions(item)
        for text in _descriptions(item):
            self._add(item, f"<p>{escape(text)}</p>")
        if self._picture_text:
            self.children(item, depth)

    def _captions(self, item: Item) -> None:
        for caption in map(self._resolve, item.get("captions", ())):
            self._item(caption, 0)

    def _add(self, item: Item, html: str) -> None:
        self._turn(item)
        if html:
            self._pages[self._page].append(html)

    def _turn(self, item: Item) -> None:
        """What has no place of its own stands on the page of what was before it."""
        places = item.get("prov") or ()
        if places:
            self._page = int(places[0].get("page_no", self._page))

    def _parts(self, item: Item) -> Iterator[tuple[int, str]]:
        """(page, text) of each page that a text stands on."""
        text, places = str(item.get("text", "")), item.get("prov") or ()
        self._turn(item)
        if len({one.get("page_no") for one in places}) < 2 or not _covered(text, places):
            yield self._page, text
            return
        for place in places:
            start, end = place["charspan"]
            self._page = int(place["page_no"])
            if part := text[start:end].strip():
                yield self._page, part


def _first_page(document: Item) -> int:
    """The first page that anything stands on: a document may be a range of another's pages."""
    kinds = (document.get(kind, ()) for kind in ("texts", "tables", "pictures"))
    places = (place for items in kinds for item in items for place in item.get("prov") or ())
    return min((int(one.get("page_no", 1)) for one in places), default=1)


def _covered(text: str, places: Sequence[Item]) -> bool:
    """Whether the character spans of the places are the whole text, one after the other."""
    at = 0
    for place in places:
        start, end = place.get("charspan") or (0, 0)
        if start < at or text[at:start].strip() or end <= start:
            return False
        at = end
    return not text[at:].strip()


def _block(item: Item, label: str, text: str) -> str:
    if label == "code":
        return f"<pre>{escape(text)}</pre>"
    return _wrapped(item, label, escape(_BOXES.get(label, "") + text))


def _wrapped(item: Item, label: str, words: str) -> str:
    """HTML of a block; a section header of level 1 stands below the title, as in docling's own Markdown."""
    if label in ("title", "section_header"):
        level = 1 if label == "title" else min(int(item.get("level", 1)) + 1, 6)
        return f"<h{level}>{words}</h{level}>"
    return f"<figcaption>{words}</figcaption>" if label == "caption" else f"<p>{words}</p>"


def _table(item: Item) -> str:
    data = item.get("data") or {}
    rows: dict[int, list[Item]] = defaultdict(list)
    for cell in data.get("table_cells", ()):
        rows[int(cell["start_row_offset_idx"])].append(cell)
    html = "".join(
        f"<tr>{''.join(map(_cell, sorted(rows[row], key=_column)))}</tr>"
        for row in range(int(data.get("num_rows") or 0))
    )
    return f"<table>{html}</table>" if html else ""


def _column(cell: Item) -> int:
    return int(cell["start_col_offset_idx"])


def _cell(cell: Item) -> str:
    tag = "th" if cell.get("column_header") or cell.get("row_header") else "td"
    spans = f'rowspan="{int(cell.get("row_span", 1))}" colspan="{int(cell.get("col_span", 1))}"'
    return f"<{tag} {spans}>{escape(str(cell.get('text', '')))}</{tag}>"


def _descriptions(item: Item) -> Iterator[str]:
    """What a model wrote of a picture: newer results keep it in `meta`, older ones among `annotations`."""
    told = ((item.get("meta") or {}).get("description") or {}).get("text")
    if told:
        yield str(told)
        return
    for one in item.get("annotations") or ():
        if one.get("kind") == "description" and one.get("text"):
            yield str(one["text"])


def _joined(blocks: Sequence[str | ListItem]) -> Iterator[str]:
    """Blocks, items in a row as one list."""
    items: list[ListItem] = []
    for one in blocks:
        if isinstance(one, ListItem):
            items.append(one)
            continue
        if items:
            yield list_html(items)
            items = []
        yield one
    if items:
        yield list_html(items)
