"""Words of Markdown under a form in which two readers' spelling of one page is the same.

Left out, as no difference between readers: marks of Markdown, targets of links, tags, soft hyphens, case of
letters, and all signs. Compatibility forms (ligatures, full-width digits, small raised numbers) are the plain
ones. Digits part from letters, so that `33W` and `33 W` are the same. A script without spaces gives a word
a character.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_JOINED = "\u00ad\u200b-\u200d\u2060\ufeff\u0300-\u036f"
_RAW = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}][^\W_{_WIDE}{_JOINED}{_JOINED}]*(?:[{_JOINED}]+[^\W_{_WIDE}]*)*")
_SMALL = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_PART = re.compile(rf"\d+|[{_WIDE}]|[^\W\d_{_WIDE}]+")
_HIDDEN = re.compile(
    r"!?\[(?=[^\]\n]*\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\))|(?<=\])\([^()\s]*"
    r"(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)|<!--.*?-->|</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>\n]*)?/?>",
    re.DOTALL,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_LIST_NUMBER = re.compile(
    r"^[ \t>]*(?:[-+*][ \t]+)*\\?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\\?[.)](?=[ \t]|$)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word."""

    text: str
    """As it is compared."""
    start: int
    """First code point in the Markdown that it came from."""
    end: int
    """Code point after the last."""
    optional: bool = False
    """Whether either reader may leave it out: the number of a list's item, a raised or lowered digit."""

    @property
    def is_digits(self) -> bool:
        """Whether it is a digit string."""
        return self.text[0].isdecimal()


def tokens(markdown: str) -> list[Token]:
    """The words in order, each with its place."""
    shown = _HIDDEN.sub(lambda match: " " * len(match[0]), markdown)
    shown = _ENTITY.sub(_entity, shown)
    numbers = {match.start(1) for match in _LIST_NUMBER.finditer(shown)}
    return [
        Token(part, match.start(), match.end(), is_small or match.start() in numbers)
        for match in _RAW.finditer(shown)
        for part, is_small in folded(match[0])
    ]


def folded(raw: str) -> Iterator[tuple[str, bool]]:
    """The words that a run of characters is compared as, and whether they are small digits."""
    for piece in re.findall(rf"[{_SMALL}]+|[^{_SMALL}]+", raw):
        bare = re.sub(rf"[{_JOINED}]", "", unicodedata.normalize("NFKC", piece))
        for match in _PART.finditer(bare.casefold()):
            yield _decimal(match[0]), re.match(rf"[{_SMALL}]", piece) is not None


def texts(markdown: str) -> list[str]:
    """The words in order."""
    return [token.text for token in tokens(markdown)]


def is_digits(word: str) -> bool:
    """Whether a word is a digit string."""
    return word[0].isdecimal()


def _decimal(word: str) -> str:
    """Digits of every script as European ones."""
    if not word[0].isdecimal() or word.isascii():
        return word
    return "".join(str(unicodedata.decimal(sign)) for sign in word)


def _entity(match: re.Match[str]) -> str:
    """What an entity stands for, on as many places."""
    text = html.unescape(match[0])
    return text.ljust(len(match[0])) if len(text) <= len(match[0]) else match[0]
