"""What a model says that is asked to write: contexts, claims and chunks, made by rules of the text shown.

Nothing is understood: a context names the first words of what stands around, a claim is a sentence, a
chunk is two blocks. They only have the shape of what a model would write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from drac.config import load_prompt
from tests.servers.wire import Asked

STRATEGIES = ("contextual", "proposition", "agentic")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
_WORDS = 8
"""Words of the surroundings that a context names."""


def strategy_of(asked: Asked) -> str:
    """The chunker that asks, by its prompt as system text or before the user's; empty: none of them."""
    given = {asked.system, *asked.texts}
    return next((one for one in STRATEGIES if _prompt(one) in given), "")


@cache
def _prompt(name: str) -> str:
    return load_prompt(name).text


def write(asked: Asked) -> str:
    """The reply of an honest model to the first JSON object of the request."""
    payload = next(value for text in asked.texts if isinstance(value := _json(text), dict))
    return json.dumps(_WRITERS[strategy_of(asked)](payload), ensure_ascii=False)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _context(payload: dict[str, Any]) -> dict[str, str]:
    words = (payload["before"] + " " + payload["chunk"]).split()[:_WORDS]
    return {"context": f"The passage stands in a document where “{' '.join(words)}” is said."}


def _claims(payload: dict[str, Any]) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(payload["passage"]) if one.strip()]


def _chunks(payload: dict[str, Any]) -> list[dict[str, Any]]:
    blocks = payload["blocks"]
    pairs = [blocks[at : at + 2] for at in range(0, len(blocks), 2)]
    return [
        {"blocks": [one["number"] for one in pair], "text": " ".join(one["text"] for one in pair)}
        for pair in pairs
    ]


_WRITERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "contextual": _context,
    "proposition": _claims,
    "agentic": _chunks,
}


def spoil_written(kind: str, reply: str, text: str) -> str:
    """A written reply with this fault in it."""
    value = json.loads(reply)
    match kind:
        case "write_empty":
            return ""
        case "write_prose":
            return text or "I would rather tell you about the document in my own words."
        case "write_fenced":
            return f"Here it is:\n\n```json\n{reply}\n```"
        case "write_cut":
            return reply[: len(reply) // 2]
        case "write_shape":
            return json.dumps({"result": [None, 7, {"text": 1}], "context": 5})
        case "write_lost":
            return json.dumps(value[:1] if isinstance(value, list) else value, ensure_ascii=False)
    return _with_invention(value, text or "Zanzibar exported 90210 zebras.")


def _with_invention(value: Any, text: str) -> str:
    if isinstance(value, dict):
        value = {"context": text}
    else:
        value = [*value, text if isinstance(value[0], str) else {"blocks": [99, "1"], "text": text}]
    return json.dumps(value, ensure_ascii=False)
