"""What holds for a whole PDF: body and heading styles, bookmarks, running headers and footers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from drac.adapters.pymupdf_sheets import Sheets
from drac.adapters.pymupdf_text import PageContent
from drac.stages.convert.blocks import edge_of
from drac.stages.convert.headings import MAX_LEVEL, bookmark_levels, class_levels, heading_styles, style_of
from drac.stages.convert.hyphens import LineEnds
from drac.stages.convert.page import DocumentFacts, Line, squeeze, title_key
from drac.stages.convert.text import words_of

SAMPLE = 200
"""Pages looked at, at most; under 10 ms each."""
_COVERED = 6
"""Pages from which a document may have covers."""
_TEX = re.compile(r"tex|dvi", re.IGNORECASE)
"""pdfTeX, LuaTeX, xdvipdfmx, dvips."""
_SLIDES = re.compile(r"Impress|PowerPoint")
"""Programs that make slides, as they name themselves in a PDF."""
_UNTITLED = re.compile(r"Slide \d+")
"""What Impress calls a slide without a title."""
_AT_END = re.compile(r"^\d{1,4}(?=\s)|(?<=\s)\d{1,4}$|^\d{1,4}$")
_INTEGER = re.compile(r"\d{1,6}")


@dataclass(slots=True)
class _Tally:
    """Counts over the sampled pages."""

    body: Counter[tuple[float, bool]] = field(default_factory=Counter)
    """Characters by style."""
    alone: Counter[tuple[float, bool]] = field(default_factory=Counter)
    """Short lines that stand alone, by style."""
    places: dict[tuple[float, bool], set[int]] = field(default_factory=lambda: defaultdict(set))
    """1-based pages on which such lines stand, by style."""
    edges: dict[tuple[str, str, int], dict[int, Line]] = field(default_factory=lambda: defaultdict(dict))
    """First such line of each page, by edge, squeezed text and height in steps of 8 points."""
    inner: Counter[str] = field(default_factory=Counter)
    """Lines away from the edges, by squeezed text."""
    titles: dict[tuple[float, bool], int] = field(default_factory=dict)
    """Deepest level of bookmarked titles by style."""
    title_styles: dict[tuple[int, str], tuple[float, bool]] = field(default_factory=dict)
    """Style of each bookmarked title, by 1-based page and key."""
    words: set[str] = field(default_factory=set)
    """Words in small letters."""
    ends: LineEnds = field(default_factory=LineEnds)
    """Hyphens at line ends."""
    mono: int = 0
    """Characters of fixed width."""
    pages: int = 0
    """Pages counted."""

    def add(self, content: PageContent, number: int, bookmarks: Mapping[tuple[int, str], int]) -> None:
        """Count the page of this 1-based number."""
        self.pages += 1
        for line in content.lines:
            level = bookmarks.get((number, title_key(line.text)), 0) if bookmarks else 0
            if level:
                self.title_styles[number, title_key(line.text)] = style_of(line)
                self.titles[style_of(line)] = max(level, self.titles.get(style_of(line), 0))
        for line in content.lines:
            self.body[style_of(line)] += len(line.raw)
            self.mono += len(line.raw) * line.mono
        self.ends.add(content.lines)
        self.words.update(_whole_words(content.lines))
        lone = Counter(_lone_styles(content.lines))
        self.alone += lone
        for style in lone:
            self.places[style].add(number)
        for line in content.lines:
            text = squeeze(line.text)
            if edge := edge_of(line.box, content.height):
                self.edges[edge, text, round(line.box[1] / 8)].setdefault(number, line)
            else:
                self.inner[text] += 1


def document_facts(sheets: Sheets, keep: dict[int, PageContent] | None = None) -> DocumentFacts:
    """Gather the facts from pairs of neighbouring pages spread over the document.

    `keep` takes the pages' content by 0-based index, for a caller who reads them next. The sheets' mender
    learns what glyphs without a character are, and is closed.
    """
    tally = _Tally()
    bookmarks = _bookmarks(sheets.document)
    for index in sample(sheets.document.page_count):
        try:
            content = sheets.content(index)
        except Exception:  # a page that cannot be read is reported when its turn comes
            continue
        tally.add(content, index + 1, bookmarks)
        if keep is not None:
            keep[index] = content
    continued = _continued(sheets, keep or {})
    sheets.mender.closed = True
    return replace(_facts(sheets.document, tally, bookmarks), continued=continued)


def _continued(sheets: Sheets, known: Mapping[int, PageContent]) -> dict[int, frozenset[tuple[str, int]]]:
    """Of pages with the number of the page before, such as the continuation of a slide: the lines there."""
    found = {}
    for index in _same_numbers(sheets.document):
        try:
            before = known[index - 1] if index - 1 in known else sheets.content(index - 1)
        except Exception:  # a page that cannot be read is reported when its turn comes
            continue
        found[index + 1] = frozenset((line.text, round(line.box[1])) for line in before.lines)
    return found


def _same_numbers(document: Any) -> list[int]:
    """0-based indexes of pages that viewers show with the number of the page before."""
    if not document.get_page_labels():
        return []
    try:
        labels = [document[index].get_label() for index in range(document.page_count)]
    except Exception:  # damaged pages or labels
        return []
    return [index for index in range(1, len(labels)) if labels[index] and labels[index] == labels[index - 1]]


def _facts(document: Any, tally: _Tally, bookmarks: dict[tuple[int, str], int]) -> DocumentFacts:
    style = tally.body.most_common(1)[0][0] if tally.body else (0.0, False)
    styles = heading_styles(tally.alone, style, _covers(tally, document.page_count))
    tex = _is_tex(document)
    levels = class_levels(styles, style) if tex else {}
    compounds = frozenset() if tex else tally.ends.compounds(tally.words)  # TeX cuts words unless told not to
    return DocumentFacts(
        pages=document.page_count,
        body_size=style[0],
        body_bold=style[1],
        body_mono=tally.mono > 0.5 * tally.body.total(),
        heading_styles=styles,
        bookmarks=bookmark_levels(bookmarks, tally.title_styles, levels),
        title_levels=_title_levels(tally, style),
        class_levels=levels,
        furniture=_repeated(tally),
        first_pages=_first_pages(tally),
        words=compounds | tally.words,
    )


def _is_tex(document: Any) -> bool:
    """Whether TeX, or a program that goes on with what TeX made, wrote the PDF."""
    return _TEX.search((document.metadata or {}).get("producer") or "") is not None


def _covers(tally: _Tally, pages: int) -> frozenset[tuple[float, bool]]:
    """Styles of the first and the last page alone; none in a document too short to have covers."""
    ends = {1, pages} if pages >= _COVERED else set[int]()
    return frozenset(style for style, places in tally.places.items() if places <= ends)


def sample(pages: int) -> list[int]:
    """0-based indexes of at most SAMPLE pages: all, or pairs of neighbours evenly spread."""
    if pages <= SAMPLE:
        return list(range(pages))
    pairs = SAMPLE // 2
    starts = sorted({round(place * (pages - 2) / (pairs - 1)) for place in range(pairs)})
    return sorted({index for start in starts for index in (start, start + 1)})


def _lone_styles(lines: Sequence[Line]) -> Iterator[tuple[float, bool]]:
    runs = Counter(line.run for line in lines)
    for line in lines:
        letters = sum(c.isalpha() for c in line.raw)
        if line.upright and runs[line.run] <= 2 and letters >= 2 and len(line.raw) <= 120:
            yield style_of(line)


def _whole_words(lines: Sequence[Line]) -> Iterator[str]:
    """Words in small letters, without the halves of those cut at a line's end."""
    cut = False
    for line in lines:
        words = [word.text for word in line.words][cut:]
        cut = bool(words) and words[-1][-1] in "-\u2010\u00ad"
        yield from words_of(" ".join(words[:-1] if cut else words))


