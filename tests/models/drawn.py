"""Small PDFs with text that stands nowhere else, and what an honest model says on each page."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.library import book_of
from tests.servers.pages import PageBook

DPI, SIDE = 60, 560
"""Small images, so that a run takes little time."""
_TOP, _BOTTOM = 60.0, 800.0
"""Points from the page's upper edge between which text stands."""
_NOUNS = """
harbour ferry timetable ticket keeper lantern meadow orchard bridge museum library gallery winter summer
council permit notice garden railway signal captain island village market bakery station engineer
surveyor archive ledger parcel window ladder copper silver granite timber canal lighthouse anchor
compass voyage cargo warehouse crane tunnel valley summit glacier pasture stable wagon printer press
paper binding reader curator painter sculptor tailor weaver potter mason carpenter baker brewer miller
"""
_VERBS = "visits repairs records inspects opens closes measures describes guards follows paints counts"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of PDFs and what stands on their pages."""

    folder: Path
    """Where the PDFs are."""
    texts: Mapping[tuple[str, int], str]
    """Markdown by (path under the folder, 1-based page); empty: a blank page."""
    book: PageBook
    """What the server needs to know, for the settings of `CONFIG`."""
    batches: int
    """Requests of an honest run at five pages a request, blank pages left out."""

    @property
    def blanks(self) -> list[tuple[str, int]]:
        """Pages without ink."""
        return [page for page, text in self.texts.items() if not text]


def draw(folder: Path, pages: Mapping[str, int], *, blanks: Sequence[tuple[str, int]] = (),
         scans: Sequence[str] = ()) -> Corpus:  # fmt: skip
    """PDFs of so many pages by name; `scans` have no text layer."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        (name, number): "" if (name, number) in blanks else page_text(name, number)
        for name, count in pages.items() for number in range(1, count + 1)
    }  # fmt: skip
    for name, count in pages.items():
        _draw(folder / name, [texts[name, number] for number in range(1, count + 1)], name in scans)
    return learn(folder, texts)


def learn(folder: Path, texts: Mapping[tuple[str, int], str]) -> Corpus:
    """A corpus of PDFs that are there."""
    names = sorted({name for name, _ in texts})
    pdfs = {name: folder / name for name in names}
    by_path = {(folder / name, number): text for (name, number), text in texts.items()}
    book = book_of(pdfs, lambda pdf, number: by_path[pdf, number], dpi=DPI, max_side=SIDE)
    return Corpus(folder, texts, book, sum(_requests(texts, name) for name in names))


def _requests(texts: Mapping[tuple[str, int], str], name: str) -> int:
    """Groups of five pages that have a page with ink; a blank page parts no group."""
    inked = {number for (one, number), text in texts.items() if one == name and text}
    return len({(number - 1) // 5 for number in inked})


def page_text(name: str, number: int) -> str:
    """A heading and eight paragraphs, which fill the page, by name and number only."""
    dice = random.Random(f"{name} {number}")
    title = f"## {_noun(dice).capitalize()} {number} of {name.removesuffix('.pdf')}"
    return "\n\n".join((title, *(_paragraph(dice) for _ in range(8))))


def _paragraph(dice: random.Random) -> str:
    return " ".join(_sentence(dice) for _ in range(dice.randint(1, 4)))


def _sentence(dice: random.Random) -> str:
    who, what, other, place = (_noun(dice) for _ in range(4))
    verb, number = dice.choice(_VERBS.split()), dice.randint(100, 999)
    return f"The {who} {verb} the {what} and the {other} near {place} {number}."


def _noun(dice: random.Random) -> str:
    return dice.choice(_NOUNS.split())


def _draw(path: Path, pages: Sequence[str], scan: bool) -> None:
    import pymupdf

    document = pymupdf.open()
    for text in pages:
        write(document.new_page(), text)
    if scan:
        document = _scanned(document)
    document.save(path, no_new_id=True)


def write(page: Any, markdown: str) -> None:
    """Blocks from the top to the bottom, headings larger, the space that is left between them."""
    blocks = [block for block in markdown.split("\n\n") if block]
    heights = [_height(block) for block in blocks]
    gap = (_BOTTOM - _TOP - sum(heights)) / max(1, len(blocks))
    top = _TOP
    for block, height in zip(blocks, heights, strict=True):
        box = (60, top, 540, top + height)
        left = page.insert_textbox(box, block.lstrip("# "), fontsize=_size(block), lineheight=1.3)
        assert left >= 0, block
        top += height + gap


def _size(block: str) -> int:
    return 16 if block.startswith("#") else 11


def _height(block: str) -> float:
    size = _size(block)
    return size * 1.3 * (1 + len(block) * size * 0.5 // 460) + 6


def _scanned(document: Any) -> Any:
    import pymupdf

    scan = pymupdf.open()
    for page in document:
        target = scan.new_page(width=page.rect.width, height=page.rect.height)
        target.insert_image(target.rect, pixmap=page.get_pixmap(dpi=110))
    return scan
