"""A small page layout on PyMuPDF: headings, paragraphs, lists and tables that flow over frames and pages.

Text is set in the base fonts that every PDF viewer has, so that nothing is embedded and the files are small and the same on
every machine. Those fonts know the characters of Windows-1252 only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pymupdf

A4 = (595.0, 842.0)
A5 = (420.0, 595.0)
FAMILIES = {"serif": ("tiro", "tibo"), "sans": ("helv", "hebo"), "typed": ("cour", "cobo")}
DATE = "D:20260105090000Z"
Row = Sequence[str]


@dataclass(frozen=True)
class Style:
    """What a document looks like; lengths are in points."""

    size: tuple[float, float] = A4
    margin: float = 62
    columns: int = 1
    gutter: float = 22
    body: float = 10.5
    family: str = "serif"
    header: str = ""
    footer: str = ""
    """`{page}` and `{pages}` stand for the numbers."""

    @property
    def leading(self) -> float:
        return self.body * 1.36


@dataclass
class Flow:
    """Blocks set one after the other; a block that does not fit goes on in the next frame."""

    style: Style
    document: pymupdf.Document = field(default_factory=pymupdf.open)
    page: pymupdf.Page | None = None
    column: int = 0
    y: float = 0.0
    top: float = 0.0

    # frames

    @property
    def width(self) -> float:
        """Width of a column."""
        style = self.style
        inner = style.size[0] - 2 * style.margin - (style.columns - 1) * style.gutter
        return inner / style.columns

    @property
    def x(self) -> float:
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

    def room(self, height: float) -> None:
        """Make sure that so much height is left, in the next frame if need be."""
        if self.page is None:
            self.new_page()
        if self.y + height <= self.bottom + 0.01:
            return
        if self.column + 1 < self.style.columns:
            self.column, self.y = self.column + 1, self.top
        else:
            self.new_page()

    # blocks

    def title(self, text: str, under: str = "") -> None:
        """A title over all columns."""
        self.room(60)
        columns = self.style
        self.style = Style(**{**vars(columns), "columns": 1})
        self._lines(text, bold=True, size=columns.body * 1.9)
        if under:
            self._lines(under, bold=False, size=columns.body)
        self.style = columns
        self.y += columns.leading * 0.8
        self.top = self.y

    def heading(self, text: str, level: int = 1) -> None:
        """A heading, kept with three lines of what follows."""
        size = self.style.body * (1.3 if level == 1 else 1.12)
        above = self.style.leading * (0.9 if level == 1 else 0.6)
        self.room(above + size * 1.3 + 3 * self.style.leading)
        if self.y > self.top:
            self.y += above
        self._lines(text, bold=True, size=size)
        self.y += self.style.leading * 0.25

    def paragraph(self, text: str, *, bold: bool = False) -> None:
        """A paragraph; lines that do not fit go on in the next frame."""
        self._lines(text, bold=bold, size=self.style.body)
        self.y += self.style.leading * 0.55

    def items(self, texts: Sequence[str], *, numbered: bool = False) -> None:
        """A list with bullets or numbers."""
        for number, text in enumerate(texts, start=1):
            self._lines(text, size=self.style.body, indent=16, mark=f"{number}." if numbered else "•")
            self.y += self.style.leading * 0.2
        self.y += self.style.leading * 0.35

    def table(
        self,
        rows: Sequence[Row],
        shares: Sequence[float],
        *,
        caption: str = "",
        ruled: bool = True,
        heads: int = 1,
        over: Sequence[tuple[int, int, str]] = (),
        repeat: bool = True,
    ) -> None:
        """A table: a full grid of rules, or (booktabs) three rules across and none down.

        `shares` are the columns' parts of the width, `over` the spans (first column, last column, text) of a header row
        above the `heads` header rows. Rows that do not fit go on in the next frame, with the header rows again if `repeat`.
        """
        Grid(self, rows, shares, ruled, heads, over, repeat).draw(caption)
        self.y += self.style.leading * 0.8

    def form(self, fields: Sequence[tuple[str, str]], label: float = 150) -> None:
        """Lines of a label and a value on a rule."""
        assert self.page is not None
        for name, value in fields:
            self.room(self.style.leading * 1.5)
            base = self.y + self.style.body
            self._put(self.x, base, name, bold=True)
            self._put(self.x + label, base, value)
            self._rule(self.x + label - 4, self.x + self.width, base + 3, 0.5)
            self.y += self.style.leading * 1.4
        self.y += self.style.leading * 0.4

    def finish(self, title: str) -> bytes:
        """The PDF, with headers and footers, the same bytes every time."""
        pages = self.document.page_count
        for number, page in enumerate(self.document, start=1):
            self.page = page
            self._furniture(number, pages)
        self.document.set_metadata(
            {"title": title, "author": "Skerrow Line", "creationDate": DATE, "modDate": DATE}
        )
        return bytes(
            self.document.tobytes(garbage=4, clean=True, deflate=True, use_objstms=1, no_new_id=True)
        )

    # drawing

    def _furniture(self, number: int, pages: int) -> None:
        style, size = self.style, self.style.body * 0.82
        for text, base in (
            (style.header, style.margin * 0.55),
            (style.footer, style.size[1] - style.margin * 0.5),
        ):
            if text:
                said = text.format(page=number, pages=pages)
                self._put(style.margin, base, said, size=size)
        if style.header:
            self._rule(style.margin, style.size[0] - style.margin, style.margin * 0.55 + 5, 0.4)

    def _lines(
        self, text: str, *, size: float, bold: bool = False, indent: float = 0, mark: str = ""
    ) -> None:
        leading = size * 1.36
        for number, line in enumerate(wrap(text, self.font(bold), size, self.width - indent)):
            self.room(leading)
            if mark and number == 0:
                self._put(self.x + 2, self.y + size, mark, size=size)
            self._put(self.x + indent, self.y + size, line, size=size, bold=bold)
            self.y += leading

    def _put(
        self, x: float, base: float, text: str, *, size: float | None = None, bold: bool = False
    ) -> None:
        assert self.page is not None
        self.page.insert_text(
            (x, base), encoded(text), fontname=self.font(bold), fontsize=size or self.style.body
        )

    def _rule(self, left: float, right: float, y: float, width: float) -> None:
        assert self.page is not None
        self.page.draw_line((left, y), (right, y), width=width)

    def font(self, bold: bool) -> str:
        return FAMILIES[self.style.family][bold]


@dataclass
class Grid:
    """One table of a flow while it is drawn."""

    flow: Flow
    rows: Sequence[Row]
    shares: Sequence[float]
    ruled: bool
    heads: int
    over: Sequence[tuple[int, int, str]]
    repeat: bool
    pad: float = 4.0

    def draw(self, caption: str) -> None:
        flow = self.flow
        first = self._height(self.rows[0]) * (self.heads + 2) + (20 if self.over else 0)
        flow.room(first + (flow.style.leading if caption else 0))
        if caption:
            flow._lines(caption, size=flow.style.body * 0.95, bold=True)
            flow.y += 4
        self._head()
        for row in self.rows[self.heads :]:
            if flow.y + self._height(row) > flow.bottom:
                self._foot()
                flow.room(flow.bottom)
                self._head() if self.repeat else self._line(0.8)
            self._row(row, bold=False)
        self._foot()

    def _head(self) -> None:
        self._line(1.0)
        if self.over:
            self._spans()
        for row in self.rows[: self.heads]:
            self._row(row, bold=True)
        if not self.ruled:
            self._line(0.6)

    def _foot(self) -> None:
        self._line(1.0 if not self.ruled else 0.6)

    def _spans(self) -> None:
        flow, edges = self.flow, list(self._edges())
        size = flow.style.body * 0.92
        for first, last, text in self.over:
            flow._put(edges[first] + self.pad, flow.y + size + self.pad, text, size=size, bold=True)
            flow._rule(edges[first] + self.pad, edges[last + 1] - self.pad, flow.y + size + self.pad + 4, 0.4)
        flow.y += size * 1.3 + self.pad * 1.6

    def _row(self, row: Row, *, bold: bool) -> None:
        flow, height, size = self.flow, self._height(row), self.flow.style.body * 0.92
        for left, cell in zip(self._edges(), self._wrapped(row), strict=False):
            for number, line in enumerate(cell):
                flow._put(
                    left + self.pad,
                    flow.y + self.pad + size * (1 + 1.25 * number),
                    line,
                    size=size,
                    bold=bold,
                )
        if self.ruled:
            self._box(height)
        flow.y += height

    def _box(self, height: float) -> None:
        page, edges = self.flow.page, list(self._edges())
        assert page is not None
        for left, right in zip(edges, edges[1:], strict=False):
            page.draw_rect((left, self.flow.y, right, self.flow.y + height), width=0.6)

    def _line(self, width: float) -> None:
        self.flow._rule(self.flow.x, self.flow.x + self.flow.width, self.flow.y, width)

    def _edges(self) -> Iterator[float]:
        left, whole = self.flow.x, sum(self.shares)
        for share in (*self.shares, 0):
            yield left
            left += self.flow.width * share / whole

    def _wrapped(self, row: Row) -> list[list[str]]:
        edges, size = list(self._edges()), self.flow.style.body * 0.92
        widths = [right - left - 2 * self.pad for left, right in zip(edges, edges[1:], strict=False)]
        font = self.flow.font(bold=True)
        return [list(wrap(cell, font, size, width)) for cell, width in zip(row, widths, strict=True)]

    def _height(self, row: Row) -> float:
        lines = max(len(cell) for cell in self._wrapped(row))
        return lines * self.flow.style.body * 0.92 * 1.25 + 2 * self.pad


def encoded(text: str) -> str:
    """The characters whose numbers are the bytes of the base fonts' encoding, WinAnsi."""
    return text.encode("cp1252").decode("latin-1", errors="strict")


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
