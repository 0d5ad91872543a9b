"""What the server saw and gave, request by request; kept in memory and, if wanted, in a JSONL file."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO, Any

Entry = dict[str, Any]
"""One request. As it came:

- `id` place among all requests, from 1; `received` Unix time; `in_flight` requests then open, with this one
- `api` `converse`, `openai` or `cohere`; `model`; `purpose` `convert`, `plan`, `write`, `embed`, `rerank`, or
  `unread` where it was not valid
- `attempt` how often this content was asked, with this time
- `digest` sha256 of path and body: the same request has the same; `content` names images or plan text alone
- `images` sha256 of each image; `shown` for each: `number` the prompt gave it, `document`, `page`, `part`
  (share of the height), `exact`, `plain`
- `prompt` texts of the messages; `temperature`, `max_tokens`

and once it was answered, else missing:

- `answered` Unix time, just before it was written; `status` HTTP status, 0 where none was sent whole
- `error` exception's name or None
- `fault` its kind or None; `fault_page` the page number that it was aimed at
- `meant` `[{number, text}]` what the pages hold; `said` the reply's text; `stop` stop reason
- `input_tokens`, `output_tokens` billed; missing for errors
- `delivered` whether a well-formed reply of status 200 was written whole, and the client was there
"""


@dataclass
class ServerLog:
    """Thread-safe; `load` reads a server's file in another process."""

    path: Path | None = None
    """JSONL file that each event is appended to as it happens; None: memory only."""
    entries: list[Entry] = field(default_factory=list)
    """In the order received."""
    peak: int = 0
    """Most requests open at once."""
    _open: int = 0
    _attempts: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)
    _file: IO[str] | None = None

    def received(self, content: str, entry: Entry) -> Entry:
        """Note a request; gives the entry with its id and attempt."""
        with self._lock:
            self._open += 1
            self.peak = max(self.peak, self._open)
            self._attempts[content] += 1
            place = {"id": len(self.entries) + 1, "received": time.time(), "in_flight": self._open}
            entry = {**place, "content": content, "attempt": self._attempts[content], **entry}
            self.entries.append(entry)
            self._write(entry)
            return entry

    def answered(self, entry: Entry, **outcome: Any) -> None:
        """Note how a request ended."""
        with self._lock:
            self._open -= 1
            outcome = {"answered": time.time(), **outcome}
            entry.update(outcome)
            self._write({"id": entry["id"], **outcome})

    def lost(self, entry: Entry) -> None:
        """The client was gone when the reply was written."""
        with self._lock:
            entry["delivered"] = False
            self._write({"id": entry["id"], "delivered": False})

    def _write(self, record: Entry) -> None:
        if self.path is None:
            return
        if self._file is None:
            self._file = self.path.open("a", encoding="utf-8")
        self._file.write(f"{json.dumps(record)}\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    @classmethod
    def load(cls, path: Path) -> ServerLog:
        """The log so far; a last line that is only half written is left out."""
        entries: dict[int, Entry] = {}
        for line in path.read_text("utf-8").split("\n")[:-1]:
            record = json.loads(line)
            entries.setdefault(record["id"], {}).update(record)
        known = list(entries.values())
        return cls(entries=known, peak=max((one["in_flight"] for one in known), default=0))

    def select(self, **wanted: Any) -> list[Entry]:
        """Entries whose fields are as given, e.g. `select(purpose="convert", status=200)`."""
        return [one for one in list(self.entries) if all(one.get(k) == v for k, v in wanted.items())]

    def in_flight_at(self, moment: float) -> list[Entry]:
        """Requests received and not yet answered at a Unix time."""
        return [
            one for one in list(self.entries)
            if one["received"] <= moment < one.get("answered", float("inf"))
        ]  # fmt: skip

    def repeated(self) -> dict[str, list[Entry]]:
        """Requests that came more than once with the very same body, by digest."""
        by_digest: dict[str, list[Entry]] = {}
        for one in list(self.entries):
            by_digest.setdefault(one["digest"], []).append(one)
        return {digest: many for digest, many in by_digest.items() if len(many) > 1}

    def asked_for(self, document: str, page: int) -> list[Entry]:
        """Requests that showed a page."""
        return [
            one for one in list(self.entries)
            if any((s["document"], s["page"]) == (document, page) for s in one.get("shown", ()))
        ]  # fmt: skip

    def meant(self) -> dict[tuple[str, int], set[str]]:
        """(document, page) to every whole text that a reply meant for it; tiles are left out."""
        texts: dict[tuple[str, int], set[str]] = {}
        for entry in list(self.entries):
            said = {one["number"]: one["text"] for one in entry.get("meant", ())}
            for shown in entry.get("shown", ()):
                page = (shown["document"], shown["page"])
                if shown["part"] == [0.0, 1.0] and shown["document"] and shown["number"] in said:
                    texts.setdefault(page, set()).add(said[shown["number"]])
        return texts

    def faults(self) -> Counter[str]:
        """How many of each kind were given."""
        return _count(self.entries, lambda one: one.get("fault"))

    def statuses(self) -> Counter[int]:
        """How many replies of each HTTP status."""
        return _count(self.entries, lambda one: one.get("status"))

    def totals(self) -> dict[str, int]:
        """Requests, delivered replies and their tokens; `lost_` tokens were billed for undelivered ones."""
        known = list(self.entries)
        totals = {"requests": len(known), "replies": sum(one.get("delivered", False) for one in known)}
        for name in ("input_tokens", "output_tokens"):
            arrived = sum(one.get(name, 0) for one in known if one.get("delivered"))
            totals |= {name: arrived, f"lost_{name}": sum(one.get(name, 0) for one in known) - arrived}
        return totals


def _count(entries: Iterable[Entry], name: Callable[[Entry], Any]) -> Counter[Any]:
    return Counter(value for one in list(entries) if (value := name(one)) is not None)
