"""What the server knows of pages: an image in, the page (or the half of it) and its Markdown out.

A page is found by the sha256 of its image, and where the bytes differ (JPEG, another size, a tile) by
a grey miniature of 32 columns and 256 rows. Tiles are as wide as the page and touch its top or bottom.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
from PIL import Image

COLUMNS, ROWS = 32, 256
"""Size of a miniature in cells."""
_ALIKE = 0.7
"""Correlation of two miniatures from which they show the same page.

Measured on 110 pages of RAG-Multi-Corpus as JPEG, halves and overlapping tiles: the same page 0.795 to
1, half of them over 0.98; half of all pages have no other one over 0.43.
"""
_PLAIN = 2.0
"""Standard deviation in grey levels (of 256) up to which a miniature shows plain paper."""
_WHOLE = (0.97, 1.03)
"""Share of a page's height for which an image is the whole page."""
_MARGIN = 0.12
"""Least share of a page's height that a tile shows."""

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
WHOLE = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One known page."""

    document: str
    """Document's name as the test gave it."""
    number: int
    """1-based physical page."""
    markdown: str
    """What the server says when it is asked to read this page; empty: a blank page."""
    sha256: str
    """Of the image's bytes, hexadecimal."""
    aspect: float
    """Height of the image divided by its width."""
    miniature: bytes
    """ROWS x COLUMNS grey levels, row by row, packed by zlib."""

    def say(self, part: tuple[float, float] = WHOLE) -> str:
        """The Markdown of the blocks whose middle lies in this share of the page's height.

        A block's place is reckoned from the length of the text before it. Two tiles that meet together
        say every block once, in order; where they overlap, blocks are said twice, as a model would.
        """
        if part == WHOLE:
            return self.markdown
        inside = (text for at, text in self._placed() if part[0] <= at < part[1])
        return "\n\n".join(inside)

    def _placed(self) -> Iterator[tuple[float, str]]:
        blocks = blocks_of(self.markdown)
        total, before = sum(map(len, blocks)) or 1, 0
        for block in blocks:
            yield (before + len(block) / 2) / total, block
            before += len(block)


def blocks_of(markdown: str) -> list[str]:
    """The text between blank lines; a lone long block is cut at a sentence's end near its middle."""
    blocks = [block for block in markdown.split("\n\n") if block.strip()]
    if len(blocks) == 1 and (cut := _sentence_end(blocks[0])):
        return [blocks[0][:cut].rstrip(), blocks[0][cut:].lstrip()]
    return blocks


def _sentence_end(block: str) -> int:
    ends = [at + 1 for at in range(len(block) - 1) if block[at] in ".\n" and block[at + 1].isspace()]
    return min(ends, key=lambda at: abs(at - len(block) / 2), default=0)


@dataclass(frozen=True, slots=True)
class Found:
    """What an image shows."""

    sheet: Sheet | None
    """The page; None for an image that no known page resembles."""
    part: tuple[float, float] = WHOLE
    """From and to which share of the page's height, from the top."""
    plain: bool = False
    """Whether the image is plain paper."""
    exact: bool = False
    """Whether the bytes were known."""

    @property
    def text(self) -> str:
        """What an honest model reads in it."""
        return self.sheet.say(self.part) if self.sheet else ""


