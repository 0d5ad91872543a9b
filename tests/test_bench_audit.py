"""scripts/bench_audit, run as a user runs it, on two documents made for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from weasyprint import HTML

SCRIPT = Path(__file__).parent.parent / "scripts" / "bench_audit"
STYLE = "<style>table, td, th { border: 1px solid; border-collapse: collapse; padding: 4px }</style>"
FERRIES = """# Ferry fares

Children under five travel free with an adult who holds a ticket for the same crossing.

| Route | Adult fare | Child fare | Boats |
|---|---|---|---|
| Hessay | 12.40 | 6.20 | Heron |
| Ansel Quay | 9.45 | 4.70 | Curlew |
| Lower Isle | 17.25 | 8.60 | Osprey |

Ten-journey books cost 75.20 at the harbour office and are valid for 18 months.

- The harbour office answers every complaint within ten working days.
"""
LIBRARY = """# Reading room

Readers may borrow four volumes at once, for a period of three weeks from the date of issue.

| Floor | Seats | Lamps | Keeper |
|---|---|---|---|
| Ground | 112 | 56 | Ms Ortega |
| First | 84 | 42 | Mr Lindqvist |
| Second | 39 | 21 | Dr Okafor |

Manuscripts older than 1850 are brought to the table by a librarian on request only.

- Umbrellas and wet coats stay in the cloakroom beside the main entrance.
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("corpus")
    for collection, name, text in (("Harbour", "fares", FERRIES), ("Library", "rooms", LIBRARY)):
        write(folder / "datasets" / collection, name, text)
    command = [sys.executable, str(SCRIPT), str(folder), "--cache", str(folder / "cache"), "--pages", "10"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert len(list((folder / "cache").iterdir())) == 2
    again = subprocess.run(command, check=True, capture_output=True, text=True)
    assert again.stdout == done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write(folder: Path, name: str, text: str) -> None:
    (folder / "md").mkdir(parents=True)
    (folder / "pdf").mkdir()
    (folder / "md" / f"{name}.md").write_text(text, encoding="utf-8")
    body = MarkdownIt("commonmark").enable("table").render(text)
    HTML(string=STYLE + body).write_pdf(folder / "pdf" / f"{name}.pdf")


def test_honest_replies_are_not_flagged(report: dict[str, Any]) -> None:
    assert report["pages"] == 2
    assert (report["honest"]["pages"], report["honest"]["flagged"]) == (2, 0.0)
    assert set(report["honest"]["by_collection"]) == {"Harbour", "Library"}


def test_every_way_of_spoiling_is_found_and_named(report: dict[str, Any]) -> None:
    shares = {kind: (one["pages"], one["flagged"], one["named"]) for kind, one in report["spoilt"].items()}
    assert shares == dict.fromkeys(shares, (2, 1.0, 1.0))
    assert len(shares) == 9
