"""The one check that every planner's reply goes through; nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

_MAX_STARTS = 256
"""Opening brackets tried at most; a hostile reply of nothing but brackets ends soon."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply said, and what in it did not count."""

    groups: tuple[tuple[str, ...], ...] = ()
    """IDs of each proposed chunk, all known, none empty, as the planner ordered them."""
    readable: bool = True
    """Whether the text held an array of arrays with one of the section's IDs in it."""
    unknown: int = 0
    """IDs that are not in the section; dropped."""
    duplicates: int = 0
    """Content IDs after their first place, and any ID repeated within one group; dropped."""
    malformed: int = 0
    """Values that are no ID (null, numbers, objects, nested arrays) or no group; dropped."""


def check_reply(text: str, ids: Collection[str], headings: Collection[str] = ()) -> Reply:
    """Read the first JSON array of arrays in `text`, be it among prose or in a fence.

    `ids` are the section's elements, `headings` those of them that may stand in several groups. IDs
    count only as they are, letter for letter. A reply that was cut off holds no such array.
    """
    array = first_array(text)
    return Reply(readable=False) if array is None else _read(array, frozenset(ids), frozenset(headings))


def first_array(text: str) -> list[object] | None:
    """The first JSON array in `text` that holds an array, unchecked; None where there is none."""
    decoder, at = json.JSONDecoder(), -1
    for _ in range(_MAX_STARTS):
        at = text.find("[", at + 1)
        if at < 0:
            return None
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if any(isinstance(item, list) for item in value):
            return list(value)
    return None


def _read(array: list[object], ids: frozenset[str], headings: frozenset[str]) -> Reply:
    groups: list[tuple[str, ...]] = []
    placed: set[str] = set()
    unknown = duplicates = malformed = 0
    for item in array:
        group: dict[str, None] = {}
        members: Iterable[object] = item if isinstance(item, list) else (None,)
        for member in members:
            if not isinstance(member, str):
                malformed += 1
            elif member not in ids:
                unknown += 1
            elif member in group or (member in placed and member not in headings):
                duplicates += 1
            else:
                group[member] = None
        placed.update(group)
        if group:
            groups.append(tuple(group))
    return Reply(tuple(groups), bool(groups), unknown, duplicates, malformed)
