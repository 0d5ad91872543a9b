"""Fences of a reply: which one wraps it, and which has no end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*?)[ \t]*$")
_MARKDOWN = {"markdown", "md"}


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens or closes a fence."""

    mark: str
    """Its backticks or tildes."""
    info: str
    """What follows them, in small letters."""

    def closes(self, other: Fence) -> bool:
        """Whether it may end a fence that `other` began (CommonMark)."""
        return not self.info and self.mark[0] == other.mark[0] and len(self.mark) >= len(other.mark)


def fence_of(line: str) -> Fence | None:
    """The fence that a line is, or None."""
    match = _FENCE.match(line)
    return Fence(match["mark"], match["info"].casefold()) if match else None


def is_wrapper(line: str) -> bool:
    """Whether a line may open a fence around a whole reply."""
    fence = fence_of(line)
    return fence is not None and fence.info in _MARKDOWN | {"", "text", "html"}


def unclosed(lines: Sequence[str]) -> int | None:
    """Index of the line that opens a fence without an end; None if every fence ends."""
    opened: tuple[Fence, int] | None = None
    for index, line in enumerate(lines):
        fence = fence_of(line)
        if fence is None:
            continue
        if opened is None:
            opened = (fence, index)
        elif fence.closes(opened[0]):
            opened = None
    return opened[1] if opened else None


def code_lines(lines: Sequence[str]) -> list[bool]:
    """For each line whether it stands in a fence that ends, the fence's own lines included."""
    inside, opened = [False] * len(lines), None
    for index, line in enumerate(lines):
        fence = fence_of(line)
        if fence is None:
            continue
        if opened is None:
            opened = (fence, index)
        elif fence.closes(opened[0]):
            inside[opened[1] : index + 1] = [True] * (index + 1 - opened[1])
            opened = None
    return inside


def unwrap(text: str) -> str:
    """Take off a Markdown fence that goes around all of `text`; else the text as it is.

    Inner fences stay: the wrapper is the first and the last line, and what is between is balanced.
    """
    lines = text.strip().split("\n")
    first, last = fence_of(lines[0]), fence_of(lines[-1])
    if len(lines) < 2 or not first or not last or first.info not in _MARKDOWN or not last.closes(first):
        return text
    inner = lines[1:-1]
    return text if unclosed(inner) is not None else "\n".join(inner)


def drop_end(text: str) -> tuple[str, str] | None:
    """(text before, text after) the lone fence that ends a wrapper; None if there is none."""
    lines = text.split("\n")
    at = unclosed(lines)
    fence = fence_of(lines[at]) if at is not None else None
    if at is None or fence is None or fence.info:
        return None
    return "\n".join(lines[:at]), "\n".join(lines[at + 1 :])
