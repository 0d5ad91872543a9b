"""An accepted page's Markdown made uniform: line ends, the blank token, pictures, a paragraph a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from drac.records import Region
from drac.stages.convert.reply_fences import code_lines
from drac.stages.convert.reply_words import stands_in

BLANK_TOKEN = "[blank page]"
"""What prompts/convert.md asks for under the marker of a page without text."""

_BLANK = re.compile(r"^[ \t*_(]*\[blank page\][ \t*_).]*$", re.IGNORECASE | re.MULTILINE)
_IMAGE = re.compile(r"!\[(?P<alt>[^\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])")
_HTML_IMAGE = re.compile(r"<img\b[^>\n]*>", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"^[ \t*_>-]*[\[(](?:image|logo|figure|photo(?:graph)?|picture|illustration|chart|diagram|icon|graphic"
    r"|drawing)\b[^\])\n]*[\])][ \t*_.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_PROSE = re.compile(r"[ \t]*(?:$|#{1,6}[ \t]|[-+*][ \t]|\d{1,9}[.)][ \t]|>|\||<!--)|(?: {4}|\t)")
_SENTENCE_END = re.compile(r"[.!?][*_\"'”’)\]]*[ \t]*$")
_KEY = re.compile(r"(?:^|[;,] )([^:;\n]{1,60}?):[ ]")
_DIGITS = re.compile(r"\d+")


def clean(markdown: str) -> str:
    """The page's Markdown with `\\n` at line ends, without the blank token, one paragraph a row sentence."""
    text = markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").replace("\ufeff", "")
    text = part_rows(drop_blank_token(text))
    return _tidy(text)


def drop_blank_token(text: str) -> str:
    """Without lines that only say that the page is blank."""
    return _BLANK.sub("", text)


def drop_images(text: str, layer: str) -> tuple[str, int]:
    """(text without image links and stand-ins for pictures, how many there were); code stays.

    `[Image: a harbour]` alone on a line is a stand-in, unless the page prints those very words.
    """
    lines = text.split("\n")
    count, kept = 0, []
    for line, is_code in zip(lines, code_lines(lines), strict=True):
        bare, found = (line, 0) if is_code else _without_images(line, layer)
        count += found
        if not found or bare.strip():
            kept.append(bare)
    return "\n".join(kept), count


def _without_images(line: str, layer: str) -> tuple[str, int]:
    bare, links = _IMAGE.subn("", line)
    bare, tags = _HTML_IMAGE.subn("", bare)
    if _PLACEHOLDER.match(bare) and not stands_in(bare, layer):
        return "", links + tags + 1
    return bare, links + tags


def _tidy(text: str) -> str:
    """Without white space at line ends and at both ends, and with one blank line at most; code stays."""
    lines = text.split("\n")
    shut = code_lines(lines)
    kept: list[str] = []
    for line, is_code in zip(lines, shut, strict=True):
        trimmed = line if is_code else line.rstrip()
        if is_code or trimmed or (kept and kept[-1]):
            kept.append(trimmed)
    return "\n".join(kept).strip("\n")


def part_rows(text: str) -> str:
    """Put a blank line around each of the lines in one paragraph that are row sentences of one template."""
    lines = text.split("\n")
    pairs = [False, *_row_pairs(lines), False]
    is_row = [pairs[index] or pairs[index + 1] for index in range(len(lines))]
    parted = lines[:1]
    for index in range(1, len(lines)):
        edge = is_row[index] != is_row[index - 1] and all(map(_is_prose, lines[index - 1 : index + 1]))
        parted += ["", lines[index]] if pairs[index] or edge else [lines[index]]
    return "\n".join(parted)


def _row_pairs(lines: Sequence[str]) -> list[bool]:
    """For each pair of lines whether both are row sentences of one template."""
    code = code_lines(lines)
    return [
        not code[index] and not code[index + 1] and is_row_pair(first, second)
        for index, (first, second) in enumerate(pairwise(lines))
    ]


def is_row_pair(first: str, second: str) -> bool:
    """Whether two lines are whole sentences that share their headers, or most of their words."""
    if not (_is_sentence(first) and _is_sentence(second)):
        return False
    keys, others = set(_KEY.findall(first)), set(_KEY.findall(second))
    if keys and others:
        return len(keys & others) * 2 >= max(len(keys), len(others))
    words, more = _DIGITS.sub("0", first).split(), _DIGITS.sub("0", second).split()
    return (
        min(len(words), len(more)) >= 4 and SequenceMatcher(None, words, more, autojunk=False).ratio() >= 0.5
    )


def _is_prose(line: str) -> bool:
    return not _NOT_PROSE.match(line)


def _is_sentence(line: str) -> bool:
    return _is_prose(line) and bool(_SENTENCE_END.search(line))


def row_regions(markdown: str) -> tuple[Region, ...]:
    """Regions of kind `row` for paragraphs of one line, next to each other, that share their headers.

    Only sentences written as `header: value; header: value.` count, so that prose is never taken for a row.
    """
    alone = _single_lines(markdown)
    rows: dict[int, int] = {}
    for (start, text), (after, other) in pairwise(alone):
        beside = after == start + len(text) + 2
        if beside and _KEY.search(text) and _KEY.search(other) and is_row_pair(text, other):
            rows[start], rows[after] = start + len(text), after + len(other)
    return tuple(Region(start, end, "row") for start, end in sorted(rows.items()))


def _single_lines(markdown: str) -> list[tuple[int, str]]:
    """(start, text) of paragraphs of one line outside code."""
    lines = ["", *markdown.split("\n"), ""]
    code = code_lines(lines)
    found, start = [], 0
    for index in range(1, len(lines) - 1):
        if lines[index].strip() and not code[index] and not lines[index - 1] and not lines[index + 1]:
            found.append((start, lines[index]))
        start += len(lines[index]) + 1
    return found
