"""What of a page's text a reader sees, and what is hidden from him, and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from drac.adapters.pymupdf_layout import hushed, mupdf
from drac.adapters.pymupdf_render import page_pixels
from drac.adapters.pymupdf_text import shown_page
from drac.records import Box
from drac.stages.convert.audit.aimed import PageInk, Unseen

NOT_DRAWN = "not drawn at all"
CLEAR = "fully transparent"
OFF_PAGE = "off the page"
TINY = "too small to be seen"
UNDER_IMAGE = "under an image"
LIKE_GROUND = "in the colour of its ground, or covered"
_INVISIBLE = 3
"""Text render mode that draws nothing."""
_TINY = 1.5
"""Points of print that nobody reads; microprint on banknotes has about 1."""
_TINY_SHARE = 0.0015
"""The same as a share of the page's longer side, for pages that are shown as small as a screen."""
_DPI = 100
_SIDE = 3000
"""Pixels of the image in which text is looked for, at most."""
_CONTRAST = 24
"""Grey levels between text and ground below which nobody reads it; as in pymupdf_text."""
_COVERED = 0.95
"""Share of a text's box under an image drawn later."""
_JOIN = 0.25
"""Font sizes between two glyphs that are a space."""


@dataclass(slots=True)
class _Run:
    """Glyphs that are drawn together."""

    text: str
    box: Box
    size: float
    why: str


def page_inks(pdf: Path, numbers: Sequence[int]) -> list[PageInk]:
    """Seen and unseen text of 1-based pages, in the order asked for; a damaged page has neither."""
    with hushed(), mupdf().open(pdf) as document:
        found = [_careful(document, number) for number in numbers]
    mupdf().TOOLS.store_shrink(100)
    return found


def _careful(document: Any, number: int) -> PageInk:
    try:
        return page_ink(shown_page(document, number - 1))
    except Exception:  # the page's own reading says what is wrong with it
        return PageInk("", ())


def page_ink(page: Any) -> PageInk:
    """Seen and unseen text of one page as it is shown."""
    runs = list(_runs(page))
    _show_what_shines_through(page, [one for one in runs if one.why == UNDER_IMAGE])
    seen = " ".join(one.text for one in runs if not one.why)
    return PageInk(seen, tuple(_joined([one for one in runs if one.why])))


def _runs(page: Any) -> Iterator[_Run]:
    trace = page.get_texttrace()
    covers = _covers(page) if trace else []
    pixels = _Pixels(page)
    for span in trace:
        text = _text(span)
        if text.strip():
            why = _why_unseen(span, page.rect, covers, pixels)
            yield _Run(text, tuple(span["bbox"]), float(span["size"]), why)


def _text(span: dict[str, Any]) -> str:
    """The span's characters; a gap as wide as a space is one."""
    made: list[str] = []
    end: float | None = None
    for code, _, _, box in span["chars"]:
        if end is not None and box[0] - end > _JOIN * span["size"] and made[-1] != " ":
            made.append(" ")
        made.append(chr(code) if code > 0 else "\ufffd")
        end = box[2]
    return "".join(made)


def _why_unseen(span: dict[str, Any], rect: Any, covers: Sequence[tuple[int, Box]], pixels: _Pixels) -> str:
    """Empty where the text can be seen."""
    box = tuple(span["bbox"])
    if _lies_off(box, rect):
        return OFF_PAGE
    if span["type"] == _INVISIBLE:
        return NOT_DRAWN
    if span["opacity"] == 0:
        return CLEAR
    if span["size"] < max(_TINY, _TINY_SHARE * max(rect.width, rect.height)) and _height(span) < 2 * _TINY:
        return TINY
    if any(order > span["seqno"] and _share_in(box, cover) >= _COVERED for order, cover in covers):
        return UNDER_IMAGE
    return "" if pixels.contrast(box) >= _CONTRAST else LIKE_GROUND


def _lies_off(box: Box, rect: Any) -> bool:
    return bool(box[2] <= rect.x0 or box[0] >= rect.x1 or box[3] <= rect.y0 or box[1] >= rect.y1)


