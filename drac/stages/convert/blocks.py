"""From layout boxes and lines to the blocks of a page, in reading order; no line is lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from drac.records import Box
from drac.stages.convert.block import Block
from drac.stages.convert.filled import filled_meshes
from drac.stages.convert.headings import is_heading_style, style_of
from drac.stages.convert.initials import with_initials
from drac.stages.convert.lists import is_lone_marker, item_number, starts_bullet, starts_dash
from drac.stages.convert.order import reading_order
from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, area, overlap, squeeze
from drac.stages.convert.ruled import Mesh, lines_in, meshes, ruled_grid
from drac.stages.convert.text import line_text, visual_lines
from drac.stages.convert.titles import split_title, stands_out, titled, without_labels

EDGE = 0.15
"""Share of the page's height at its top and at its foot where running headers and footers stand."""
_BESIDE = 0.1
"""Share of a table's lines of print that hold two cells or more, at least; cells may wrap."""
_LEADING = 1.45
"""Font sizes from one baseline to the next within a paragraph, at most."""
_LARGER = 1.1
"""Sizes of the body's up to which print is no larger."""
_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_PAGE_NUMBER = re.compile(
    rf"\W*(?:page|seite|página|pagina|p\.?|pg\.?)?\s*\W*(?:\d{{1,4}}|{_ROMAN})\W*"
    r"(?:(?:of|von|de|di|sur|/)\s*\d{1,4}\W*)?",
    re.IGNORECASE,
)
_EDGE_KINDS = {"page-header", "page-footer"}
_FLOWING = {"text", "footnote", "caption"}

_KINDS = {
    "title": "heading",
    "section-header": "heading",
    "list-item": "list-item",
    "table": "table",
    "caption": "caption",
    "footnote": "footnote",
    "page-header": "page-header",
    "page-footer": "page-footer",
    "picture": "picture",
}


def blocks_of(view: PageView, facts: DocumentFacts) -> list[Block]:
    """The page's blocks in reading order, footnotes after the text, furniture marked as such."""
    view = replace(view, lines=with_initials(view.lines, facts.words))
    ruled = _ruled(view)
    taken = {line.order for block in ruled for line in block.lines}
    boxes = tuple(box for box in view.boxes if not _is_ruled(box, ruled))
    view = replace(view, boxes=boxes)
    claimed, orphans = _claim(view, [line for line in view.lines if line.order not in taken])
    orphans = _attach(claimed, orphans)
    open_boxes = [box for box, lines in claimed.items() if not _holds(box, lines)]
    blocks = ruled + [
        Block(_KINDS.get(box.kind, "paragraph"), tuple(lines), box)
        for box, lines in claimed.items()
        if lines and box not in open_boxes
    ]
    loose = orphans + [line for box in open_boxes for line in claimed[box]]
    blocks += _paragraphs(loose)
    blocks = [part for block in blocks for part in _split_heading(block, facts)]
    marked = [_mark(part, view, facts) for part in titled(blocks, view, facts)]
    marked = [_promote(block, view, facts) for block in _spare(marked)]
    ordered = without_labels(_listed(_in_order(marked)), facts)
    return sorted(ordered, key=lambda block: block.kind == "footnote")


def _holds(box: LayoutBox, lines: Sequence[Line]) -> bool:
    """Whether the lines in a box are one block: not in a picture, nor in a table without a row of cells."""
    return box.kind != "picture" and (box.kind != "table" or is_tabular(lines))


def is_tabular(lines: Sequence[Line]) -> bool:
    """Whether two lines of print or more, and a good part of all, hold cells beside each other."""
    groups = visual_lines(lines)
    beside = sum(len(group) > 1 or not group[0].upright for group in groups)
    return beside >= max(2, _BESIDE * len(groups))


def _ruled(view: PageView) -> list[Block]:
    """Tables whose rules or fills close every cell, whatever the layout analysis says."""
    found = []
    left = list(view.lines)
    by_rules, by_fills = (sorted(some, key=lambda one: area(one.box), reverse=True) for some in _meshes(view))
    for mesh in by_rules + by_fills:
        lines = lines_in(mesh, left)
        if lines and ruled_grid(mesh, lines):
            found.append(Block("table", tuple(lines), mesh=mesh))
            left = [line for line in left if line not in lines]
    return found


