"""Headings that the layout analysis overlooks or invents: bookmarked titles, run-in headings, bold labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drac.stages.convert.block import Block
from drac.stages.convert.headings import is_heading_style, style_of
from drac.stages.convert.page import DocumentFacts, Line, PageView, title_key
from drac.stages.convert.text import line_text, visual_lines

_TITLE_LINES = 4
"""Lines of print that a title takes, at most."""
_RUN_IN_GAP = (0.9, 1.2)
"""Font sizes of white between a run-in heading and its text; typesetters leave one em."""
_SENTENCE = 5
"""Words from which text of the body's size that ends like a sentence is one."""
_CLAUSE = 3
"""As many, where nothing but its place sets it apart from the body and other text is set like a heading."""
_LEADING = 1.45
"""Font sizes from one baseline to the next within a paragraph, at most."""
_LONGEST = 120
"""Characters of a run-in heading, at most."""
_LARGER = 1.15
"""Sizes of the text below it in one box that a title has, at least."""
Group = list[Line]
"""Lines on one baseline."""


def titled(blocks: Sequence[Block], view: PageView, facts: DocumentFacts) -> list[Block]:
    """The blocks with bookmarked titles and run-in headings taken out of them as blocks of their own."""
    parts = [part for block in blocks for part in _at_bookmarks(block, view, facts)]
    parts = _largest(parts)
    return [part for block in parts for part in _at_run_ins(block, facts)]


def _at_bookmarks(block: Block, view: PageView, facts: DocumentFacts) -> list[Block]:
    """The block parted before and after lines that are a title bookmarked on this page."""
    if block.kind == "table" or not facts.bookmarks:
        return [block]
    groups = visual_lines(block.lines)
    parts: list[Block] = []
    start = place = 0
    while place < len(groups):
        length, level = _title_at(groups, place, view, facts)
        if level:
            parts += [_part(block, groups[start:place])] if place > start else []
            title = _part(block, groups[place : place + length])
            parts.append(replace(title, kind="heading", level=level))
            start = place + length
        place += max(length, 1)
    return parts + (
        [_part(block, groups[start:])] if start and start < len(groups) else [block] * (not start)
    )


def _title_at(groups: Sequence[Group], place: int, view: PageView, facts: DocumentFacts) -> tuple[int, int]:
    """(lines, level) of the bookmarked title that starts at a line; zeros where there is none.

    A line in the body's style counts only if it stands alone.
    """
    key = ""
    for length, group in enumerate(groups[place : place + _TITLE_LINES], 1):
        key += title_key(line_text(group))
        level = facts.bookmarks.get((view.number, key), 0)
        plain = all(style_of(line) == (facts.body_size, facts.body_bold) for line in group)
        if level and (not plain or len(groups) == length):
            return length, level
    return 0, 0


def _part(block: Block, groups: Sequence[Group]) -> Block:
    return replace(
        block, lines=tuple(sorted((line for group in groups for line in group), key=lambda one: one.order))
    )


def split_title(block: Block, facts: DocumentFacts) -> list[Block]:
    """The block parted below lines at its top that are set larger than all others of its kind of print."""
    groups = visual_lines(block.lines)
    sizes = [max(line.size for line in group) for group in groups]
    length = next((place for place, size in enumerate(sizes) if size < sizes[0] - 1.0), len(sizes))
    title, rest = groups[:length], groups[length:]
    if not rest or length > _TITLE_LINES or sizes[0] < _LARGER * max(sizes[length:]):
        return [block]
    lines = [line for group in title for line in group]
    styled = all(line.upright and is_heading_style(style_of(line), facts) for line in lines)
    worded = sum(len(line.words) for line in lines) > 1 and len(line_text(lines)) <= _LONGEST
    if not styled or not worded:
        return [block]
    return [replace(_part(block, title), kind="heading"), _part(block, rest)]


