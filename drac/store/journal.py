"""Paid replies, one file each: on disk before anything uses them, never asked for twice.

Replies of servers that only play a model lie in a folder of their own and never answer for a real one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from drac.ports import ChatModel, ChatReply, ChatRequest, ImagePart
from drac.store.files import write_file
from drac.store.keys import digest
from drac.store.store import dump_json

_REPLY = TypeAdapter(ChatReply)


class Journal:
    """The replies of one model server."""

    def __init__(self, root: Path, model: ChatModel, part: str = "") -> None:
        """`part`: a folder of its own for replies that are looked for by more than their names."""
        place = root / "replies" / "simulated" if model.simulated else root / "replies"
        self._folder = place / part
        self._engine, self._endpoint, self._simulated = model.engine, model.endpoint, model.simulated
        self._folder.mkdir(parents=True, exist_ok=True)

    def digest(self, request: ChatRequest, attempt: int) -> str:
        """Name of the reply to the `attempt`-th (from 0) sending of this very request."""
        return _named({
            "engine": self._engine, "endpoint": self._endpoint, "request": describe(request),
            "attempt": attempt,
        })  # fmt: skip

    def get(self, name: str) -> ChatReply | None:
        """The reply of that name, or None; a damaged file, or another request's, counts as not there."""
        try:
            record = json.loads((self._folder / f"{name}.json").read_bytes())
            if _named(record) != name:
                return None
            return _REPLY.validate_python(record["reply"])
        except (FileNotFoundError, IsADirectoryError, ValueError, LookupError, TypeError):
            return None

    def names(self) -> frozenset[str]:
        """Names of all replies of this part."""
        return frozenset(path.stem for path in self._folder.glob("*.json") if not path.name.startswith("."))

    def record(self, name: str) -> dict[str, Any]:
        """A reply with its request, as `put` wrote it; raises OSError or ValueError where it is damaged."""
        record = json.loads((self._folder / f"{name}.json").read_bytes())
        if not isinstance(record, dict) or _named(record) != name:
            raise ValueError(f"reply {name} is damaged")
        return record

    def is_of_this_server(self, record: Mapping[str, Any]) -> bool:
        """Whether a reply came from where this journal's model is."""
        return (record["engine"], record["endpoint"]) == (self._engine, self._endpoint)

    def put(self, name: str, request: ChatRequest, attempt: int, reply: ChatReply, usd: float | None) -> None:
        """Keep a reply; it is on disk when this returns."""
        record = {
            "digest": name, "engine": self._engine, "endpoint": self._endpoint,
            "simulated": self._simulated, "attempt": attempt, "usd": usd,
            "request": describe(request), "reply": asdict(reply),
        }  # fmt: skip
        write_file(self._folder / f"{name}.json", dump_json(record))


def _named(record: Mapping[str, Any]) -> str:
    """What names a reply, of a whole record or of its beginning."""
    return digest({field: record[field] for field in ("engine", "endpoint", "request", "attempt")})


def paid_replies(root: Path) -> Iterator[dict[str, Any]]:
    """Every reply on disk, of real servers and of those that only play a model, by their names."""
    for path in sorted((root / "replies").rglob("*.json")):
        try:
            yield json.loads(path.read_bytes())
        except ValueError:
            continue


def describe(request: ChatRequest) -> dict[str, Any]:
    """The whole request as JSON, images by their sha256."""
    return {
        "purpose": request.purpose, "model": request.model, "system": request.system,
        "parts": [_part(part) for part in request.parts], "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens, "schema": request.schema,
    }  # fmt: skip


def _part(part: str | ImagePart) -> dict[str, str]:
    if isinstance(part, str):
        return {"text": part}
    return {"image_sha256": hashlib.sha256(part.data).hexdigest(), "media_type": part.media_type}
