"""A request that asks a model to read pages: texts and images in the order in which it sees them.

    Transcribe 2 page images: 6, 7.
    [the header of a table that may go on from page 5]
    [the text layer of page 6, where it is to help]
    Page 6
    <image>
    Page 7
    <image>

`Page N` is a part of its own right before each image, and what a document says never stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from drac.ports import ChatRequest, ImagePart

MAX_HINT = 12_000
"""Characters of a text layer that are sent at most; a dense printed page has about 6,000."""
_RULE = "-----"
_BLANKS = re.compile(r"[^\S\n]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class PageImage:
    """One image of a request."""

    number: int
    """1-based physical page."""
    image: ImagePart
    """The page, or half of it."""
    text_layer: str = ""
    """The page's text layer as a reading aid; empty: none is sent."""
    half: Literal["", "top", "bottom"] = ""
    """Which half of the page it shows; empty: all of it."""
    tile: str = ""
    """Which tile of the page it shows, such as `tile 2.1 (of 3 rows and 2 columns)`; empty: none."""


def build_request(
    images: Sequence[PageImage],
    *,
    model: str,
    prompt: str,
    temperature: float,
    max_output_tokens: int,
    table_header: str = "",
    above: str = "",
) -> ChatRequest:
    """Ask `model` for the Markdown of `images`, which are in page order.

    `table_header` is the last header row on the page before the first image, `above` the last lines read
    above where a lower half or tile is asked for; both empty where there is none.
    """
    context = (_table_header(images[0].number, table_header), _above(images[0].number, above))
    parts = [_opening(images), *filter(None, context)]
    return ChatRequest(
        purpose="convert",
        model=model,
        system=prompt,
        parts=(*parts, *_pages(images)),
        temperature=temperature,
        max_output_tokens=max_output_tokens,
    )


def _opening(images: Sequence[PageImage]) -> str:
    if images[0].half:
        return _half(images[0])
    if images[0].tile:
        return _tile(images[0])
    if len(images) == 1:
        return f"Transcribe 1 page image: {images[0].number}."
    return f"Transcribe {len(images)} page images: {', '.join(str(one.number) for one in images)}."


def _half(one: PageImage) -> str:
    other, cut = ("bottom", "last") if one.half == "top" else ("top", "first")
    return (
        f"Transcribe 1 image: the {one.half} half of page {one.number}. It overlaps the {other} half by a "
        f"few lines, which you transcribe too; leave out a {cut} line that the cut goes through. "
        "If no text stands in this half, write `[blank page]`."
    )


def _tile(one: PageImage) -> str:
    return (
        f"Transcribe 1 image: {one.tile} of page {one.number}, row first. Tiles overlap by a few lines, "
        "which you transcribe too; leave out a line that the upper or lower edge goes through. "
        "If no text stands in this tile, write `[blank page]`."
    )


def _table_header(number: int, header: str) -> str:
    if not header.strip():
        return ""
    return (
        f"If a table at the top of page {number} has no header row, it continues the one on the page before, "
        f"whose header row is:\n{_quoted(header)}"
    )


def _above(number: int, text: str) -> str:
    if not text.strip():
        return ""
    return f"For context only, the part of page {number} above ended with:\n{_quoted(text)}"


def _pages(images: Sequence[PageImage]) -> Iterator[str | ImagePart]:
    for one in images:
        if one.text_layer.strip():
            yield (
                f"The text layer of page {one.number}, as an aid for what is hard to read. It may be wrong, "
                f"garbled, hidden or out of order; the image decides.\n{_quoted(one.text_layer)}"
            )
        yield f"Page {one.number}"
        yield one.image


def _quoted(text: str) -> str:
    """A document's text between rules, shortened; no line of it can pass for a rule."""
    text = _BLANKS.sub(" ", _CONTROL.sub(" ", text)).strip()
    if len(text) > MAX_HINT:
        text = f"{text[:MAX_HINT].rstrip()} …"
    lines = ("> " + line for line in text.split("\n"))
    return "\n".join((_RULE, *lines, _RULE))