@dataclass
class PageBook:
    """All pages that the server knows; safe to ask from many threads once it is filled."""

    sheets: list[Sheet] = field(default_factory=list)
    """In the order added."""
    _exact: dict[str, list[Sheet]] = field(default_factory=dict)
    _seen: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    _spans: dict[tuple[int, bool], Floats] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def add(self, document: str, number: int, image: bytes, markdown: str) -> Sheet:
        """Learn a page from its PNG or JPEG."""
        grey = _grey(image)
        packed = zlib.compress(_miniature(grey, ROWS).tobytes())
        aspect = grey.height / grey.width
        digest = hashlib.sha256(image).hexdigest()
        sheet = Sheet(document, number, markdown, digest, aspect, packed)
        self.extend([sheet])
        return sheet

    def extend(self, sheets: Iterable[Sheet]) -> None:
        """Learn pages that were made elsewhere."""
        with self._lock:
            for sheet in sheets:
                self.sheets.append(sheet)
                self._exact.setdefault(sheet.sha256, []).append(sheet)
            self._seen.clear()
            self._spans.clear()

    def page(self, document: str, number: int) -> Sheet:
        """A page by name; raises KeyError."""
        for sheet in self.sheets:
            if (sheet.document, sheet.number) == (document, number):
                return sheet
        raise KeyError((document, number))

    def find(self, image: bytes) -> tuple[Found, ...]:
        """Every known page that the image shows: mostly one, several where pages look the same.

        Raises OSError for bytes that are no image.
        """
        digest = hashlib.sha256(image).hexdigest()
        if digest in self._exact:
            return tuple(Found(sheet, exact=True) for sheet in self._exact[digest])
        if digest not in self._seen:
            self._seen[digest] = self._resembling(image)
        return self._seen[digest]

    def _resembling(self, image: bytes) -> tuple[Found, ...]:
        grey = _grey(image)
        whole = _miniature(grey, ROWS)
        if whole.std() <= _PLAIN:
            return (Found(None, plain=True),)
        if not self.sheets:
            return (Found(None),)
        score, found = max(self._candidates(grey, whole), key=lambda one: one[0])
        return (found,) if score >= _ALIKE else (Found(None),)

    def _candidates(self, grey: Image.Image, whole: Grey) -> Iterator[tuple[float, Found]]:
        yield self._best(whole, WHOLE, list(range(len(self.sheets))))
        by_rows: dict[int, list[int]] = {}
        for index, sheet in enumerate(self.sheets):
            share = grey.height / grey.width / sheet.aspect
            if _MARGIN <= share < _WHOLE[0]:
                by_rows.setdefault(round(share * ROWS), []).append(index)
        for rows, members in by_rows.items():
            tile, share = _miniature(grey, rows), round(rows / ROWS, 2)
            yield self._best(tile, (0.0, share), members)
            yield self._best(tile, (round(1 - share, 2), 1.0), members)

    def _best(self, tile: Grey, part: tuple[float, float], members: list[int]) -> tuple[float, Found]:
        known = self._normalized(len(tile), top=part[0] == 0.0)
        scores = known[members] @ _normal(tile.reshape(1, -1))[0]
        best = int(np.argmax(scores))
        return float(scores[best]), Found(self.sheets[members[best]], part)

    def _normalized(self, rows: int, *, top: bool) -> Floats:
        """Miniatures of all pages, their top or bottom `rows`, mean 0 and length 1."""
        with self._lock:
            if (rows, top) not in self._spans:
                if len(self._spans) >= 8:
                    self._spans.pop(next(iter(self._spans)))
                stack = np.stack([_unpacked(sheet.miniature) for sheet in self.sheets])
                cut = stack[:, :rows] if top else stack[:, ROWS - rows :]
                self._spans[rows, top] = _normal(cut.reshape(len(stack), -1))
            return self._spans[rows, top]

    def save(self, path: Path) -> None:
        """Write the book as JSON, a page a line; `load` reads it in another process."""
        aside = path.with_name(f"{path.name}.part")
        aside.write_text("".join(f"{json.dumps(_record(sheet))}\n" for sheet in self.sheets), "utf-8")
        aside.replace(path)

    @classmethod
    def load(cls, path: Path) -> PageBook:
        """A saved book."""
        book = cls()
        book.extend(_sheet(json.loads(line)) for line in path.read_text("utf-8").splitlines())
        return book


def _record(sheet: Sheet) -> dict[str, object]:
    names = ("document", "number", "markdown", "sha256", "aspect")
    packed = base64.b64encode(sheet.miniature).decode()
    return {**{name: getattr(sheet, name) for name in names}, "miniature": packed}


def _sheet(record: dict[str, object]) -> Sheet:
    packed = base64.b64decode(str(record.pop("miniature")))
    return Sheet(**record, miniature=packed)  # type: ignore[arg-type]


def _grey(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("L")


def _miniature(grey: Image.Image, rows: int) -> Grey:
    return np.asarray(grey.resize((COLUMNS, rows), Image.Resampling.BOX), np.uint8)


def _unpacked(packed: bytes) -> Grey:
    return np.frombuffer(zlib.decompress(packed), np.uint8).reshape(ROWS, COLUMNS)


def _normal(rows: npt.NDArray[np.generic]) -> Floats:
    values = rows.astype(np.float32)
    values -= values.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.maximum(lengths, 1.0), np.float32)