def _largest(blocks: Sequence[Block]) -> list[Block]:
    """Of blocks with one title, such as a running header and the heading, the largest print wins."""
    sizes: dict[str, float] = {}
    for block in blocks:
        if block.level:
            key = _key(block)
            sizes[key] = max(sizes.get(key, 0.0), block.lines[0].size)
    return [
        replace(block, kind="paragraph", level=0)
        if block.level and block.lines[0].size < sizes[_key(block)] - 0.5
        else block
        for block in blocks
    ]


def _key(block: Block) -> str:
    return title_key("".join(line.text for line in block.lines))


def _at_run_ins(block: Block, facts: DocumentFacts) -> list[Block]:
    """The block parted around bold words that open a paragraph and stand an em before its text."""
    if block.kind not in ("paragraph", "heading") or block.level or facts.body_bold:
        return [block]
    groups = visual_lines(block.lines)
    parts: list[Block] = []
    rest: list[Group] = []
    for place, group in enumerate(groups):
        head = _run_in(group) if _opens(groups, place) else None
        if head is not None:
            parts += [_part(block, rest)] if rest else []
            parts.append(replace(_part(block, [[head]]), kind="heading", run_in=True))
            rest = [group[1:]]
        else:
            rest.append(group)
    return [*parts, replace(_part(block, rest), kind="paragraph")] if parts else [block]


def _opens(groups: Sequence[Group], place: int) -> bool:
    """Whether a line is the first of its block, or stands further below the one above than text does."""
    line = groups[place][0]
    return place == 0 or line.baseline - groups[place - 1][0].baseline > _LEADING * line.size


def _run_in(group: Group) -> Line | None:
    head = group[0]
    if len(group) < 2 or head.bold_words < len(head.words) or len(head.text) > _LONGEST:
        return None
    gap = (group[1].box[0] - head.box[2]) / head.size
    named = any(c.isalpha() for c in head.text) and not head.text.endswith((":", ",", ";"))
    if head.text.endswith((".", "!", "?")) and group[1].bold:  # a sentence, and another
        return None
    return head if named and head.upright and _RUN_IN_GAP[0] <= gap <= _RUN_IN_GAP[1] else None


def stands_out(block: Block, facts: DocumentFacts) -> bool:
    """Whether text that the layout analysis calls a heading is larger than the body, or no sentence.

    Where nothing is known of the body or of weights (OCR), the layout analysis is believed.
    """
    if not facts.body_size or block.level or block.run_in:
        return True
    text = block.lines[-1].text
    if max(line.size for line in block.lines) > 1.1 * facts.body_size:
        return True
    if not any(one.bold for one in block.lines):
        return not (facts.heading_styles and text.endswith((".", ":")) and _words(block) >= _CLAUSE)
    sentence = text.endswith((".", "!")) and _words(block) >= _SENTENCE
    return all(line.bold_words == len(line.words) for line in block.lines) and not sentence


def _words(block: Block) -> int:
    return sum(len(line.words) for line in block.lines)


def without_labels(blocks: Sequence[Block], facts: DocumentFacts) -> list[Block]:
    """Bold lines set as tight above text as its own lines are labels: they go with the text."""
    kept: list[Block] = []
    for block in blocks:
        last = kept[-1] if kept else None
        if last is not None and _is_label(last, block, facts):
            joined = block.kind in ("paragraph", "heading") and not block.level and not block.run_in
            kept[-1] = replace(last, kind="paragraph", lines=last.lines + block.lines * joined)
            if joined:
                continue
        kept.append(block)
    return kept


def _is_label(block: Block, below: Block, facts: DocumentFacts) -> bool:
    """A heading of the body's size that no bookmark names, with text right below it.

    Without bookmarks only a colon at its end tells it from a heading that leaves no space.
    """
    if block.kind != "heading" or block.level or block.run_in or below.level or below.run_in:
        return False
    last, first = block.lines[-1], below.lines[0]
    large = last.size > 1.1 * facts.body_size
    tight = 0 < first.baseline - last.baseline < _LEADING * last.size
    colon = block.lines[-1].text.endswith(":")
    return not large and tight and (colon or bool(facts.bookmarks))