def _repeated(tally: _Tally) -> frozenset[tuple[str, str]]:
    """Texts at one place of two pages in a document of up to four, else of three, alike or counting.

    What stands away from the edges as often is text, as a clause that a form repeats.
    """
    size = tally.body.most_common(1)[0][0][0] if tally.body else 0.0
    return frozenset(
        (edge, text)
        for (edge, text, _), lines in tally.edges.items()
        if max(_same_texts(lines), _counting(lines, size)) >= _least(tally)
        and (tally.inner[text] < len(lines) or not any(map(str.isalpha, text)))
    ) | _numbered_headers(tally, size)


def _numbered_headers(tally: _Tally, body_size: float) -> frozenset[tuple[str, str]]:
    """Texts beside the page's number, at one height of half the pages, such as the chapter's title.

    Those that also stand there as a heading, in larger print, are left alone.
    """
    heights: dict[tuple[str, int], list[tuple[str, int, Line]]] = defaultdict(list)
    large = {
        (edge, text)
        for (edge, text, _), lines in tally.edges.items()
        if any(line.size > 1.15 * body_size for line in lines.values())
    }
    for (edge, text, height), lines in tally.edges.items():
        small = ((page, line) for page, line in lines.items() if line.size <= 1.15 * body_size)
        heights[edge, height] += [(text, page, line) for page, line in small]
    found = set()
    for (edge, _), texts in heights.items():
        steps = Counter({(page, int(number) - page) for _, page, line in texts for number in _ends(line)})
        step, count = Counter(step for _, step in steps).most_common(1)[0] if steps else (0, 0)
        if count >= max(_least(tally), 0.5 * tally.pages):
            found |= {(edge, text) for text, page, _ in texts if (page, step) in steps}
    return frozenset(found - large)


