"""Visible text lines and ruling lines of a page; text that nobody can see is set apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from drac.adapters.pymupdf_bidi import runs_left
from drac.adapters.pymupdf_glyphs import Mender, is_garbage
from drac.adapters.pymupdf_joins import joined
from drac.adapters.pymupdf_layout import mupdf
from drac.adapters.pymupdf_lines import lines_of, part_at_insets, text_of
from drac.adapters.pymupdf_symbols import read_symbols
from drac.records import Box
from drac.stages.convert.page import Line

_FILLED_OR_STROKED = 16 | 32
"""MuPDF's FZ_STEXT_FILLED and FZ_STEXT_STROKED; text of render mode 3 has neither."""
_LIGHT = 225
"""Channel value (0 to 255) from which a colour can vanish on paper; such text is checked in pixels."""
_CONTRAST = 24
"""Grey levels between text and ground below which nobody reads it."""

_THICK = 6.0
"""Points; a stroked shape that is thinner is a line, since no text fits into it."""
_STAMP = 20
"""Characters; fewer may be a stamp at the edge of a page of pictures."""
_CLEARLY = 0.7
"""Share of a page's characters that must run one way for the page to be turned."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """What the text layer holds."""

    width: float
    """Points, as shown."""
    height: float
    """Points, as shown."""
    lines: tuple[Line, ...]
    """Visible lines in content order."""
    hidden: tuple[str, ...]
    """Lines that cannot be seen: no fill, no opacity, or the colour of their ground."""
    rules: tuple[Box, ...]
    """Thin filled or stroked shapes, and the sides of stroked rectangles, longer than 8 points."""
    pictures: float
    """Share of the page under raster images, 0 to 1."""
    garbage: float
    """Share of characters without a usable Unicode value, 0 to 1."""
    turned: int = 0
    """Degrees clockwise by which the page must be turned for most lines to read upright."""
    fills: tuple[Box, ...] = ()
    """Filled rectangles of 8 points or more each way, those of most of the page left out."""
    blank: int = 0
    """Characters that the font has no glyph for, so that nothing is printed."""


def shown_page(document: Any, index: int) -> Any:
    """The page at 0-based `index` with its rotation worked into its content, in memory only.

    PyMuPDF gives text in the unrotated page's points but draws the rotated page; afterwards both agree.
    """
    page = document[index]
    if page.rotation:
        page.remove_rotation()
    return page


def page_content(page: Any, mender: Mender | None = None) -> PageContent:
    """Read the text layer once; `mender` knows what the document's glyphs without a character are."""
    blocks = _blocks(page)
    read_symbols(blocks)
    eye = _Eye(page)
    blank = (mender or Mender()).mend(page, blocks, eye.has_ink)
    lines: list[Line] = []
    hidden: list[str] = []
    turns: Counter[int] = Counter()
    for run, block in enumerate(block for block in blocks if block["type"] == 0):
        for line in block["lines"]:
            printed = [span for span in line["spans"] if _is_printed(span)]
            seen = [span for span in printed if eye.sees(span)]
            if len(seen) < len(printed):
                hidden.append("".join(text_of(span) for span in printed if span not in seen))
            if seen:
                turns[_quarter(line)] += sum(len(text_of(span).strip()) for span in seen)
                shown = [span for span in line["spans"] if span in seen or span not in printed]
                lines += lines_of(line["dir"], shown, len(lines), run)
    rect = page.rect
    return PageContent(
        width=rect.width,
        height=rect.height,
        lines=tuple(joined(part_at_insets(lines))),
        hidden=tuple(hidden),
        rules=tuple(_rules(blocks)),
        fills=tuple(_fills(blocks, rect)),
        pictures=_share((block["bbox"] for block in blocks if block["type"] == 1), rect),
        garbage=_garbage(lines),
        turned=_most_turned(turns),
        blank=blank,
    )


def _blocks(page: Any) -> list[dict[str, Any]]:
    """MuPDF's blocks.

    Where it looks for letters that are printed twice, as bold type, it drops an alef beside
    the ligature of lam and alef; on pages with such scripts it does not look.
    """
    blocks: list[dict[str, Any]] = page.get_textpage(flags=_flags()).extractRAWDICT()["blocks"]
    if not any(runs_left(glyph["c"]) for glyph in _glyphs(blocks)):
        return blocks
    plain = _flags() & ~mupdf().TEXT_COLLECT_STYLES
    return list(page.get_textpage(flags=plain).extractRAWDICT()["blocks"])


