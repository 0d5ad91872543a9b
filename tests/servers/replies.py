"""What an honest model would say: each page's Markdown under its marker, or the IDs in groups."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.servers.pages import WHOLE, Found, PageBook
from tests.servers.wire import Asked, Image, WireError

Planner = Callable[[str, Sequence[str]], str]
"""(the plan request's text, the IDs in it in order) to the reply."""

UNKNOWN = "This reply is simulated: the model server does not know the page in this image."
_LABEL = re.compile(r"\bpage\s+(\d+)", re.IGNORECASE)
_RANGE = re.compile(r"\bpages\s+(\d+)\s*(?:-|–|to|through)\s*(\d+)", re.IGNORECASE)
_LISTED = re.compile(r"^([hplrc]\d+):", re.MULTILINE)
_GROUP = 5
"""IDs of a group at most, in the middle of the paper's 3 to 8."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One image of a convert request, understood."""

    number: int
    """The page number that the prompt gives it, or its place in the request from 1."""
    found: Found
    """What it shows."""

    def record(self) -> dict[str, object]:
        """For the log."""
        sheet = self.found.sheet
        return {
            "number": self.number,
            "document": sheet.document if sheet else None,
            "page": sheet.number if sheet else None,
            "part": list(self.found.part),
            "exact": self.found.exact,
            "plain": self.found.plain,
        }


@dataclass(frozen=True, slots=True)
class Said:
    """What the server means to say for one page number."""

    number: int
    """As the prompt numbers it."""
    text: str
    """Markdown without the marker; empty: nothing to read."""


def understand(asked: Asked, book: PageBook) -> tuple[Shown, ...]:
    """Every image with its number and its page; raises WireError for bytes that are no image."""
    numbers = numbers_of(asked.parts)
    try:
        found = [book.find(image.data) for image in asked.images]
    except OSError as error:
        raise WireError("ValidationException", f"Could not process image: {error}") from error
    return tuple(_choose(number, among, found) for number, among in zip(numbers, found, strict=True))


def _choose(number: int, among: Sequence[Found], all_found: Sequence[Sequence[Found]]) -> Shown:
    """Of pages that look the same, that of the number and of the documents that the others are of."""
    others = {one.sheet.document for few in all_found if len(few) == 1 for one in few if one.sheet}

    def fits(one: Found) -> tuple[bool, bool]:
        sheet = one.sheet
        return sheet is not None and sheet.document in others, sheet is not None and sheet.number == number

    return Shown(number, max(among, key=fits))


def numbers_of(parts: Sequence[str | Image]) -> tuple[int, ...]:
    """Each image's page number: the last `Page N` in the text right before it, else a range, else 1..n."""
    labels: list[int | None] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += f"\n{part}"
            continue
        found = _LABEL.findall(text)
        labels.append(int(found[-1]) if found else None)
        text = ""
    if all(label is not None for label in labels):
        return tuple(label for label in labels if label is not None)
    return _from_range(parts, len(labels))


def _from_range(parts: Sequence[str | Image], images: int) -> tuple[int, ...]:
    for part in parts:
        for first, last in _RANGE.findall(part) if isinstance(part, str) else ():
            if int(last) - int(first) + 1 == images:
                return tuple(range(int(first), int(last) + 1))
    return tuple(range(1, images + 1))


def honest(shown: Sequence[Shown]) -> tuple[Said, ...]:
    """What to say for each page number; tiles of one page are said under one marker."""
    said: list[Said] = []
    for one in shown:
        text = one.found.text if one.found.sheet or one.found.plain else UNKNOWN
        if said and said[-1].number == one.number and one.found.part != WHOLE:
            text = "\n\n".join(part for part in (said.pop().text, text) if part)
        said.append(Said(one.number, text))
    return tuple(said)


def marker(number: int) -> str:
    """The marker before a page."""
    return f"<!-- Page {number} -->"


def write_pages(said: Sequence[Said], blank: str) -> str:
    """The whole reply; `blank` stands for a page without text."""
    return "\n\n".join(f"{marker(one.number)}\n\n{one.text or blank}".rstrip() for one in said)


def ids_of(asked: Asked) -> tuple[str, ...]:
    """The element IDs that begin a line of a plan request, before a colon, in order, each once."""
    return tuple(dict.fromkeys(_LISTED.findall("\n".join(asked.texts))))


def plan_in_order(_: str, ids: Sequence[str]) -> str:
    """IDs in order in groups of 3 to 5, a new one at each heading where the last is long enough."""
    groups: list[list[str]] = [[]]
    for one in ids:
        if len(groups[-1]) >= _GROUP or (one.startswith("h") and len(groups[-1]) >= 3):
            groups.append([])
        groups[-1].append(one)
    if len(groups) > 1 and len(groups[-1]) < 3:
        groups[-2:] = [groups[-2] + groups[-1]]
    return json.dumps([group for group in groups if group], separators=(",", ":"))


def wrap(reply: str, asked: Asked) -> str:
    """A plan as the request's JSON schema wants it: an array, or an object with one array in it."""
    properties = (asked.schema or {}).get("properties", {})
    names = [name for name, one in properties.items() if one.get("type") == "array"]
    return f'{{"{names[0]}":{reply}}}' if names else reply