def _meshes(view: PageView) -> tuple[list[Mesh], list[Mesh]]:
    return meshes(view.rules), filled_meshes(view.fills, view.boxes, view.lines)


def _is_ruled(box: LayoutBox, ruled: Sequence[Block]) -> bool:
    """Whether most of a layout box lies in a ruled table, or most of the table in a table's box."""
    meshed = (block.mesh.box for block in ruled if block.mesh)
    return any(
        overlap(box.box, one) > 0.5 or (box.kind == "table" and overlap(one, box.box) > 0.8) for one in meshed
    )


def _claim(view: PageView, lines: Sequence[Line]) -> tuple[dict[LayoutBox, list[Line]], list[Line]]:
    """Give each line to the layout box that holds most of it, the smaller of two equals."""
    claimed: dict[LayoutBox, list[Line]] = {box: [] for box in view.boxes}
    orphans = []
    for line in lines:
        shares = [(round(overlap(line.box, box.box), 1), -area(box.box), box) for box in claimed]
        best = max(shares, key=lambda one: one[:2], default=None)
        if best is not None and best[0] >= 0.5:
            claimed[best[2]].append(line)
        else:
            orphans.append(line)
    return claimed, orphans + _lone_markers(claimed)


def _lone_markers(claimed: dict[LayoutBox, list[Line]]) -> list[Line]:
    """Take away, from boxes around markers alone, what belongs to the text beside them."""
    freed = []
    for box, lines in claimed.items():
        if lines and box.kind != "table" and all(is_lone_marker(line.text) for line in lines):
            freed += lines
            lines.clear()
    return freed


def _attach(claimed: dict[LayoutBox, list[Line]], orphans: list[Line]) -> list[Line]:
    """Orphans just left or right of a claimed line on its baseline belong to it: bullets, numbers.

    Right of a paragraph of several lines stands another column, unless they nearly touch.
    """
    paragraphs = {
        box for box, lines in claimed.items() if box.kind in _FLOWING and len(visual_lines(lines)) > 2
    }
    left = []
    for orphan in orphans:
        near = [
            (abs(_gap(orphan, line)), box)
            for box, lines in claimed.items()
            if box.kind not in _EDGE_KINDS | {"picture"}
            for line in lines
            if line.upright and orphan.upright and abs(line.baseline - orphan.baseline) < 0.45 * line.size
        ]
        gap, box = min(near, key=lambda one: one[0], default=(0.0, None))
        beside = box in paragraphs and orphan.box[0] > max(line.box[2] for line in claimed[box])
        if box is not None and gap < (1.0 if beside else 3.0) * orphan.size:
            claimed[box].append(orphan)
        else:
            left.append(orphan)
    return left


def _gap(one: Line, other: Line) -> float:
    return max(one.box[0], other.box[0]) - min(one.box[2], other.box[2])


def _paragraphs(lines: Sequence[Line]) -> list[Block]:
    """Lines that no layout box claims: one paragraph for each content block, cut at wide gaps.

    A line beside a bullet or number that stands alone is an item.
    """
    markers = _markers_beside(lines)
    led = set(markers.values())
    runs: dict[int, list[list[Line]]] = defaultdict(list)
    for line in sorted(lines, key=lambda one: one.order):
        if line in led:
            continue
        pieces = runs[line.run]
        if pieces and line not in markers and _goes_on(pieces[-1][-1], line):
            pieces[-1].append(line)
        else:
            pieces.append([line])
    whole = [[*filter(None, [markers.get(piece[0])]), *piece] for pieces in runs.values() for piece in pieces]
    return [Block("paragraph", tuple(piece)) for piece in whole]


def _markers_beside(lines: Sequence[Line]) -> dict[Line, Line]:
    """Bullets and numbers that stand alone, by the line that each is left of."""
    found = {}
    for marker in (line for line in lines if is_lone_marker(line.text)):
        right = [line for line in lines if line is not marker and _is_led_by(line, marker)]
        if right:
            found[min(right, key=lambda line: line.box[0])] = marker
    return found


def _is_led_by(line: Line, marker: Line) -> bool:
    same = abs(line.baseline - marker.baseline) < 0.45 * line.size and line.upright and marker.upright
    return same and -0.5 * line.size < line.box[0] - marker.box[2] < 3.0 * line.size