def _glyphs(blocks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                yield from span["chars"]


def _flags() -> int:
    pymupdf = mupdf()
    return int(
        pymupdf.TEXT_PRESERVE_WHITESPACE
        | pymupdf.TEXT_PRESERVE_IMAGES
        | pymupdf.TEXT_COLLECT_STYLES
        | pymupdf.TEXT_COLLECT_VECTORS
        | pymupdf.TEXT_MEDIABOX_CLIP
        | pymupdf.TEXT_IGNORE_ACTUALTEXT
    )


def _is_printed(span: dict[str, Any]) -> bool:
    return any(not glyph["c"].isspace() for glyph in span["chars"])


def _quarter(line: dict[str, Any]) -> int:
    """Degrees clockwise by which a line must be turned to read upright; vertical writing is upright."""
    right, down = line["dir"]
    if line["wmode"] or abs(right) >= abs(down):
        return 180 if right < 0 and not line["wmode"] else 0
    return 270 if down > 0 else 90


def _most_turned(turns: Counter[int]) -> int:
    """The turn that most of the characters need, where they are clearly more and no mere stamp."""
    turned, count = turns.most_common(1)[0] if turns else (0, 0)
    return turned if count >= _STAMP and count >= _CLEARLY * turns.total() else 0


class _Eye:
    """Says whether a span can be seen; draws the page only when a light colour makes it doubtful."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._pixels: Any = None

    def sees(self, span: dict[str, Any]) -> bool:
        if not span["char_flags"] & _FILLED_OR_STROKED or span["alpha"] == 0:
            return False
        color = span["color"]
        if min(color >> 16 & 255, color >> 8 & 255, color & 255) < _LIGHT:
            return True
        return self.has_ink(span["bbox"])

    def has_ink(self, box: Box) -> bool:
        """Whether something in the box stands out from its ground."""
        return self._contrast(box) >= _CONTRAST

    def _contrast(self, box: Box) -> int:
        """Grey levels between the darkest and the lightest pixel in the box."""
        import numpy as np

        if self._pixels is None:
            gray = self._page.get_pixmap(colorspace=mupdf().csGRAY, dpi=72, alpha=False)
            self._pixels = np.frombuffer(gray.samples, np.uint8).reshape(gray.height, gray.stride)
        x0, y0, x1, y1 = (max(0, round(value)) for value in box)
        part = self._pixels[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
        return int(part.max()) - int(part.min()) if part.size else 0


def _rules(blocks: Iterable[dict[str, Any]]) -> Iterable[Box]:
    for block in blocks:
        if block["type"] == 3:
            x0, y0, x1, y1 = box = block["bbox"]
            if block["stroked"] and min(x1 - x0, y1 - y0) < _THICK:
                box = x0, y0, x1, y1 = _middle(box)
            if min(x1 - x0, y1 - y0) < 3:
                if max(x1 - x0, y1 - y0) > 8:
                    yield (x0, y0, x1, y1)
            elif block["stroked"] and block["isrect"]:
                yield from _sides(box)


def _fills(blocks: Iterable[dict[str, Any]], rect: Any) -> Iterable[Box]:
    for block in blocks:
        if block["type"] == 3 and block["isrect"] and not block["stroked"] and block["alpha"]:
            x0, y0, x1, y1 = block["bbox"]
            large = (x1 - x0) * (y1 - y0) > 0.8 * rect.width * rect.height
            if min(x1 - x0, y1 - y0) >= 8 and not large:
                yield (x0, y0, x1, y1)


def _middle(box: Box) -> Box:
    """A thick stroke as a thin one along its middle; a small box as it is."""
    x0, y0, x1, y1 = box
    if y1 - y0 < (x1 - x0) / 4:
        return (x0, (y0 + y1 - 1) / 2, x1, (y0 + y1 + 1) / 2)
    return ((x0 + x1 - 1) / 2, y0, (x0 + x1 + 1) / 2, y1) if x1 - x0 < (y1 - y0) / 4 else box


def _sides(box: Box) -> Iterable[Box]:
    """The four strokes of a rectangle, as thin as their unknown width allows."""
    x0, y0, x1, y1 = box
    across = [(x0, y0, x1, y0 + 1), (x0, y1 - 1, x1, y1)] if x1 - x0 > 8 else []
    down = [(x0, y0, x0 + 1, y1), (x1 - 1, y0, x1, y1)] if y1 - y0 > 8 else []
    return across + down


def _share(boxes: Iterable[Box], rect: Any) -> float:
    whole = rect.width * rect.height
    covered = 0.0
    for x0, y0, x1, y1 in boxes:
        wide = min(x1, rect.width) - max(x0, 0.0)
        high = min(y1, rect.height) - max(y0, 0.0)
        covered += max(0.0, wide) * max(0.0, high)
    return min(1.0, covered / whole) if whole else 0.0


def _garbage(lines: Iterable[Line]) -> float:
    characters = [c for line in lines for word in line.words for c in word.text]
    bad = sum(is_garbage(c) for c in characters)
    return bad / len(characters) if characters else 0.0
