"""List items: their markers, and how deep they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drac.stages.convert.page import Line
from drac.stages.convert.text import escape, flow, visual_lines

BULLETS = "•◦▪▫●○■□–—·‣⁃∙➢➤►▶✓✔❖➔→*-¾\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\u00b7\u2043\u2219\u25aa\u27a2"
_BULLET = re.compile(rf"(?:[{re.escape(BULLETS)}]|o(?=\s)|[\ue000-\uf8ff](?=\s|$))\s*")
_NUMBER = re.compile(r"(\d{1,3})([.)])\s+(?=\S)")
_LETTER = re.compile(r"(?:\(?(?:[a-z]|[ivx]{1,5}|\d{1,3})\)|[a-z]\.|[ivx]{1,5}\.)\s+(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list."""

    left: float
    """Where its marker starts, x in page points."""
    marker: str
    """`-`, or the number as printed with its stop."""
    text: str
    """Without a bullet; letters and other labels stay."""


def starts_item(text: str) -> bool:
    """Whether a line opens with a bullet, number or letter label."""
    return bool(_BULLET.match(text) or _NUMBER.match(text) or _LETTER.match(text))


def items_of(lines: Sequence[Line]) -> list[Item]:
    """The items in the lines of one or more list boxes: a new one where a line opens with a marker."""
    groups: list[list[list[Line]]] = []
    for group in visual_lines(lines):
        text = " ".join(piece.text for piece in group)
        if groups and not _opens(text, group, groups[-1][0]):
            groups[-1].append(group)
        else:
            groups.append([group])
    return [_item(group) for group in groups]


def _opens(text: str, group: Sequence[Line], first: Sequence[Line]) -> bool:
    """A marker counts at the left of the item above only: a number inside a sentence does not."""
    if not starts_item(text):
        return False
    indented = group[0].box[0] >= first[0].box[0] + 0.8 * first[0].size and not _BULLET.match(text)
    return not indented or not starts_item(first[0].text)


def _item(groups: Sequence[Sequence[Line]]) -> Item:
    text = flow([piece for group in groups for piece in group])
    left = groups[0][0].box[0]
    if bullet := _BULLET.match(text):
        rest = text[bullet.end() :]
        return Item(left, "-", rest) if rest else Item(left, "-", text)
    if number := _NUMBER.match(text):
        return Item(left, f"{number[1]}{number[2]}", text[number.end() :])
    return Item(left, "-", text)


def write_items(items: Sequence[Item]) -> list[str]:
    """One line an item, children indented to their parent's text."""
    stack: list[tuple[float, int]] = []
    written = []
    for item in items:
        while stack and item.left < stack[-1][0] - 2.0:
            stack.pop()
        deeper = bool(stack) and item.left > stack[-1][0] + 6.0
        if not stack or deeper:
            indent = stack[-1][1] if stack else 0
        else:
            indent = _indent_of(stack)
            stack.pop()
        stack.append((item.left, indent + len(item.marker) + 1))
        written.append(f"{' ' * indent}{item.marker} {escape(item.text)}")
    return written


def _indent_of(stack: Sequence[tuple[float, int]]) -> int:
    return stack[-2][1] if len(stack) > 1 else 0
