"""A dataset of ViDoRe v3's layout, made here, to a corpus that loads."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from drac.adapters.vidore import Wanted, fetch
from drac.corpus import load_corpus, load_judgments, load_queries
from drac.errors import CorruptDocument, UsageError

pq = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
pytest.importorskip("datasets", reason="the extra `vidore` is not installed")
import pyarrow as pa  # noqa: E402

PART = "- config_name: {0}\n  data_files:\n  - split: test\n    path: {0}/test-*\n"
CARD = f"---\nconfigs:\n{''.join(map(PART.format, ('corpus', 'queries', 'qrels')))}---\n"
"""What the hub's README.md says of where the parts are."""
PAGES = [
    (7, "Annual report 2024", 1, "second", "PNG"), (3, "b/Notes", 0, "note", "JPEG"),
    (5, "Annual report 2024", 0, "first", "JPEG"), (9, "b Notes", 0, "other", "PNG"),
]  # fmt: skip
QUERIES = [(0, "Where?", "english"), (1, "Où ?", "french"), (2, "When?", "english")]
QRELS = [(0, 7, 2), (0, 3, 1), (1, 5, 2), (2, 9, 1)]


def image(word: str, kind: str) -> bytes:
    made = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(made).text((50, 50), word, fill="black", font_size=40)
    data = io.BytesIO()
    made.save(data, kind)
    return data.getvalue()


def dataset(folder: Path, pages: list[Any] | None = None) -> Path:
    """Parquet files and the card, as in a repository of the hub."""
    rows = [
        {"corpus_id": key, "image": {"bytes": data, "path": None}, "doc_id": name, "markdown": "unused",
         "page_number_in_doc": number}
        for key, name, number, data in pages or
        [(key, name, number, image(word, kind)) for key, name, number, word, kind in PAGES]
    ]  # fmt: skip
    tables = {
        "corpus": rows,
        "queries": [{"query_id": key, "query": text, "language": said} for key, text, said in QUERIES],
        "qrels": [{"query_id": query, "corpus_id": page, "score": score} for query, page, score in QRELS],
    }
    for part, some in tables.items():
        (folder / part).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(some), folder / part / "test-00000-of-00001.parquet")
    (folder / "README.md").write_text(CARD)
    return folder


def wanted(folder: Path, **more: Any) -> Wanted:
    return Wanted(str(folder), cache=str(folder.parent / "cache"), **more)


def test_a_collection_becomes_a_corpus_of_pdfs(tmp_path: Path) -> None:
    said: list[str] = []
    place = tmp_path / "own"
    done = fetch(wanted(dataset(tmp_path / "hub")), place, said.append)
    assert (done.documents, done.pages, done.queries, done.judgments) == (3, 4, 3, 4)
    corpus = load_corpus(place / "corpus.toml", cwd=tmp_path)
    assert [(one.query_id, one.text, one.kind) for one in load_queries(corpus)] == [
        ("0", "Where?", "english"),
        ("1", "Où ?", "french"),
        ("2", "When?", "english"),
    ]
    judged = [(one.query_id, one.source, one.page, one.grade) for one in load_judgments(corpus)]
    assert judged == [
        ("0", "Annual_report_2024.pdf", 2, 2),
        ("0", "b_Notes-2.pdf", 1, 1),
        ("1", "Annual_report_2024.pdf", 1, 2),
        ("2", "b_Notes.pdf", 1, 1),
    ]
    assert said[0] == "Annual_report_2024.pdf: 2 pages"


def test_pages_stand_in_order_and_keep_their_pixels(tmp_path: Path) -> None:
    fetch(wanted(dataset(tmp_path / "hub")), tmp_path / "own", lambda _: None)
    with pymupdf.open(tmp_path / "own" / "documents" / "Annual_report_2024.pdf") as made:
        stored = [made.extract_image(page.get_images()[0][0]) for page in made]
    assert stored[0]["image"] == image("first", "JPEG")
    with (
        Image.open(io.BytesIO(stored[1]["image"])) as second,
        Image.open(io.BytesIO(image("second", "PNG"))) as original,
    ):
        assert second.convert("RGB").tobytes() == original.tobytes()


def test_queries_of_one_language_and_their_judgments_alone(tmp_path: Path) -> None:
    done = fetch(wanted(dataset(tmp_path / "hub"), languages=("french",)), tmp_path / "own", lambda _: None)
    assert (done.queries, done.judgments) == (1, 1)


def test_the_same_dataset_gives_the_same_bytes(tmp_path: Path) -> None:
    hub = dataset(tmp_path / "hub")
    for name in ("one", "two"):
        fetch(wanted(hub), tmp_path / name, lambda _: None)
    files = [
        {path.relative_to(tmp_path / name): path.read_bytes()
         for path in (tmp_path / name).rglob("*") if path.is_file() and path.name != "corpus.toml"}
        for name in ("one", "two")
    ]  # fmt: skip
    assert files[0] == files[1] and len(files[0]) == 5


def test_what_is_no_image_is_named_with_its_page(tmp_path: Path) -> None:
    hub = dataset(tmp_path / "hub", [(7, "a", 0, b"nothing"), (3, "a", 1, image("x", "PNG"))])
    with pytest.raises(CorruptDocument, match=r"a\.pdf, page 1: no image"):
        fetch(wanted(hub), tmp_path / "own", lambda _: None)
    assert not (tmp_path / "own" / "corpus.toml").exists()


def test_a_dataset_of_another_layout_is_named(tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    (hub / "corpus").mkdir(parents=True)
    rows = [{"id": 1, "image": {"bytes": image("x", "PNG"), "path": None}}]
    pq.write_table(pa.Table.from_pylist(rows), hub / "corpus" / "test-00000-of-00001.parquet")
    (hub / "README.md").write_text(f"---\nconfigs:\n{PART.format('corpus')}---\n")
    with pytest.raises(UsageError, match="'corpus_id'"):
        fetch(wanted(hub), tmp_path / "own", lambda _: None)


def test_the_script_makes_the_folder(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    command = [repository / "scripts" / "fetch_vidore", dataset(tmp_path / "hub"), "--into", tmp_path / "to"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("hub: 3 documents, 4 pages, 3 queries, 4 judgments\n")
    lines = (tmp_path / "to" / "hub" / "judgments.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["source"] == "Annual_report_2024.pdf"
