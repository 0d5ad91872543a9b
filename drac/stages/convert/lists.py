"""List items: their markers, and how deep they stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from drac.stages.convert.page import Line
from drac.stages.convert.text import escape, flow, join_lines, line_text, visual_lines

BULLETS = "•◦▪▫●○■□◻◆❑❒❍⧫⬥⬧➲✗★◉◎✦–—·‣⁃∙➢➤►▶✓✔❖➔→*-¾\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8"
_BULLET = re.compile(rf"(?:[{re.escape(BULLETS)}]|o(?=\s)|[\ue000-\uf8ff\ufffd](?=\s|$))\s*")
_POINTS = "•●▪◦‣"
"""Bullets that say nothing; checks, crosses and stars may."""
_DASH = re.compile(r"[-–—*→]\s+(?=\w)")
_NUMBER = re.compile(r"(\d{1,3})([.)])\s+(?=\S)")
_LONE = re.compile(rf"[{re.escape(BULLETS)}]|\d{{1,3}}[.)]")
_LETTER = re.compile(r"(?:\(?(?:[a-z]|[ivx]{1,5}|\d{1,3})\)|[a-z]\.|[ivx]{1,5}\.)\s+(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list."""

    left: float
    """Where its marker starts, x in page points."""
    marker: str
    """`-`, or the number as printed with its stop; empty where none is printed."""
    text: str
    """Without a bullet; letters and other labels stay."""


def starts_item(text: str) -> bool:
    """Whether a line opens with a bullet, number or letter label."""
    return bool(_BULLET.match(text) or _NUMBER.match(text) or _LETTER.match(text))


def starts_bullet(text: str) -> bool:
    """Whether a line opens with a bullet that is no dash, and goes on."""
    bullet = _BULLET.match(text)
    return bullet is not None and text[0] not in "-–—*o→" and bullet.end() < len(text)


def cell_text(lines: Sequence[Line], known: Collection[str] = (), room: float | None = None) -> str:
    """A table cell's text; the bullet of its only item is left out, since the cell parts it already."""
    text = flow(lines, known, room)
    single = text[:1] in _POINTS and not any(mark in text[1:] for mark in _POINTS)
    return text[1:].strip() or text if text and single else text


def is_lone_marker(text: str) -> bool:
    """Whether a line is a bullet or an item's number and nothing else; its text is another line."""
    return _LONE.fullmatch(text.strip()) is not None


def starts_dash(text: str) -> bool:
    """Whether a line opens with a dash or star that a space parts from its text, as in "- text"."""
    return _DASH.match(text) is not None


def item_number(text: str) -> int | None:
    """The number that a line opens with, as in "3. text" or "3) text"."""
    number = _NUMBER.match(text)
    return int(number[1]) if number else None


def items_of(lines: Sequence[Line], known: Collection[str] = ()) -> list[Item]:
    """The items in the lines of one list box: a new one where a line opens with a marker."""
    groups: list[list[list[Line]]] = []
    for group in visual_lines(lines):
        if groups and not _opens(group, groups[-1][0]):
            groups[-1].append(group)
        else:
            groups.append([group])
    return [_item(group, known) for group in groups]


def _opens(group: Sequence[Line], first: Sequence[Line]) -> bool:
    """A number counts at the left of the item above only, not inside a sentence that wraps."""
    text = line_text(group)
    if _BULLET.match(text):
        return True
    indented = group[0].box[0] >= first[0].box[0] + 0.8 * first[0].size
    return starts_item(text) and not (indented and starts_item(line_text(first)))


def _item(groups: Sequence[Sequence[Line]], known: Collection[str]) -> Item:
    text = flow([piece for group in groups for piece in group], known)
    return item_of(text, groups[0][0].box[0])


def item_of(text: str, left: float) -> Item:
    """The item that a text is, by its marker; `left` is where it starts, x in page points."""
    bullet = _BULLET.match(text)
    if bullet and bullet.end() < len(text):
        return Item(left, "-", text[bullet.end() :])
    if number := _NUMBER.match(text):
        return Item(left, f"{number[1]}{number[2]}", text[number.end() :])
    return Item(left, "-" if _LETTER.match(text) else "", text)


def merge_items(items: Sequence[Item], known: Collection[str] = ()) -> list[Item]:
    """Text without a marker that stands right of the marker above goes on with that item."""
    merged: list[Item] = []
    for item in items:
        last = merged[-1] if merged else None
        if last and last.marker and not item.marker and item.left > last.left + 3.0:
            merged[-1] = replace(last, text=join_lines([last.text, item.text], known))
        else:
            merged.append(item)
    return merged


def write_items(items: Sequence[Item]) -> list[str]:
    """One line an item, children indented to their parent's text."""
    stack: list[tuple[float, int]] = []
    written = []
    for item in items:
        while stack and item.left < stack[-1][0] - 2.0:
            stack.pop()
        if stack and item.left <= stack[-1][0] + 6.0:
            stack.pop()
        indent = stack[-1][1] if stack else 0
        marker = item.marker or "-"
        stack.append((item.left, indent + len(marker) + 1))
        written.append(f"{' ' * indent}{marker} {escape(item.text)}")
    return written
