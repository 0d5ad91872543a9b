"""A text's passages: its blocks, each under the headings above it, to be embedded beside the whole text.

One vector of a text on several subjects is near to none of them, so a question about one finds it badly. The
rule looks at the text alone, so that chunks of any tool are treated the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drac.sentences import Stretch, sentences

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*)\Z")
_NO_TITLE = re.compile(
    r"[;；,]\Z|(?:(?:\S+\s+){6}\S.*|.*:.*)[.。]['\"”’)\]*_]*\Z|\A(?:[-*+•|>]|\d+[.)]\s.*[.。]\Z)"
)
"""A line that ends like a sentence (of more than six words, or with a colon: a company's name may end with a
full stop) or begins like a list's item, a quotation or a table's row."""
_TITLE = 150
"""Characters of a line of headings at most."""


@dataclass(frozen=True, slots=True)
class TextPassage:
    """One passage of a text."""

    stretch: Stretch
    """Where it stands."""
    headings: str
    """The headings above it, one a line, without `#`; may be empty."""

    def embedded(self, text: str) -> str:
        """What is embedded: its headings, a blank line, the passage."""
        body = text[slice(*self.stretch)]
        return f"{self.headings}\n\n{body}" if self.headings else body


def passages(text: str, most: int) -> list[TextPassage]:
    """The blocks of `text` (a blank line between), longer ones in pieces of about equal length of at most
    `most` characters that end with a line or sentence where one does.

    Headings are Markdown's, and the first block where it is short lines that are no sentences: what chunkers
    put above a chunk. They are no passages. A text of one passage has none: it would say the text again.
    """
    found = list(_passages(text, most))
    return found if len(found) > 1 else []


def _passages(text: str, most: int) -> Iterator[TextPassage]:
    blocks = list(_blocks(text))
    lead = _title(text, blocks)
    headings: list[tuple[int, str]] = [(0, lead)] if lead else []
    for start, end in blocks[1:] if lead else blocks:
        heading = _HEADING.match(text, start, end)
        if heading:
            level = len(heading[1])
            headings = [one for one in headings if one[0] < level] + [(level, heading[2].strip())]
            continue
        above = "\n".join(name for _, name in headings)
        for piece in _pieces(text, (start, end), most):
            yield TextPassage(piece, above)


def _blocks(text: str) -> Iterator[Stretch]:
    start = 0
    for end, following in [*(one.span() for one in _BLANK.finditer(text)), (len(text), len(text))]:
        if text[start:end].strip():
            yield _trimmed(text, start, end)
        start = following


def _title(text: str, blocks: list[Stretch]) -> str:
    """The first block, where it is headings of the whole text without marks."""
    first = text[slice(*blocks[0])] if len(blocks) > 1 else ""
    lines = [line.strip() for line in first.splitlines()]
    fit = all(len(line) <= _TITLE and line[0] != "#" and not _NO_TITLE.search(line) for line in lines if line)
    return "\n".join(lines) if fit else ""


def _pieces(text: str, block: Stretch, most: int) -> Iterator[Stretch]:
    """Sentences and lines together as long as they fit, in pieces of about equal length."""
    start, end = block
    aim = (end - start) / -(-(end - start) // most)
    at = start
    for first, last in ((start + one, start + other) for one, other in sentences(text[start:end])):
        if first > at and (last - at > most or (first + last) / 2 - at > aim):
            yield _trimmed(text, at, first)
            at = first
    yield _trimmed(text, at, end)


def _trimmed(text: str, start: int, end: int) -> Stretch:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
