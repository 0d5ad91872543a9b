"""Strings that a chunker returned, found again in the text that they were cut from."""

from __future__ import annotations

import re

from drac.sentences import Stretch

_SPACE = re.compile(r"\s+")


class Finder:
    """Finds strings one after another; differences of white space do not count."""

    def __init__(self, text: str) -> None:
        self._text = _SPACE.sub("", text)
        self._places = [at for at, one in enumerate(text) if not one.isspace()]
        self._start = self._end = 0

    def find(self, piece: str) -> Stretch | None:
        """Where a string stands; None where it does not, or is all white space.

        First right after the last one found, then after that one's beginning (chunks overlap), then from
        the beginning of the text.
        """
        sought = _SPACE.sub("", piece)
        if not sought:
            return None
        at = self._end if self._text.startswith(sought, self._end) else -1
        for begin in (self._start + 1, 0):
            at = at if at >= 0 else self._text.find(sought, begin)
        if at < 0:
            return None
        self._start, self._end = at, at + len(sought)
        return self._places[at], self._places[self._end - 1] + 1
