"""Blocks to retrieval-aware Markdown, with the place of every stretch on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from drac.records import Box, Region, Table
from drac.stages.convert.block import Block
from drac.stages.convert.blocks import blocks_of
from drac.stages.convert.contents import entries, grid_entries, is_contents, is_listing
from drac.stages.convert.grid import Grid, grid_of
from drac.stages.convert.headings import heading_level
from drac.stages.convert.lists import Item, items_of, merge_items, starts_item, write_items
from drac.stages.convert.page import DocumentFacts, Line, PageView, union
from drac.stages.convert.rows import idle_headers, row_sentences, sentence
from drac.stages.convert.ruled import ruled_grid
from drac.stages.convert.text import escape, escape_heading, fenced, flow, line_text, visual_lines


@dataclass(slots=True)
class Written:
    """A page while it is written, and when it is done."""

    markdown: str = ""
    """Blocks with a blank line between."""
    regions: list[Region] = field(default_factory=list)
    """One a block, in order."""
    tables: list[Table] = field(default_factory=list)
    """In order."""
    furniture: list[str] = field(default_factory=list)
    """What was left out."""

    def add(self, kind: str, text: str, boxes: Sequence[Box]) -> tuple[int, int]:
        """Append one block and return where it stands."""
        start = self._append(text)
        self.regions.append(Region(start, len(self.markdown), kind, tuple(map(_rounded, boxes))))
        return start, len(self.markdown)

    def _append(self, text: str) -> int:
        """Where the text begins. Only a string that nothing else holds grows without being copied."""
        whole, self.markdown = self.markdown, ""
        if whole:
            whole += "\n\n"
        start = len(whole)
        whole += text
        self.markdown = whole
        return start

    def join(self, other: Written) -> None:
        """Append another page's text with its places."""
        shift = self._append(other.markdown)
        self.regions += [replace(one, start=one.start + shift, end=one.end + shift) for one in other.regions]
        self.tables += [_shifted(one, shift) for one in other.tables]
        self.furniture += other.furniture


def _shifted(table: Table, shift: int) -> Table:
    sentences = tuple((row, start + shift, end + shift) for row, start, end in table.sentences)
    return replace(table, sentences=sentences)


def write_page(view: PageView, facts: DocumentFacts) -> Written:
    """The page's Markdown, regions, tables and furniture; every visible line is in one of them."""
    page = Written()
    blocks = blocks_of(view, facts)
    listed = _contents(blocks, view, facts)
    place = 0
    while place < len(blocks):
        run = _listed(blocks, place, listed) or _run(blocks, place, facts)
        if place in listed:
            items = [item for one in range(place, place + len(run)) for item in listed[one]]
            page.add("list", "\n".join(write_items(items)), [one.box for one in run])
        else:
            _write(page, run, view, facts)
        place += len(run)
    return page


def _contents(blocks: Sequence[Block], view: PageView, facts: DocumentFacts) -> dict[int, list[Item]]:
    """The entries of a table of contents, by the place of the block that holds them."""
    if not is_contents(view, facts):
        return {}
    found = {}
    for place, block in enumerate(blocks):
        grid = _read_grid(block, view, facts) if block.kind == "table" else None
        if grid is not None and (items := grid_entries(grid)):
            found[place] = items
        elif block.kind != "furniture" and block.mesh is None and is_listing(block):
            found[place] = entries(block.lines, facts.words)
    return found


def _listed(blocks: Sequence[Block], place: int, listed: Mapping[int, object]) -> Sequence[Block]:
    """The block at `place` with those after it, as long as they hold entries of contents."""
    end = place
    while end in listed:
        end += 1
    return blocks[place:end]


def _run(blocks: Sequence[Block], place: int, facts: DocumentFacts) -> list[Block]:
    """The block at `place`, with those after it that are the same list or the same code."""
    first = blocks[place]
    run = [first]
    for block in blocks[place + 1 :]:
        if not _same_list(run, block) and not (_is_code(first, facts) and _is_code(block, facts)):
            break
        run.append(block)
    return run


def _same_list(run: Sequence[Block], block: Block) -> bool:
    """Whether a block below is one more item, or text that goes on with the item above."""
    last = run[-1]
    if run[0].kind != "list-item" or block.box[1] < last.box[1]:
        return False
    if block.kind == "list-item":
        return True
    size = block.lines[0].size
    indented = abs(block.box[0] - _text_left(last)) < 0.3 * size and block.box[0] > run[0].box[0] + 0.5 * size
    return block.kind == "paragraph" and indented and block.box[1] - last.box[3] < 0.8 * size


