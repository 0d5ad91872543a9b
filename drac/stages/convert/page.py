"""What a reader saw on one page, free of any library's types."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from drac.records import Box


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a space."""

    text: str
    """As printed."""
    box: Box
    """Where it stands, in page points."""
    starts: tuple[float, ...] = ()
    """Where each character starts, x in page points; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline that the page's content draws in one go."""

    words: tuple[Word, ...]
    """In reading order, at least one."""
    box: Box
    """Baseline and size make the height: 0.8 em above the baseline, 0.2 em below."""
    size: float
    """Font size of most of its characters, in points."""
    bold: bool = False
    """Whether most of its characters are bold."""
    bold_words: int = 0
    """Leading words that are bold throughout."""
    mono: bool = False
    """Whether all of its characters are of fixed width."""
    upright: bool = True
    """Whether it runs from left to right without a slant."""
    order: int = 0
    """Place among the page's lines in content order, from 0."""
    run: int = 0
    """Number of the content block that it belongs to."""
    raw: str = ""
    """Text with its own spaces; used for code only."""
    cell: tuple[int, int] | None = None
    """Row and column of the table that a recognised line was put into; None where nothing is known."""

    @property
    def text(self) -> str:
        """The words with one space between."""
        return " ".join(word.text for word in self.words)

    @property
    def baseline(self) -> float:
        """Points from the top of the page."""
        return self.box[3] - 0.2 * self.size


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """One box of the layout analysis."""

    kind: str
    """text, title, section-header, list-item, table, caption, footnote, formula, picture,
    page-header or page-footer."""
    box: Box
    """In page points."""
    columns: tuple[float, ...] = ()
    """A table's inner column borders, x in page points."""
    rows: tuple[float, ...] = ()
    """A table's inner row borders, y in page points."""


@dataclass(frozen=True, slots=True)
class PageView:
    """All that is needed to write one page."""

    width: float
    """Points, as shown."""
    height: float
    """Points, as shown."""
    lines: tuple[Line, ...]
    """Visible text in content order."""
    boxes: tuple[LayoutBox, ...] = ()
    """Layout analysis; may be empty."""
    rules: tuple[Box, ...] = ()
    """Ruling lines, horizontal and vertical."""
    number: int = 0
    """1-based page number in the document; 0 where it is not known."""
    fills: tuple[Box, ...] = ()
    """Filled rectangles that hold a line of text or more, as cells of a table without rules have."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What holds for the whole document, gathered once."""

    pages: int = 1
    """Physical pages."""
    body_size: float = 0.0
    """Font size of most characters, in points; 0 where there is no text layer."""
    body_bold: bool = False
    """Whether most characters are bold."""
    body_mono: bool = False
    """Whether most characters are of fixed width, so that this says nothing about code."""
    measured: bool = False
    """Whether sizes and weights were measured in images: labels of paragraphs are bold, no bookmark tells."""
    heading_styles: tuple[tuple[float, bool], ...] = ()
    """(size, bold) of lines that stand out, most prominent first."""
    bookmarks: dict[tuple[int, str], int] = field(default_factory=dict)
    """Level by 1-based page and title of the document's bookmarks; titles by `title_key`."""
    title_levels: dict[tuple[float, bool], int] = field(default_factory=dict)
    """Deepest level of a bookmarked title set in a style: (size in half points, bold)."""
    class_levels: dict[tuple[float, bool], int] = field(default_factory=dict)
    """Level of headings set in a style, where the program that set the document has fixed sizes for them."""
    furniture: frozenset[tuple[str, str]] = frozenset()
    """(edge, text) of running headers and footers; texts squeezed by `squeeze`."""
    first_pages: dict[tuple[str, str], int] = field(default_factory=dict)
    """1-based page on which a repeated text at an edge stands first; its numbers may rise with the pages."""
    continued: dict[int, frozenset[tuple[str, int]]] = field(default_factory=dict)
    """By 1-based page, of those that go on with the slide before: (text, y in points) of the lines there."""
    words: frozenset[str] = frozenset()
    """Words of the document in small letters, to tell a word cut at a line's end from a compound."""


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of `boxes`, at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def area(box: Box) -> float:
    """Square points, 0 for an empty box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap(box: Box, other: Box) -> float:
    """Share of `box` that lies in `other`, 0 to 1."""
    common = (max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3]))
    whole = area(box)
    return area(common) / whole if whole else 0.0


def squeeze(text: str) -> str:
    """A form under which texts that differ in case, spaces or numbers only are equal."""
    kept = (("#" if c.isdigit() else c) for c in text.casefold() if not c.isspace())
    squeezed = "".join(kept)
    while "##" in squeezed:
        squeezed = squeezed.replace("##", "#")
    return squeezed


def title_key(text: str) -> str:
    """A form under which a bookmark and the title on its page are equal: letters and digits alone."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
