"""Every record that crosses a stage.

All are frozen and slotted. Pages are counted from 1 and are physical pages of the PDF. Offsets
are counted in Unicode code points from 0, end exclusive. Boxes are in PDF points, origin top left
of the page as a viewer shows it (rotation and crop applied).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in PDF points, origin top left, as the page is shown."""


class PageState(StrEnum):
    """The one state in which a page ends (DESIGN rule 2)."""

    OK = "ok"
    """The chosen engine's reply passed every check."""
    BLANK = "blank"
    """The page has no ink."""
    REPAIRED = "repaired"
    """The audit changed the text."""
    FALLBACK = "fallback"
    """Another reader than the chosen engine wrote the text."""
    FAILED = "failed"
    """No text; the reason stands in the page's attempts."""


class ElementKind(StrEnum):
    """What a top-level block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    CODE = "code"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Source:
    """One document as the user gave it."""

    collection: str
    """Name of the collection that it belongs to."""
    path: str
    """Path under the given root, `/` between parts; with the collection this is its identity."""
    root: str
    """Absolute folder that `path` is relative to."""
    doc_id: str
    """16 hexadecimal digits made of collection and path."""
    container: str = ""
    """doc_id of the mail or archive that it was unpacked from; empty for a file of its own."""
    stored: str = ""
    """Where its bytes lie in the workspace, where it was unpacked; empty for a file of its own."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder in the input that was not taken, and why."""

    path: str
    """Path as found."""
    reason: str
    """One line that names the reason."""
    kind: str
    """`ignored` (not a document, such as .DS_Store) or `unusable` (a document that cannot be used)."""


@dataclass(frozen=True, slots=True)
class UnpackedPart:
    """One part of a mail or archive, or of one within it."""

    name: str
    """Its path in the outermost container, `/` between parts, in printable form; unique there."""
    state: str
    """`document`; `unpacked`: an archive whose parts follow; `failed`; `skipped`: not a type that is read."""
    file: str = ""
    """Path of its bytes under the unpacked folder, `/` between parts; empty where they are not kept."""
    sha256: str = ""
    """Of its bytes, hexadecimal; empty where they could not be had."""
    reason: str = ""
    """One line that says why it failed or is skipped."""
    remedy: str = ""
    """What the reader can do about it."""
    unusable: bool = False
    """Of a skipped one: whether it is content that should have been read."""
    locked: bool = False
    """Of a failed one: whether a password for its archive would open it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One physical page of one PDF."""

    pdf_digest: str
    """sha256 of the normalized PDF's bytes, hexadecimal."""
    number: int
    """1-based physical page."""


@dataclass(frozen=True, slots=True)
class Fonts:
    """Font families of one document, sorted, without the names of styles such as Bold."""

    asked: tuple[str, ...] = ()
    """What the document asks for, also where no text uses it; empty where that is not known."""
    used: tuple[str, ...] = ()
    """What the PDF's text is set in."""
    replaced: tuple[tuple[str, str], ...] = ()
    """(asked for and not installed, what stood in for it in the PDF)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document's visible text, as a format library reads it."""

    text: str
    """As it stands in the file; words are not parted."""
    where: str
    """Where it stands, for people: `paragraph 12`, `slide 3`, `sheet Sales, row 7`."""


@dataclass(frozen=True, slots=True)
class Parity:
    """How much of a document's visible text its PDF has."""

    words: float | None = None
    """Share of its words (runs of letters) found, 0.0 to 1.0; None: not known, or there are none."""
    numbers: float | None = None
    """The same of its digit strings."""
    missing: tuple[tuple[str, str], ...] = ()
    """(word or digit string not found, where it stands last), 20 at most, in the document's order."""
    note: str = ""
    """Why nothing is known, or what was not compared; else empty."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What reading or planning cost."""

    input_tokens: int = 0
    """Tokens sent, images included."""
    output_tokens: int = 0
    """Tokens received."""
    usd: float = 0.0
    """US dollars at the model profile's price; 0 for local engines."""
    requests: int = 0
    """Requests sent, failed ones included."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a page's Markdown and where it stands on the page."""

    start: int
    """First code point in the page's Markdown, from 0."""
    end: int
    """Code point after the last."""
    kind: str
    """heading, paragraph, list, code, row, caption or footnote."""
    boxes: tuple[Box, ...] = ()
    """Where the text stands, in page points."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table's grid."""

    row: int
    """0-based row in the grid."""
    column: int
    """0-based column in the grid."""
    text: str
    """Text as printed, lines joined."""
    row_span: int = 1
    """Rows covered, at least 1."""
    column_span: int = 1
    """Columns covered, at least 1."""