def _text_left(block: Block) -> float:
    """Where an item's text starts, right of its marker."""
    words = [word for line in visual_lines(block.lines)[0] for word in line.words]
    marked = len(words) > 1 and starts_item(f"{words[0].text} x")
    return words[1].box[0] if marked else words[0].box[0]


def _write(page: Written, run: Sequence[Block], view: PageView, facts: DocumentFacts) -> None:
    block = run[0]
    boxes = [one.box for one in run]
    if block.kind == "furniture":
        page.furniture.append(flow(block.lines, facts.words))
    elif block.kind == "list-item":
        items = [item for one in run for item in items_of(one.lines, facts.words)]
        items = merge_items(items, facts.words)
        page.add("list", "\n".join(write_items(items)), boxes)
    elif block.kind == "table":
        _write_table(page, block, view, facts)
    elif _is_code(block, facts):
        page.add("code", _code([line for one in run for line in one.lines]), boxes)
    else:
        _write_text(page, block, facts)


def _write_text(page: Written, block: Block, facts: DocumentFacts) -> None:
    text = flow(block.lines, facts.words)
    if block.kind != "heading":
        page.add(block.kind, escape(text), [block.box])
        return
    title = block.layout is not None and block.layout.kind == "title"
    level = heading_level(block.lines, text, facts, told=block.level, title=title, run_in=block.run_in)
    page.add("heading", f"{'#' * level} {escape_heading(text)}", [block.box])


def _write_table(page: Written, block: Block, view: PageView, facts: DocumentFacts) -> None:
    grid = _read_grid(block, view, facts)
    if grid is None:
        for group in visual_lines(block.lines):
            page.add("paragraph", escape(line_text(group)), [union(line.box for line in group)])
        return
    if grid.title:
        page.add("caption", escape(grid.title), [grid.title_box])
    if block.mesh is None:
        _write_slanted(page, block, facts)
    if idle := idle_headers(grid.cells, grid.columns, grid.header_rows):
        page.add("paragraph", escape(sentence(idle)), grid.boxes[: grid.header_rows])
    sentences = []
    for row, text in row_sentences(grid.cells, grid.rows, grid.columns, grid.header_rows):
        start, end = page.add("row", escape(text), [grid.boxes[row]])
        sentences.append((row, start, end))
    page.tables.append(_table(block, grid, sentences))


def _read_grid(block: Block, view: PageView, facts: DocumentFacts) -> Grid | None:
    if block.mesh is not None:
        return ruled_grid(block.mesh, block.lines, facts.words)
    borders = block.layout.columns if block.layout else ()
    return grid_of(block.lines, view.rules, borders, facts.words)


def _write_slanted(page: Written, block: Block, facts: DocumentFacts) -> None:
    """Text on its side in a table without a mesh stands in no grid: a paragraph for lines side by side."""
    groups: list[list[Line]] = []
    for line in (line for line in block.lines if not line.upright):
        if groups and _beside(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        page.add("paragraph", escape(flow(group, facts.words)), [union(line.box for line in group)])


def _beside(before: Line, line: Line) -> bool:
    """Whether a line on its side goes on with the one before it, to its right or left."""
    gap = max(before.box[0], line.box[0]) - min(before.box[2], line.box[2])
    return gap < 0.6 * line.size and min(before.box[3], line.box[3]) > max(before.box[1], line.box[1])


def _table(block: Block, grid: Grid, sentences: Sequence[tuple[int, int, int]]) -> Table:
    return Table(
        box=_rounded(block.box),
        rows=grid.rows,
        columns=grid.columns,
        header_rows=grid.header_rows,
        cells=grid.cells,
        caption=grid.title,
        sentences=tuple(sentences),
    )


def _is_code(block: Block, facts: DocumentFacts) -> bool:
    if facts.body_mono or block.kind not in ("paragraph", "list-item"):
        return False
    return all(line.mono for line in block.lines)


def _code(lines: Sequence[Line]) -> str:
    """A fenced block; a line's indent is counted in characters of its own width."""
    groups = visual_lines(lines)
    left = min(line.box[0] for line in lines)
    return fenced("\n".join(_code_line(group, left) for group in groups))


def _code_line(group: Sequence[Line], left: float) -> str:
    text = ""
    for line in group:
        width = (line.box[2] - line.box[0]) / max(1, len(line.raw.strip())) or 1.0
        column = round((line.box[0] - left) / width)
        text += " " * max(column - len(text), 1 if text else 0) + line.raw.strip()
    return text.rstrip()


def _rounded(box: Box) -> Box:
    x0, y0, x1, y1 = (round(value, 1) for value in box)
    return (x0, y0, x1, y1)