def _goes_on(before: Line, line: Line) -> bool:
    if before.upright != line.upright:
        return False
    close = line.box[1] - before.box[3] < 0.8 * line.size and line.box[1] > before.box[1] - line.size
    return close and min(before.box[2], line.box[2]) > max(before.box[0], line.box[0]) - 3 * line.size


def _mark(block: Block, view: PageView, facts: DocumentFacts) -> Block:
    """Decide whether a block is furniture: by repetition or page number, not by the layout's word."""
    if block.kind != "table" and _is_told_again(block, view, facts):
        return replace(block, kind="furniture")
    if block.kind == "table" or block.level:
        return block
    edge = edge_of(block.box, view.height)
    said = block.kind in _EDGE_KINDS
    if edge and _repeats(block, edge, facts, said) and not _opens(block, edge, view, facts):
        return replace(block, kind="furniture")
    if edge and _numbers_page(block, view, facts, said):
        return replace(block, kind="furniture")
    if not said:
        return block
    return replace(block, kind=_kept_kind(block, facts))


def _is_told_again(block: Block, view: PageView, facts: DocumentFacts) -> bool:
    """Whether it is a slide's title that stands on the slide's continuation, at the same place."""
    before = facts.continued.get(view.number)
    return before is not None and all((line.text, round(line.box[1])) in before for line in block.lines)


def _repeats(block: Block, edge: str, facts: DocumentFacts, said: bool) -> bool:
    """Whether each line stands on other pages too; the layout may say so of lines with other numbers."""
    keys = [(edge, squeeze(line.text)) for line in block.lines]
    return all(key in facts.furniture or (said and key in facts.first_pages) for key in keys)


def _opens(block: Block, edge: str, view: PageView, facts: DocumentFacts) -> bool:
    """Whether a line that repeats later stands here first, set like a title."""
    first = min(facts.first_pages.get((edge, squeeze(line.text)), 0) for line in block.lines)
    return edge == "top" and 0 < first == view.number and _kept_kind(block, facts) == "heading"


def _numbers_page(block: Block, view: PageView, facts: DocumentFacts, said: bool) -> bool:
    """Whether a block is a page number: alone at its edge, or named as such where the layout agrees.

    A number larger than the text is none, nor is a Roman one on the only page.
    """
    text = " ".join(line.text for line in block.lines)
    large = facts.body_size and max(line.size for line in block.lines) > 1.3 * facts.body_size
    digits = any(c.isdigit() for c in text)
    if not is_page_number(text) or large or (facts.pages == 1 and not digits):
        return False
    named = said and sum(c.isalpha() for c in text) > 1 and digits
    return named or _alone(block, view, facts)


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    """Reading order by place; a page that stands on its side goes by content order."""
    if not any(line.upright for block in blocks for line in block.lines):
        return sorted(blocks, key=lambda block: block.lines[0].order)
    return reading_order(blocks, _place)


def _place(block: Block) -> Box:
    """A block's box; a run-in heading stands a hair above the text that goes on in its line."""
    x0, y0, x1, y1 = block.box
    return (x0, y0 - 0.1 * block.lines[0].size * block.run_in, x1, y1)


