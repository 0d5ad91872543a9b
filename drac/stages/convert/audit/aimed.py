"""Text on a page that is aimed at a model: commands to it, and text that no reader of the page sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drac.audit_records import Finding, FindingKind
from drac.records import Box, PageText
from drac.stages.convert.audit.aimed_patterns import AIMED

_LEAST_LETTERS = 12
"""Letters and digits of unseen text below which it is no finding: a mark, a space that is no space."""
_DIFFERENT = 0.5
"""Share of the words, and of the runs of letters, of unseen text that must stand nowhere in the seen."""
_RUN = 5
"""Letters of a run: two unrelated English pages share about a tenth of theirs."""
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Scripts whose words have no spaces between: compared by character."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n{2,}")
_LONGEST = 400
"""Characters of a sentence that a finding quotes."""
_FLAG = "\U0001f3f4"
"""The emoji that tag characters may rightly follow: flags of regions."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """Text of the page's content that a reader does not see."""

    text: str
    """The characters, words parted by spaces."""
    why: str
    """Why nobody sees it, such as `in the colour of its ground`."""
    boxes: tuple[Box, ...]
    """Where it stands, a box a line, in page points; may lie off the page."""


@dataclass(frozen=True, slots=True)
class PageInk:
    """What a page's text layer shows and what it hides."""

    seen: str
    """Text that can be seen."""
    unseen: tuple[Unseen, ...]
    """Runs of text that cannot, in content order."""


def aimed_findings(written: PageText, ink: PageInk) -> tuple[Finding, ...]:
    """INSTRUCTION findings in the page's Markdown and its unseen text, HIDDEN ones in the latter."""
    found = [_instruction(written, *where) for where in commands(written.markdown)]
    seen = ink.seen if written.method == "text-layer" else f"{ink.seen}\n{written.markdown}"
    shown = _Shown(seen)
    for one in ink.unseen:
        found += _of_unseen(written, one, shown)
    return (*found, *_tagged(written.markdown))


def commands(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of phrases in `text` that speak to a model; overlapping ones come as one."""
    flat, places = plain(text)
    spans = sorted(match.span() for pattern in AIMED for match in pattern.finditer(flat))
    last = -1
    for start, end in _merged(spans):
        if start >= last:
            yield places[start], places[end - 1] + 1
        last = end


def plain(text: str) -> tuple[str, list[int]]:
    """The text in small letters, width and ligatures folded, unprinted characters and Markdown's marks out.

    Spaces and single line ends become one space, blank lines a line end. The list has the place in `text`
    of each character.
    """
    flat: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for one in _folded(character):
            if one not in " \n":
                flat.append(one)
                places.append(place)
            elif flat and flat[-1] not in " \n":
                flat.append(" ")
                places.append(place)
            elif flat and one == "\n" and flat[-1] == " " and text[place - 1] == "\n":
                flat[-1] = "\n"
    return "".join(flat), places


def _folded(character: str) -> str:
    if character.isspace():
        return "\n" if character in "\n\u2029" else " "
    if character in "*\\`" or unicodedata.category(character) in ("Cf", "Cc"):
        return ""
    return unicodedata.normalize("NFKC", character.replace("’", "'")).casefold().strip()


def _merged(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    current: tuple[int, int] | None = None
    for start, end in spans:
        if current and start < current[1]:
            current = (current[0], max(current[1], end))
            continue
        if current:
            yield current
        current = (start, end)
    if current:
        yield current


def _instruction(written: PageText, start: int, end: int) -> Finding:
    first, last = sentence_at(written.markdown, start, end)
    boxes = tuple(box for one in written.regions if one.start < end and one.end > start for box in one.boxes)
    what = " ".join(written.markdown[start:end].split())
    return Finding(FindingKind.INSTRUCTION, written.markdown[first:last], what, first, last, boxes)


def sentence_at(text: str, start: int, end: int) -> tuple[int, int]:
    """(start, end) of the sentence or block around a stretch, `_LONGEST` characters beyond it at most."""
    first = max((one.end() for one in _SENTENCE_END.finditer(text, 0, start)), default=0)
    after = _SENTENCE_END.search(text, end)
    last = after.start() if after else len(text)
    return max(first, start - _LONGEST), min(last, end + _LONGEST)


def _of_unseen(written: PageText, one: Unseen, shown: _Shown) -> list[Finding]:
    at = written.markdown.find(one.text)
    place = (at, at + len(one.text)) if at >= 0 else (-1, -1)
    found = []
    for start, end in commands(one.text):
        what = f"{' '.join(one.text[start:end].split())} ({one.why})"
        found.append(Finding(FindingKind.INSTRUCTION, _cut(one.text), what, *place, one.boxes))
    if differs(one.text, shown):
        found.append(Finding(FindingKind.HIDDEN, _cut(one.text), one.why, *place, one.boxes))
    return found


class _Shown:
    """The words of a text, and its runs of letters: the layers of scans part words wrongly."""

    def __init__(self, text: str) -> None:
        words = _listed(text)
        self.words, self.runs = frozenset(words), frozenset(_runs("".join(words)))


def differs(unseen: str, shown: _Shown) -> bool:
    """Whether unseen text says something, and mostly what the seen text does not."""
    words = _listed(unseen)
    runs = list(_runs("".join(words)))
    if len(runs) + _RUN - 1 < _LEAST_LETTERS:
        return False
    lacking = sum(word not in shown.words for word in words) > _DIFFERENT * len(words)
    return lacking and sum(one not in shown.runs for one in runs) > _DIFFERENT * len(runs)


def _runs(letters: str) -> Iterator[str]:
    return (letters[at : at + _RUN] for at in range(len(letters) - _RUN + 1))


def _listed(text: str) -> list[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [part for word in words for part in (word if _WIDE.search(word) else (word,))]


def _tagged(markdown: str) -> Iterator[Finding]:
    """Runs of tag characters, which print nothing and which models read as letters."""
    for match in re.finditer("[\U000e0020-\U000e007e]{4,}", markdown):
        if _FLAG in markdown[max(0, match.start() - 1) : match.start()]:
            continue
        text = "".join(chr(ord(one) - 0xE0000) for one in match[0])
        why = "in characters that are not printed"
        yield Finding(FindingKind.HIDDEN, _cut(text), why, *match.span())
        if next(commands(text), None):
            yield Finding(FindingKind.INSTRUCTION, _cut(text), f"{text[:80]} ({why})", *match.span())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
