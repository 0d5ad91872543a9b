"""Lines put together into running text, and text kept from becoming Markdown by accident."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from drac.stages.convert.page import Line

_BLOCK_START = re.compile(
    r"""(?P<marker>\#{1,6}(?=\s|$)      # heading
        | [-+*](?=\s|$)                 # bullet
        | >                             # quotation
        | (?:```|~~~)                   # fence
        | (?:-{2,}|={1,}|_{3,}|\*{2,})\s*$  # line under a heading, or a break
        | (?:[-*_]\s*){3,}$             # break with spaces
        | <(?=[A-Za-z/!?])              # HTML
        | \[(?=[^\]]+\]:)               # link definition: it would vanish
        | \|                            # table
        )""",
    re.VERBOSE,
)
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_PAGE_MARKER = re.compile(r"(?<!\\)<!--(?=[ \t]*page[ \t]+\d+[ \t]*-->)", re.IGNORECASE)
"""The beginning of what would part pages, in a document's own words."""
_CLOSING_HASHES = re.compile(r"(?<=\s)(#+)$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+")
_SOFT_HYPHEN = "\u00ad"


def escape(text: str) -> str:
    """Put a backslash before what would start a Markdown construct; prose stays as it is.

    Every block that is written is one line, so that only its start matters; page markers count anywhere.
    """
    if number := _NUMBER_START.match(text):
        text = f"{number[1]}\\{text[number.end(1) :]}"
    elif _BLOCK_START.match(text):
        text = f"\\{text}"
    return _PAGE_MARKER.sub(r"\\\g<0>", text)


def escape_heading(text: str) -> str:
    """A heading's text; hashes at its end would be taken for decoration."""
    return _PAGE_MARKER.sub(r"\\\g<0>", _CLOSING_HASHES.sub(r"\\\1", text))


def fenced(body: str) -> str:
    """Code between fences that are longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"{fence}\n{body}\n{fence}"


def words_of(text: str) -> Iterator[str]:
    """The words of a text in small letters, compounds whole; for `flow`."""
    return (word[0].casefold() for word in _WORD.finditer(text))


def visual_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group pieces that share a baseline, top to bottom, each group in reading order.

    Pieces that are not upright stay alone, in content order.
    """
    upright = sorted((one for one in lines if one.upright), key=lambda one: (one.baseline, one.box[0]))
    groups: list[list[Line]] = []
    for line in upright:
        if groups and _same_baseline(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    slanted = [[one] for one in lines if not one.upright]
    return [_in_line(group) for group in groups] + slanted


def _in_line(group: Sequence[Line]) -> list[Line]:
    """Pieces on one baseline in reading order: from the right where most letters are of such a script."""
    if is_right_to_left("".join(line.raw for line in group)):
        return sorted(group, key=lambda one: (-one.box[2], one.order))
    return sorted(group, key=lambda one: (one.box[0], one.order))


def is_right_to_left(text: str) -> bool:
    """Whether more letters are Hebrew, Arabic or of another script that runs from right to left than not."""
    right = sum(len(run) for run in _RIGHT_TO_LEFT.findall(text))
    return bool(right) and 2 * right > sum(c.isalpha() for c in text)


def _same_baseline(group: Sequence[Line], line: Line) -> bool:
    anchor = max(group, key=lambda one: one.size)
    return abs(anchor.baseline - line.baseline) < 0.45 * max(anchor.size, line.size)


def line_text(pieces: Sequence[Line]) -> str:
    """The text of one visual line; pieces that touch are not parted by a space unless one is printed."""
    text = pieces[0].text
    for before, piece in pairwise(pieces):
        gap = max(piece.box[0] - before.box[2], before.box[0] - piece.box[2])
        touching = -0.3 * piece.size < gap < 0.1 * piece.size
        spaced = before.raw[-1:].isspace() or piece.raw[:1].isspace()
        text += piece.text if touching and not spaced else f" {piece.text}"
    return text


def flow(lines: Sequence[Line], known: Collection[str] = (), room: float | None = None) -> str:
    """Lines of one block as running text, words cut at line ends made whole.

    `known` are words of the document in small letters; they tell a cut word from a compound. `room` is the
    width in points of text that is not justified: there a word that had fitted was not cut, so that the
    hyphen is its own.
    """
    groups = visual_lines(lines)
    own = [room is not None and _fits(above, below, room) for above, below in pairwise(groups)]
    return join_lines([line_text(group) for group in groups], known, own)


def _fits(above: Sequence[Line], below: Sequence[Line], room: float) -> bool:
    """Whether the last word of a line and the first of the next had stood on one line together."""
    last, first = above[-1].words[-1].box, below[0].words[0].box
    return last[2] - last[0] + first[2] - first[0] < room


def join_lines(texts: Sequence[str], known: Collection[str] = (), own: Sequence[bool] = ()) -> str:
    """Join the lines of a block.

    Between two letters of which the second is small, a hyphen at a line's end goes away unless the
    document's words speak for a compound; before a capital or a digit it belongs to the word
    ("Mon-Sun", "VL-001") unless the document has the whole word, and no space is put in. `own` says of
    each line's end but the last whether a hyphen there is surely the word's own.
    """
    joined = ""
    for place, text in enumerate(one.strip() for one in texts):
        sure = 0 < place <= len(own) and own[place - 1]
        if text:
            joined = _join(joined, text, known, sure) if joined else text
    return joined.replace(_SOFT_HYPHEN, "")


def _join(before: str, after: str, known: Collection[str], own: bool) -> str:
    if before.endswith(_SOFT_HYPHEN):
        return before[:-1] + after
    if len(before) > 1 and before[-1] in "-\u2010" and before[-2].isalnum() and after[0].isalnum():
        cut = before[-2].isalpha() and after[0].isalpha() and _is_cut(before, after, known, own)
        return (before[:-1] if cut else before) + after
    if _is_wide(before[-1]) and _is_wide(after[0]):
        return before + after
    return f"{before} {after}"


def parts_at_hyphen(before: str, after: str) -> tuple[str, str] | None:
    """What a hyphen at a line's end parts, in small letters; None where none is amid them."""
    if len(before) < 2 or before[-1] not in "-\u2010" or not before[-2].isalpha() or not after[:1].islower():
        return None
    return _parts(before, after)


def _parts(before: str, after: str) -> tuple[str, str]:
    left = before.rsplit(None, 1)[-1][:-1].lstrip("([\"'“‘").casefold()
    right = _WORD.match(after)
    return left, right[0].casefold() if right else ""


def _is_cut(before: str, after: str, known: Collection[str], own: bool) -> bool:
    """Whether the hyphen only marks the cut: the whole is a known word, or nothing hints at a compound.

    Hints: the compound or both its parts stand elsewhere in the document, the word has an earlier
    hyphen or goes on with a capital, one letter stands before the hyphen, or fewer than three follow
    (hyphenation leaves two and three).
    """
    left, end = _parts(before, after)
    if left + end in known:
        return True
    goes_on = after[-1] in "-\u2010" and after[:-1].isalpha()
    parts = min(len(left), len(end)) >= 4 and left in known and end in known
    short = len(left) < 2 or (len(end) < 3 and not goes_on)
    hints = parts or short or "-" in left or f"{left}-{end}" in known or not after[0].islower()
    return not (own or hints)


def _is_wide(character: str) -> bool:
    """Scripts written without spaces: CJK ideographs, kana, fullwidth forms."""
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