def _height(span: dict[str, Any]) -> float:
    """Points of the shorter side: a size told wrong by a font's matrix is none of the print."""
    x0, y0, x1, y1 = span["bbox"]
    return float(min(x1 - x0, y1 - y0))


def _share_in(box: Box, cover: Box) -> float:
    wide = min(box[2], cover[2]) - max(box[0], cover[0])
    high = min(box[3], cover[3]) - max(box[1], cover[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    return max(0.0, wide) * max(0.0, high) / area if area > 0 else 0.0


def _covers(page: Any) -> list[tuple[int, Box]]:
    """(place in the order of drawing, box) of images without transparency."""
    clear = [tuple(one["bbox"]) for one in page.get_image_info(xrefs=True) if one.get("has-mask")]
    return [
        (order, tuple(entry[1]))
        for order, entry in enumerate(page.get_bboxlog())
        if entry[0] == "fill-image" and not any(_share_in(entry[1], one) > 0.9 for one in clear)
    ]


def _show_what_shines_through(page: Any, runs: Sequence[_Run]) -> None:
    """Take runs under images for seen where the page looks otherwise without them: no file says how
    transparent an image is in the end (opacity, blending, groups)."""
    if not runs:
        return
    pymupdf = mupdf()
    with pymupdf.open() as scratch:
        scratch.insert_pdf(page.parent, from_page=page.number, to_page=page.number)
        bare = scratch[0]
        for one in runs:
            bare.add_redact_annot(pymupdf.Rect(one.box), fill=False, cross_out=False)
        bare.apply_redactions(images=pymupdf.PDF_REDACT_IMAGE_NONE, graphics=pymupdf.PDF_REDACT_LINE_ART_NONE)
        whole, without = _Pixels(page), _Pixels(bare)
        for one in runs:
            if whole.difference(without, one.box) >= _CONTRAST:
                one.why = ""


class _Pixels:
    """The page drawn, when first asked for."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._gray: Any = None
        self._scale = (1.0, 1.0)

    def contrast(self, box: Box) -> int:
        """Levels between the darkest and the lightest pixel in the box, of the colour that differs most."""
        part = self._part(box)
        return int((part.max((0, 1)).astype(int) - part.min((0, 1))).max()) if part.size else 0

    def difference(self, other: _Pixels, box: Box) -> int:
        """Levels by which a pixel in the box differs most from that of a page as large."""
        part, theirs = self._part(box).astype(int), other._part(box)
        same = part.size and part.shape == theirs.shape
        return int(np.abs(part - theirs).max()) if same else 0

    def _part(self, box: Box) -> Any:
        if self._gray is None:
            self._draw()
        across, down = self._scale
        x0, x1 = (max(0, round(value * across)) for value in (box[0], box[2]))
        y0, y1 = (max(0, round(value * down)) for value in (box[1], box[3]))
        return self._gray[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]

    def _draw(self) -> None:
        pixels = page_pixels(self._page, dpi=_DPI, max_side=_SIDE)
        self._gray = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
        rect = self._page.rect
        self._scale = (pixels.width / max(rect.width, 0.01), pixels.height / max(rect.height, 0.01))


def _joined(runs: Sequence[_Run]) -> Iterator[Unseen]:
    """Neighbours that are hidden in the same way, as one text."""
    group: list[_Run] = []
    for one in runs:
        if group and group[-1].why != one.why:
            yield _one(group)
            group = []
        group.append(one)
    if group:
        yield _one(group)


def _one(group: Sequence[_Run]) -> Unseen:
    text, boxes = group[0].text, [group[0].box]
    for before, one in pairwise(group):
        same = abs(before.box[3] - one.box[3]) < 0.5 * max(one.size, before.size)
        close = same and -one.size < one.box[0] - before.box[2] < _JOIN * one.size
        text += one.text if close else f" {one.text}"
        boxes = [*boxes[:-1], _around(boxes[-1], one.box)] if same else [*boxes, one.box]
    return Unseen(" ".join(text.split()), group[0].why, tuple(boxes))


def _around(box: Box, other: Box) -> Box:
    return (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
