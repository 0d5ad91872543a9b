"""Blocks become elements: IDs, content keys, boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256

from drac.records import Box, Element, ElementKind, PageText, Span
from drac.stages.structure.blocks import Block, Part

_LETTERS = {
    ElementKind.HEADING: "h",
    ElementKind.PARAGRAPH: "p",
    ElementKind.LIST: "l",
    ElementKind.CODE: "c",
    ElementKind.ROW: "r",
}


def identify(blocks: Sequence[Block], pages: Sequence[PageText]) -> tuple[Element, ...]:
    """Elements in the order of the blocks; numbers run from 1 for each kind."""
    by_number = {page.page.number: page for page in pages}
    numbers: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    return tuple(_element(block, by_number, numbers, seen) for block in blocks)


def _element(block: Block, pages: dict[int, PageText], numbers: Counter[str], seen: Counter[str]) -> Element:
    text = " ".join(pages[part.page].markdown[part.start : part.end] for part in block.parts)
    letter = _LETTERS[block.kind]
    numbers[letter] += 1
    seen[text] += 1
    spans = tuple(
        Span(part.page, part.start, part.end, _boxes(pages[part.page], part)) for part in block.parts
    )
    return Element(f"{letter}{numbers[letter]}", block.kind, block.level, text, _key(text, seen[text]), spans)


def _key(text: str, occurrence: int) -> str:
    return sha256(f"{occurrence}\n{text}".encode(errors="surrogatepass")).hexdigest()[:16]


def _boxes(page: PageText, part: Part) -> tuple[Box, ...]:
    return tuple(dict.fromkeys(_overlapping(page, part)))


def _overlapping(page: PageText, part: Part) -> Iterator[Box]:
    for region in page.regions:
        if region.start < part.end and part.start < region.end:
            yield from region.boxes
