"""The command line in a process of its own, and what it left in its workspace."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.pipeline.planning import document_pages, live_sources
from drac.records import PageText
from drac.store.store import Store
from tests.models.drawn import DPI, SIDE

MODEL = "google.gemma-3-27b-it"
PRICED = {"price_input": 1000.0, "price_output": 2000.0}
"""Dollars a million tokens that make a request of a few thousand tokens cost dollars."""
PATIENCE = 240.0
"""Seconds after which a run counts as one that never ends."""


@dataclass(frozen=True, slots=True)
class Run:
    """One command that has ended."""

    code: int
    """Exit code."""
    summary: dict[str, Any]
    """What `--json` printed; empty where nothing was printed."""
    told: str
    """What stands on stderr."""
    workspace: Path
    """Where its results are."""

    @property
    def spent(self) -> dict[str, Any]:
        """Counts of the one model that was asked."""
        (found,) = self.summary["models"].values()
        return dict(found)

    @property
    def states(self) -> dict[str, int]:
        """Pages by state, those that are not 0."""
        return {state: count for state, count in self.summary["pages_by_state"].items() if count}

    def pages(self) -> dict[tuple[str, int], PageText]:
        """Every PageText by (path, page), in the order stored."""
        return stored_pages(self.workspace)

    def exported(self) -> dict[str, str]:
        """Exported Markdown by the source's path."""
        folder = self.workspace / "exports" / "default"
        sources = [one["path"] for one in live_sources(Store(self.workspace))]
        (root,) = {path.parent for path in folder.rglob("*.md")}
        return {one: (root / f"{one}.md").read_text("utf-8") for one in sources}


def stored_pages(workspace: Path) -> dict[tuple[str, int], PageText]:
    """Every PageText of a workspace by (path, page); pages that are not read yet come as `failed`."""
    store = Store(workspace)
    return {
        (record["path"], text.page.number): text
        for record in live_sources(store) for text in document_pages(store, record)
    }  # fmt: skip


def settings_file(folder: Path, *, model: str = MODEL, read_timeout: float = 2.0, **more: Any) -> Path:
    """A settings file with small images, a short read timeout and a model that has a price."""
    facts = {"images_per_request": 20, **PRICED, **more}
    lines = [
        "[render]", f"dpi = {DPI}", f"max_side = {SIDE}", "[model]", f"read_timeout = {read_timeout}",
        f"[models.{json.dumps(model)}]", *(f"{name} = {json.dumps(value)}" for name, value in facts.items()),
    ]  # fmt: skip
    path = folder / "drac.toml"
    path.write_text("\n".join(lines), "utf-8")
    return path


def command(verb: str, *arguments: object) -> list[str]:
    """The command line as words; one worker, since starting two takes longer than what they have to do."""
    workers = () if verb == "plan" else ("--workers", "1")
    return [sys.executable, "-m", "drac", verb, *map(str, arguments), *workers, "--json"]


def drac(verb: str, *arguments: object, workspace: Path) -> Run:
    """Run a command to its end."""
    words = command(verb, *arguments, "--workspace", workspace)
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return Run(done.returncode, json.loads(done.stdout or "{}"), done.stderr, workspace)


def journal(workspace: Path) -> list[dict[str, Any]]:
    """Every reply on disk."""
    return [json.loads(path.read_bytes()) for path in (workspace / "replies").rglob("[!.]*.json")]


def image_hashes(record: dict[str, Any]) -> tuple[str, ...]:
    """The images of a journal's reply, which name its request in the server's log."""
    return tuple(part["image_sha256"] for part in record["request"]["parts"] if "image_sha256" in part)