def _listed(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs that open with a bullet, or like a neighbour with a dash or the next number, are items."""
    firsts = [line_text(visual_lines(block.lines)[0]) for block in blocks]
    numbers = [item_number(text) for text in firsts]
    dashes = [starts_dash(text) for text in firsts]
    listed = []
    for place, block in enumerate(blocks):
        beside = [*range(place - 1, place)][:place] + [*range(place + 1, len(blocks))][:1]
        number = numbers[place]
        in_row = number is not None and any(numbers[one] in (number - 1, number + 1) for one in beside)
        dashed = dashes[place] and (any(dashes[one] for one in beside) or _all_dashed(block))
        item = block.kind == "paragraph" and (in_row or dashed or starts_bullet(firsts[place]))
        listed.append(replace(block, kind="list-item") if item else block)
    return listed


def _all_dashed(block: Block) -> bool:
    """Whether a block of two lines or more opens each with a dash."""
    groups = visual_lines(block.lines)
    return len(groups) > 1 and all(starts_dash(line_text(group)) for group in groups)


def _spare(blocks: Sequence[Block]) -> list[Block]:
    """A page that holds nothing but repeated lines keeps them; only its number goes."""
    if any(block.kind != "furniture" for block in blocks):
        return list(blocks)
    return [replace(block, kind="paragraph") if not _is_number(block) else block for block in blocks]


def _is_number(block: Block) -> bool:
    return is_page_number(" ".join(line.text for line in block.lines))


def _split_heading(block: Block, facts: DocumentFacts) -> list[Block]:
    """A heading box whose lines differ in size by more than a point holds several headings.

    A box of text may have its title in it.
    """
    if block.kind == "paragraph":
        return split_title(block, facts)
    if block.kind != "heading":
        return [block]
    parts: list[list[Line]] = []
    for group in visual_lines(block.lines):
        if parts and abs(parts[-1][-1].size - group[0].size) <= 1.0:
            parts[-1].extend(group)
        else:
            parts.append(list(group))
    return [replace(block, lines=tuple(part)) for part in parts]


def _promote(block: Block, view: PageView, facts: DocumentFacts) -> Block:
    """Text set like a heading and standing alone is one; what cannot be one is none."""
    if block.level:
        return block
    text = " ".join(line.text for line in block.lines)
    fit = _may_head(block, text, facts)
    if block.kind == "heading":
        return block if fit else replace(block, kind="paragraph")
    short = len(block.lines) <= 2 and len(text) <= 100 and not text.endswith((".", ":", ";", ","))
    styled = all(is_heading_style(style_of(line), facts) for line in block.lines)
    alone = not _has_neighbour(block, view) and not (facts.measured and _is_set_tight(block, view, facts))
    if block.kind == "paragraph" and short and styled and fit and alone:
        return replace(block, kind="heading")
    return block


def _is_set_tight(block: Block, view: PageView, facts: DocumentFacts) -> bool:
    """Whether print no larger than the body has a line right below it, as the label of a paragraph does."""
    last = block.lines[-1]
    step = _LEADING * last.size
    return last.size <= _LARGER * facts.body_size and any(
        0 < line.baseline - last.baseline < step and _gap(line, last) < 0 for line in view.lines
    )


def _may_head(block: Block, text: str, facts: DocumentFacts) -> bool:
    """Whether it has letters, stands upright and out of the body, and is no code and no item."""
    upright = all(line.upright for line in block.lines) and not _is_code(block, facts)
    return upright and any(c.isalpha() for c in text) and stands_out(block, facts) and not starts_bullet(text)


def _is_code(block: Block, facts: DocumentFacts) -> bool:
    """Whether it is set in fixed width where the body is not, no larger than the body."""
    large = any(line.size > 1.1 * facts.body_size for line in block.lines)
    return (
        bool(facts.body_size) and not facts.body_mono and not large and all(one.mono for one in block.lines)
    )


def _has_neighbour(block: Block, view: PageView) -> bool:
    """Whether other text stands beside the block."""
    _, y0, _, y1 = block.box
    beside = (line for line in view.lines if min(line.box[3], y1) - max(line.box[1], y0) > 0.5 * line.size)
    return any(line not in block.lines for line in beside)


def _kept_kind(block: Block, facts: DocumentFacts) -> str:
    """What the layout calls a header or footer but stands on no other page: a heading if it is large."""
    size = max(line.size for line in block.lines)
    return "heading" if facts.body_size and size > facts.body_size * 1.15 else "paragraph"


def _alone(block: Block, view: PageView, facts: DocumentFacts) -> bool:
    """Whether nothing but furniture stands beyond the block towards the page's edge or beside it."""
    _, y0, _, y1 = block.box
    top = y0 < view.height / 2
    edge = "top" if top else "foot"
    others = (line for line in view.lines if line not in block.lines)
    content = (line for line in others if (edge, squeeze(line.text)) not in facts.furniture)
    return not any(one.box[1] < y1 if top else one.box[3] > y0 for one in content)


def edge_of(box: Box, height: float) -> str:
    """`top`, `foot`, or empty for a box that stands between."""
    if box[3] <= EDGE * height:
        return "top"
    return "foot" if box[1] >= (1 - EDGE) * height else ""


def is_page_number(text: str) -> bool:
    """Whether the text is nothing but a page number, such as "- 3 -" or "Page 3 of 9"."""
    return len(text) < 24 and _PAGE_NUMBER.fullmatch(text) is not None