@dataclass(frozen=True, slots=True)
class Table:
    """The grid that row sentences came from; kept beside the text, never in it."""

    box: Box
    """Where the table stands, in page points."""
    rows: int
    """Rows of the grid, header rows included."""
    columns: int
    """Columns of the grid."""
    header_rows: int
    """Leading rows that are headers; may be 0."""
    cells: tuple[Cell, ...]
    """The cells, in row-major order."""
    caption: str = ""
    """Caption or title as printed; empty if none."""
    sentences: tuple[tuple[int, int, int], ...] = ()
    """(grid row, start, end): where each row's sentence stands in the page's Markdown."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at reading a page, kept with the page."""

    engine: str
    """Engine or reader that was asked."""
    outcome: str
    """`ok`, or the named reason why the try did not count."""
    usage: Usage = field(default_factory=Usage)
    """What this try cost."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """How sure OCR was of a page's characters; a confidence is the recogniser's own and no probability."""

    engine: str
    """`rapidocr` or `tesseract`; their confidences cannot be compared."""
    mean: float
    """Mean confidence over all characters but spaces, 0.0 to 1.0."""
    unsure: tuple[tuple[str, float], ...] = ()
    """(digit string, confidence of its least sure digit) below 0.9, least sure first, 20 at most."""
    looked_again: int = 0
    """Lines that were read again, larger, because of a digit below 0.9."""
    changed: int = 0
    """Lines whose digits the second look changed."""


@dataclass(frozen=True, slots=True)
class PageText:
    """What an engine read on one page: N pages in, N of these out."""

    page: Page
    """The page read."""
    state: PageState
    """The one state it ended in."""
    markdown: str
    """Retrieval-aware Markdown without the page marker; empty when blank or failed."""
    engine: str
    """Reader that wrote the text, e.g. `local`."""
    method: str = "text-layer"
    """View that was read: `text-layer`, `ocr` or `image`."""
    regions: tuple[Region, ...] = ()
    """Stretches of the Markdown with their places, in order; may be empty."""
    tables: tuple[Table, ...] = ()
    """Grids of the page's tables, in order."""
    furniture: tuple[str, ...] = ()
    """Running headers, footers and page numbers that were left out."""
    notes: tuple[str, ...] = ()
    """Warnings that the reader of a report should see."""
    turned: int = 0
    """Degrees clockwise, 0, 90, 180 or 270, by which the page was turned to be read upright."""
    skew: float = 0.0
    """Degrees clockwise by which its lines then slanted; it was straightened by as much."""
    recognition: Recognition | None = None
    """How sure OCR was; None where the text is not OCR's, or was read before this was kept."""
    attempts: tuple[Attempt, ...] = ()
    """Every try, first to last."""
    usage: Usage = field(default_factory=Usage)
    """Sum over the attempts."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one page's Markdown."""

    page: int
    """1-based physical page."""
    start: int
    """First code point in that page's Markdown, from 0."""
    end: int
    """Code point after the last."""
    boxes: tuple[Box, ...] = ()
    """Where it stands, in page points; empty where the engine does not know."""


