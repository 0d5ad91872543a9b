"""One page's Markdown to blocks: kinds and source positions, nothing left out.

A page is first cut at page markers and at the row sentences that its tables name; what lies between
is read by markdown-it-py. Lines that no token covers become paragraphs, and blocks without a letter
or digit (thematic breaks, stray markers) join a neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt

from drac.records import ElementKind, PageText


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one page."""

    page: int
    """1-based physical page."""
    start: int
    """First code point in that page's Markdown, from 0."""
    end: int
    """Code point after the last."""


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block before it has an identity."""

    kind: ElementKind
    """What it is."""
    level: int
    """1 to 6 for a heading, else 0."""
    parts: tuple[Part, ...]
    """Where it stands, one part a page, in order."""


_MARKER = r"(?:(?<!\\)<!--[ \t]*[Pp]age[ \t]+\d+[ \t]*-->[ \t]*)+"
_MARKERS = re.compile(rf"^[ \t]*{_MARKER}|{_MARKER}(?=#{{1,6}}[ \t]|$)", re.MULTILINE)
_LINE = re.compile(r"\r\n?|\n")
_WORD = re.compile(r"\w")
_JOINABLE = (ElementKind.PARAGRAPH, ElementKind.LIST)
_MAX_UNCLOSED = 8
"""Unclosed fences of one stretch that are read as text; bounds the time a hostile page takes."""

# Off are the rules that would make text vanish (reference), turn a line above `---` into a heading
# (lheading), hide what follows a comment (html_block) or take models' indented lists for code (code).
_OFF = ["lheading", "html_block", "reference", "code", "inline", "text_join"]
_PARSER = MarkdownIt("commonmark").disable(_OFF)
_KINDS = {
    "heading_open": ElementKind.HEADING,
    "bullet_list_open": ElementKind.LIST,
    "ordered_list_open": ElementKind.LIST,
    "fence": ElementKind.CODE,
}


def read_page(page: PageText) -> list[Block]:
    """The page's blocks in reading order, each with one part."""
    blocks: list[Block] = []
    for start, end, is_row in _stretches(page):
        stretch = Part(page.page.number, start, end)
        raw = [Block(ElementKind.ROW, 0, (stretch,))] if is_row else _parse(page.markdown, stretch)
        trimmed = (_trim(page.markdown, block) for block in raw)
        blocks += _join_strays(page.markdown, [block for block in trimmed if _length(block)])
    return blocks


def _stretches(page: PageText) -> Iterator[tuple[int, int, bool]]:
    """Cut at markers and row sentences: (start, end, is a row), markers left out."""
    text, at = page.markdown, 0
    cuts = [(*match.span(), False) for match in _MARKERS.finditer(text)]
    cuts += [(*row, True) for row in _rows(page)]
    for start, end, is_row in sorted(cuts):
        if start < at:
            continue
        yield at, start, False
        if is_row:
            yield start, end, True
        at = end
    yield at, len(text), False


def _rows(page: PageText) -> Iterator[tuple[int, int]]:
    """Row sentences that do not overlap, each with the rest of its line where that holds no word."""
    spans = {(start, end) for table in page.tables for _, start, end in table.sentences}
    spans |= {(region.start, region.end) for region in page.regions if region.kind == "row"}
    valid = sorted(span for span in spans if 0 <= span[0] < span[1] <= len(page.markdown))
    floor = 0
    for index, (start, end) in enumerate(valid):
        ceiling = min((other for other, _ in valid[index + 1 :] if other >= end), default=len(page.markdown))
        if start >= floor:
            row = _widen(page.markdown, (start, end), floor, ceiling)
            yield row
            floor = row[1]


def _widen(text: str, row: tuple[int, int], floor: int, ceiling: int) -> tuple[int, int]:
    """Take in a list marker before the sentence and stray punctuation after it, within bounds."""
    start, end = row
    line_start = max(floor, text.rfind("\n", 0, start) + 1)
    line_end = min(ceiling, len(text) if (at := text.find("\n", end)) < 0 else at)
    return (
        start if _WORD.search(text, line_start, start) else line_start,
        end if _WORD.search(text, end, line_end) else line_end,
    )


def _parse(text: str, stretch: Part) -> Iterator[Block]:
    """Blocks of one stretch, not yet trimmed; what no token covers is a paragraph."""
    start = stretch.start
    for _ in range(_MAX_UNCLOSED):
        unclosed = yield from _parse_once(text, replace(stretch, start=start))
        if unclosed is None:
            return
        yield _paragraph(stretch.page, *unclosed)
        start = unclosed[1]
    yield Block(ElementKind.CODE, 0, (replace(stretch, start=start),))


def _parse_once(text: str, stretch: Part) -> Generator[Block, None, tuple[int, int] | None]:
    """Blocks up to an unclosed fence, whose opening line is returned for the rest to be read as text."""
    lines, at = _line_starts(text, stretch), stretch.start
    for token in _PARSER.parse(text[stretch.start : stretch.end]):
        if token.level or token.map is None:
            continue
        start, end = (lines[line] for line in token.map)
        yield _paragraph(stretch.page, at, start)
        if token.type == "fence" and not _is_closed(text[start:end], token.markup):
            return start, lines[token.map[0] + 1]
        level = int(token.tag[1:]) if token.type == "heading_open" else 0
        kind = _KINDS.get(token.type, ElementKind.PARAGRAPH)
        yield Block(kind, level, (Part(stretch.page, start, end),))
        at = end
    yield _paragraph(stretch.page, at, stretch.end)
    return None


def _paragraph(page: int, start: int, end: int) -> Block:
    return Block(ElementKind.PARAGRAPH, 0, (Part(page, start, end),))


def _line_starts(text: str, stretch: Part) -> list[int]:
    """Where each line starts, as markdown-it counts lines, and the end for the line after the last."""
    breaks = _LINE.finditer(text, stretch.start, stretch.end)
    return [stretch.start, *(match.end() for match in breaks), stretch.end]


def _is_closed(fence: str, markup: str) -> bool:
    lines = _LINE.split(fence.rstrip())
    last = lines[-1].strip()
    return len(lines) > 1 and last.startswith(markup) and not last.strip(markup[0])


def _trim(text: str, block: Block) -> Block:
    part = block.parts[0]
    piece = text[part.start : part.end]
    start = part.start + len(piece) - len(piece.lstrip())
    return replace(
        block, parts=(replace(part, start=start, end=max(start, part.start + len(piece.rstrip()))),)
    )


def _length(block: Block) -> int:
    return block.parts[0].end - block.parts[0].start


def _join_strays(text: str, blocks: list[Block]) -> list[Block]:
    """Let a block without a word join the paragraph or list before it, else the one after it."""
    kept: list[Block] = []
    for block in blocks:
        if kept and _is_stray(text, block) and kept[-1].kind in _JOINABLE:
            kept[-1] = _merge(kept[-1], block, kept[-1])
        elif kept and _is_stray(text, kept[-1]) and block.kind in _JOINABLE:
            kept[-1] = _merge(kept[-1], block, block)
        else:
            kept.append(block)
    return [
        replace(one, kind=ElementKind.PARAGRAPH, level=0) if _is_stray(text, one) else one for one in kept
    ]


def _is_stray(text: str, block: Block) -> bool:
    part = block.parts[0]
    return block.kind is not ElementKind.CODE and not _WORD.search(text, part.start, part.end)


def _merge(first: Block, second: Block, like: Block) -> Block:
    return replace(like, parts=(replace(first.parts[0], end=second.parts[0].end),))
