"""Blocks on PDF pages: text and tables that flow over columns and pages.

Text is set in the base fonts that every PDF viewer has: nothing is embedded, and the files are small
and the same on every machine. Those fonts know the characters of Windows-1252 only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pymupdf

from skerrow.texts import Block, Form, Heading, Items, Paragraph, Row, Table, Title, pages

A4 = (595.0, 842.0)
A5 = (420.0, 595.0)
FAMILIES = {"serif": ("tiro", "tibo"), "sans": ("helv", "hebo"), "typed": ("cour", "cobo")}
DATE = "D:20260105090000Z"


@dataclass(frozen=True)
class Style:
    """What a document looks like; lengths are in points."""

    size: tuple[float, float] = A4
    margin: float = 62
    columns: int = 1
    gutter: float = 22
    body: float = 10.5
    """Size of the running text."""
    family: str = "serif"
    header: str = ""
    footer: str = ""
    """`{page}` and `{pages}` stand for the numbers."""

    @property
    def leading(self) -> float:
        return self.body * 1.36


def printed(name: str, style: Style) -> bytes:
    """The text of that name as a PDF, the same bytes every time."""
    flow = Flow(style)
    for page in pages(name):
        flow.new_page()
        for block in page:
            flow.block(block)
    return flow.finish()


@dataclass
class Flow:
    """Blocks set one after the other; what does not fit goes on in the next column or page."""

    style: Style
    document: pymupdf.Document = field(default_factory=pymupdf.open)
    page: pymupdf.Page = None
    column: int = 0
    top: float = 0.0
    """Where the columns of this page begin."""
    y: float = 0.0

    @property
    def width(self) -> float:
        """Width of a column."""
        style = self.style
        inner = style.size[0] - 2 * style.margin - (style.columns - 1) * style.gutter
        return inner / style.columns

    @property
    def left(self) -> float:
        """Left edge of the current column."""
        return self.style.margin + self.column * (self.width + self.style.gutter)

    @property
    def bottom(self) -> float:
        return self.style.size[1] - self.style.margin

    def new_page(self) -> None:
        """Go on at the top of a new page."""
        self.page = self.document.new_page(width=self.style.size[0], height=self.style.size[1])
        self.column, self.top = 0, self.style.margin
        self.y = self.top

    def next_frame(self) -> None:
        """Go on in the next column, or on a new page."""
        if self.column + 1 < self.style.columns:
            self.column, self.y = self.column + 1, self.top
        else:
            self.new_page()

    def room(self, height: float) -> None:
        """Make sure that so much height is left."""
        if self.y + height > self.bottom + 0.01:
            self.next_frame()

    def block(self, block: Block) -> None:
        """Set one block."""
        match block:
            case Title():
                self._title(block)
            case Heading():
                self._heading(block)
            case Paragraph():
                self.lines(block.text)
                self.y += self.style.leading * 0.55
            case Items():
                self._items(block)
            case Form():
                self._form(block)
            case Table():
                Grid(self, block).draw()
                self.y += self.style.leading * 0.8

    def finish(self) -> bytes:
        """The PDF, with headers and footers."""
        for number, page in enumerate(self.document, start=1):
            self.page = page
            self._furniture(number)
        self.document.set_metadata({"author": "Skerrow Line", "creationDate": DATE, "modDate": DATE})
        written = self.document.tobytes(garbage=4, clean=True, deflate=True, use_objstms=1, no_new_id=True)
        return bytes(written)

    def lines(
        self, text: str, *, size: float = 0, bold: bool = False, indent: float = 0, mark: str = ""
    ) -> None:
        """Wrapped lines, with a mark in the indent of the first."""
        size = size or self.style.body
        for number, line in enumerate(wrap(text, self.font(bold), size, self.width - indent)):
            self.room(size * 1.36)
            if mark and number == 0:
                self.put(self.left + 2, self.y + size, mark, size=size)
            self.put(self.left + indent, self.y + size, line, size=size, bold=bold)
            self.y += size * 1.36

    def put(self, x: float, base: float, text: str, *, size: float = 0, bold: bool = False) -> None:
        """One line of text at a place."""
        self.page.insert_text(
            (x, base), encoded(text), fontname=self.font(bold), fontsize=size or self.style.body
        )

    def rule(self, left: float, right: float, y: float, width: float) -> None:
        """A line across."""
        self.page.draw_line((left, y), (right, y), width=width)

    def font(self, bold: bool) -> str:
        """Name of the font that PyMuPDF knows."""
        return FAMILIES[self.style.family][bold]

    def _title(self, title: Title) -> None:
        """Over all columns, which begin below it."""
        columns, self.style = self.style, replace(self.style, columns=1)
        self.lines(title.text, bold=True, size=columns.body * 1.9)
        if title.under:
            self.lines(title.under)
        self.style = columns
        self.y += columns.leading * 0.8
        self.top = self.y

    def _heading(self, heading: Heading) -> None:
        """Kept with three lines of what follows."""
        leading, high = self.style.leading, heading.level == 1
        size, above = self.style.body * (1.3 if high else 1.12), leading * (0.9 if high else 0.6)
        self.room(above + size * 1.3 + 3 * leading)
        if self.y > self.top:
            self.y += above
        self.lines(heading.text, bold=True, size=size)
        self.y += leading * 0.25

    def _items(self, items: Items) -> None:
        for number, text in enumerate(items.texts, start=1):
            self.lines(text, indent=16, mark=f"{number}." if items.numbered else "•")
            self.y += self.style.leading * 0.2
        self.y += self.style.leading * 0.35

    def _form(self, form: Form) -> None:
        """Labels, and values on a rule."""
        for label, value in form.fields:
            self.room(self.style.leading * 1.5)
            base, x = self.y + self.style.body, self.left + 150
            self.put(self.left, base, label, bold=True)
            self.put(x, base, value)
            self.rule(x - 4, self.left + self.width, base + 3, 0.5)
            self.y += self.style.leading * 1.4
        self.y += self.style.leading * 0.4

    def _furniture(self, number: int) -> None:
        style, size = self.style, self.style.body * 0.82
        places = {style.header: style.margin * 0.55, style.footer: style.size[1] - style.margin * 0.5}
        for text, base in places.items():
            said = text.format(page=number, pages=self.document.page_count)
            self.put(style.margin, base, said, size=size)
        if style.header:
            self.rule(style.margin, style.size[0] - style.margin, style.margin * 0.55 + 5, 0.4)


@dataclass
class Grid:
    """One table while it is drawn: boxes where it is ruled, else three rules across.

    Rows that do not fit go on in the next column or page, with the header rows again.
    """

    flow: Flow
    table: Table
    pad: float = 4.0

    @property
    def size(self) -> float:
        return self.flow.style.body * 0.92

    def draw(self) -> None:
        """Set the caption and all rows."""
        self.flow.room(self._height(self.table.rows[0]) * (len(self.table.heads) + 2))
        if self.table.caption:
            self.flow.lines(self.table.caption, size=self.flow.style.body * 0.95, bold=True)
            self.flow.y += 4
        self._head()
        for row in self.table.rows:
            if self.flow.y + self._height(row) > self.flow.bottom:
                self._rule(1.0)
                self.flow.next_frame()
                self._head()
            self._row(row, bold=False)
        self._rule(1.0)

    def _head(self) -> None:
        self._rule(1.0)
        for row in self.table.heads:
            self._row(row, bold=True)
            if "<" in row:
                self._partial_rules(row)
        if not self.table.ruled:
            self._rule(0.6)

    def _row(self, row: Row, *, bold: bool) -> None:
        flow, edges = self.flow, list(self._edges())
        for left, lines in zip(edges, self._wrapped(row), strict=False):
            for number, line in enumerate(lines):
                base = flow.y + self.pad + self.size * (1 + 1.25 * number)
                flow.put(left + self.pad, base, line, size=self.size, bold=bold)
        height = self._height(row)
        if self.table.ruled:
            for left, right in pairwise(edges):
                flow.page.draw_rect((left, flow.y, right, flow.y + height), width=0.6)
        flow.y += height

    def _partial_rules(self, row: Row) -> None:
        """A rule under each header cell that has text, as long as the columns that it covers."""
        edges = list(self._edges())
        starts = [column for column, text in enumerate(row) if text != "<"]
        for start, end in zip(starts, [*starts[1:], len(row)], strict=True):
            if row[start]:
                self.flow.rule(edges[start] + self.pad, edges[end] - self.pad, self.flow.y, 0.4)

    def _rule(self, width: float) -> None:
        self.flow.rule(self.flow.left, self.flow.left + self.flow.width, self.flow.y, width)

    def _edges(self) -> Iterator[float]:
        x = self.flow.left
        for share in (*self.table.shares, 0):
            yield x
            x += self.flow.width * share / sum(self.table.shares)

    def _wrapped(self, row: Row) -> list[list[str]]:
        """The lines of each cell; a cell that others go on with may be as wide as they."""
        edges, lines = list(self._edges()), []
        for column, text in enumerate(row):
            end = column + 1
            while end < len(row) and row[end] == "<":
                end += 1
            width = edges[end] - edges[column] - 2 * self.pad
            said = "" if text == "<" else text
            lines.append(list(wrap(said, self.flow.font(bold=True), self.size, width)))
        return lines

    def _height(self, row: Row) -> float:
        return max(map(len, self._wrapped(row))) * self.size * 1.25 + 2 * self.pad


def wrap(text: str, font: str, size: float, width: float) -> Iterator[str]:
    """Lines that fit the width; words are not divided."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pymupdf.get_text_length(encoded(longer), fontname=font, fontsize=size) > width:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def encoded(text: str) -> str:
    """The characters whose numbers are the bytes of the base fonts' encoding."""
    return text.encode("cp1252").decode("latin-1")
