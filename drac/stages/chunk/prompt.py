"""What a model is shown of a section: IDs and the beginnings of texts, one block a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from drac.config import PlanSettings
from drac.records import Element
from drac.stages.chunk.rebuild import plain_heading

RULES = "1"
"""Version of what this file writes; a change of it makes new plans."""
_LONGEST, _SHORTEST = 400, 200
"""Characters of a preview at most (paper: 200-400)."""
_FEW, _MANY = 10, 40
"""Blocks up to which previews are longest, and from which they are shortest. On RAG-Multi-Corpus, where half
of the sections have 27 blocks or more, an eighth of the blocks is shortened."""
_WORD = 20
"""Characters that a preview may lose so as to end between two words."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def plan_prompt(
    elements: Sequence[Element], ancestors: Sequence[Element], settings: PlanSettings
) -> tuple[str, ...]:
    """Parts of the user message that asks for a plan of `elements` under the headings `ancestors`.

    Each block is one line, whatever its text holds, so that no text can pass for a block or for a rule.
    """
    length = preview_length(len(elements))
    least, most = settings.model_blocks
    lines = [f"{least} to {most} blocks a chunk."]
    if ancestors:
        lines += ["Above:", *(_preview(one, length) for one in ancestors)]
    lines += ["Blocks:", *(f"{one.id}: {_preview(one, length)}" for one in elements)]
    return ("\n".join(lines),)


def preview_length(blocks: int) -> int:
    """Characters of each preview in a section of so many blocks: 400 up to 10 blocks, 200 from 40 on, on a
    straight line between."""
    share = min(1.0, max(0.0, (blocks - _FEW) / (_MANY - _FEW)))
    return round(_LONGEST - share * (_LONGEST - _SHORTEST))


def _preview(element: Element, length: int) -> str:
    if not element.level:
        return _shorten(element.text, length)
    return _shorten("#" * element.level + " " + plain_heading(element.text), length)


def _shorten(text: str, length: int) -> str:
    """On one line, at most `length` characters, `…` at its end where something is left out."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    if len(line) <= length:
        return line
    kept = line[: length - 1]
    words = kept.rpartition(" ")[0]
    return (words if len(words) >= len(kept) - _WORD else kept).rstrip() + "…"
