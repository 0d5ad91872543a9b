"""Corpora that several tests ask models to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.drawn import Corpus, draw
from tests.models.running import settings_file

PAGES = {
    "annals.pdf": 1, "bylaws.pdf": 1, "census.pdf": 1, "decree.pdf": 2, "estate.pdf": 2, "fables.pdf": 3,
    "gazette.pdf": 3, "homily.pdf": 4, "index.pdf": 5, "journal.pdf": 5, "ledger.pdf": 6, "manual.pdf": 7,
}  # fmt: skip


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Twelve documents of 40 pages, two of them blank, three scanned."""
    folder = tmp_path_factory.mktemp("drawn") / "docs"
    return draw(folder, PAGES, blanks=[("journal.pdf", 3), ("manual.pdf", 6)], scans=["gazette.pdf"])


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings of every run here."""
    return settings_file(tmp_path_factory.mktemp("config"))
