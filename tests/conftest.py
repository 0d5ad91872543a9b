"""What every test gets: no paid model, no network, and where the corpora are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
for name in (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "OPENAI_API_KEY",
    "REDUCTO_API_KEY",
    "REDUCTO_BASE_URL",
):
    os.environ.pop(name, None)
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
os.environ["DRAC_FORBID_PAID_MODELS"] = "1"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's root."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora; skips where there is none."""
    place = os.environ.get("DRAC_CORPORA")
    if not place or not Path(place).is_dir():
        pytest.skip("DRAC_CORPORA does not name a folder of corpora")
    return Path(place)


@pytest.fixture(scope="session")
def rag_multi_corpus(corpora: Path) -> Path:
    """RAG-Multi-Corpus; skips where it is not there."""
    place = corpora / "rag-multi-corpus"
    if not place.is_dir():
        pytest.skip("DRAC_CORPORA holds no rag-multi-corpus")
    return place