def _ends(line: Line) -> list[str]:
    """The numbers at the ends of a line."""
    return _AT_END.findall(line.text)


def _first_pages(tally: _Tally) -> dict[tuple[str, str], int]:
    """Where texts stand first that repeat at one place, those too whose numbers rise from page to page."""
    repeated = _repeated(tally) | {
        key[:2] for key, lines in tally.edges.items() if len(lines) >= _least(tally) and _rising(lines)
    }
    first: dict[tuple[str, str], int] = {}
    for (edge, text, _), lines in tally.edges.items():
        if (edge, text) in repeated:
            first[edge, text] = min([*lines, first.get((edge, text), min(lines))])
    return first


def _rising(lines: dict[int, Line]) -> bool:
    """Whether the first or the last number of the text grows from each page to the next."""
    numbers = [_INTEGER.findall(lines[page].text) for page in sorted(lines)]
    ends = ([int(found[place]) for found in numbers if found] for place in (0, -1))
    return any(len(end) > 1 and all(a < b for a, b in pairwise(end)) for end in ends)


def _least(tally: _Tally) -> int:
    return 2 if tally.pages <= 4 else 3


def _same_texts(lines: dict[int, Line]) -> int:
    """Pages on which the most frequent of the texts stands, to the letter."""
    return max(Counter(line.text.casefold() for line in lines.values()).values())


def _counting(lines: dict[int, Line], body_size: float) -> int:
    """Pages on which a number in the text runs with the page, in print no larger than the body's."""
    steps = Counter(
        step
        for page, line in lines.items()
        if line.size <= 1.15 * body_size
        for step in {int(number) - page for number in _INTEGER.findall(line.text)}
    )
    return max(steps.values(), default=0)


def _bookmarks(document: Any) -> dict[tuple[int, str], int]:
    try:
        entries: Sequence[Any] = document.get_toc(simple=True)
    except Exception:  # broken bookmarks are no reason to lose the text
        return {}
    deck = _is_deck(document, entries)
    levels = {
        (int(page), title_key(title)): int(level) + (deck and int(page) > 1) for level, title, page in entries
    }
    return {place: min(level, MAX_LEVEL) for place, level in levels.items() if place[0] > 0 and place[1]}


def _is_deck(document: Any, entries: Sequence[Any]) -> bool:
    """Whether the bookmarks are the slides' titles: the first one's is that of all, which no level tells."""
    made_by = (document.metadata or {}).get("creator") or ""
    flat = all(level == 1 for level, _, _ in entries)
    titled = bool(entries) and entries[0][2] == 1 and not _UNTITLED.fullmatch(entries[0][1])
    return flat and titled and _SLIDES.search(made_by) is not None


def _title_levels(tally: _Tally, body: tuple[float, bool]) -> dict[tuple[float, bool], int]:
    """Titles set like the body say nothing about its other lines."""
    return {style: level for style, level in tally.titles.items() if style > body}