@dataclass(frozen=True, slots=True)
class Element:
    """A top-level block with an identity."""

    id: str
    """Letter of the kind (h, p, l, c, r) and a number from 1, unique in the document."""
    kind: ElementKind
    """What it is."""
    level: int
    """1 to 6 for a heading, 0 for everything else."""
    text: str
    """The spans' text joined by one space; each part byte for byte as on its page."""
    key: str
    """Content key: sha256 of the text and its occurrence number, 16 hexadecimal digits."""
    spans: tuple[Span, ...]
    """One a page that it stands on, in page order."""


@dataclass(frozen=True, slots=True)
class Section:
    """A run of elements planned together."""

    id: str
    """`s` and a number from 1, unique in the document."""
    ancestors: tuple[str, ...]
    """IDs of the headings above its first element, outermost first; not among `element_ids`."""
    element_ids: tuple[str, ...]
    """IDs in reading order, headings included."""


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """Which elements form one chunk; IDs and nothing else."""

    section_id: str
    """The section planned."""
    element_ids: tuple[str, ...]
    """IDs in reading order; heading IDs may repeat between plans, content IDs may not."""
    origin: str
    """`planner`, or `fallback` for elements that the planner left out."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieval unit, text put back verbatim. The export format is DESIGN section 5."""

    chunk_id: str
    """16 hexadecimal digits made of doc_id, content and occurrence."""
    doc_id: str
    """The source's identity."""
    collection: str
    """The source's collection."""
    source: str
    """The source's path under its root."""
    pages: tuple[int, ...]
    """1-based physical pages that the body stands on, ascending."""
    spans: tuple[Span, ...]
    """Where the body stands, in order, without boxes in the export."""
    element_ids: tuple[str, ...]
    """Elements in the body, in reading order."""
    breadcrumb: tuple[str, ...]
    """Texts of the ancestor headings, outermost first, without `#`."""
    parent_id: str | None
    """chunk_id of a parent passage, where a chunker makes one."""
    body: str
    """The elements' texts, byte for byte, a blank line between."""
    text: str
    """What is embedded: ancestor headings, then the body."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that an answer to a question rests on."""

    document: str
    """Name of the document it was taken from, as the corpus says it."""
    text: str
    """The statement; its words need not stand in the document in this order."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question of a corpus."""

    query_id: str
    """Unique in its corpus."""
    text: str
    """The question."""
    collection: str
    """Collection that it is asked of; empty for the whole corpus."""
    kind: str = ""
    """Its type, as the corpus names it; empty where it names none."""
    facts: tuple[Fact, ...] = ()
    """What the answer rests on; empty where the corpus does not say."""
    source: str = ""
    """The one document that it is asked of, by its path under the collection's root; empty: all."""

    @property
    def scope(self) -> tuple[str, str]:
        """Collection and document that it is asked of, each empty where it is asked of all."""
        return self.collection, self.source


NEUTRAL = -1
"""Grade of a page that is neither relevant nor not: rankings are judged as if it were not there."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One relevant page of one query (qrels)."""

    query_id: str
    """The query judged."""
    collection: str
    """Collection of the document."""
    source: str
    """Path under the collection's root."""
    page: int
    """1-based physical page."""
    grade: int = 1
    """Relevance, 0 for not relevant; or NEUTRAL."""


class Hit(NamedTuple):
    """One retrieved chunk; a tuple, because a hundred are made for a query, faster than dataclasses."""

    chunk_id: str
    """The chunk."""
    score: float
    """Higher is better; comparable within one retriever and query only."""
    window: int = 0
    """0-based window of the chunk's text that scored best."""


@dataclass(frozen=True, slots=True)
class PageScore:
    """One retrieved page."""

    doc_id: str
    """The document."""
    page: int
    """1-based physical page."""
    score: float
    """Aggregate of its chunks' scores."""


@dataclass(frozen=True, slots=True)
class Health:
    """What `drac doctor` says of one outside thing."""

    name: str
    """The thing checked, e.g. `LibreOffice`."""
    state: str
    """`ok`, `missing` (a stage cannot run) or `warning` (works, but less well)."""
    detail: str
    """Version and place found, or what is wrong."""
    remedy: str = ""
    """What to do; empty when ok."""
