"""What `drac evaluate` does: find corpus and sets, judge, write the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac import wiring
from drac.cli.options import corpora_folder
from drac.cli.progress import note
from drac.cli.work import asked_models
from drac.config import Settings
from drac.corpus import discover, find_corpus, real_path
from drac.errors import UsageError
from drac.evaluate.specification import Checked, check_lines
from drac.mistakes import nearest
from drac.pipeline import evaluating, judged_files
from drac.pipeline.asking import Spending
from drac.pipeline.chunk_sources import find_set
from drac.stages.normalize import SUFFIXES
from drac.store.store import Store
from drac.wiring import retrieval


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options ask for."""

    sets: tuple[str, ...]
    corpus: str
    root: Path | None
    retrievers: tuple[str, ...]
    out: Path | None
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What was done, for showing."""

    evaluation: evaluating.Evaluation
    folder: Path
    spending: dict[str, Spending]


def evaluate(workspace: Path, settings: Settings, wanted: Wanted) -> Judged:
    """Judge the sets and write per_query.jsonl, summary.json and report.html."""
    _known("--export", wanted.formats, judged_files.FORMATS)
    write_rows = wiring.parquet_writer() if "parquet" in wanted.formats else None
    corpus = find_corpus(
        wanted.corpus, folders=[Path.cwd()], root=wanted.root, corpora=corpora_folder(), said="--corpus"
    )
    with asked_models(settings, workspace) as models:
        tools = wiring.evaluation_tools(settings, note, models)
        asked = evaluating.questions(corpus)
        found = discover(
            [str(corpus.toml)], suffixes=SUFFIXES, cwd=Path.cwd(), root=corpus.root, corpora=corpora_folder()
        )
        documents = evaluating.read_documents(found.sources, real_path, tools)
        with Store(workspace) as store:
            named = [find_set(text, corpus, documents, store, tools.recursive) for text in wanted.sets]
            read = evaluating.with_read_pages(documents, store, note)
            placed = [evaluating.place_set(one, read) for one in named]
            evaluating.tell_absent(asked, read, placed, store, note)
            done = evaluating.evaluate(asked, placed, wanted.retrievers, settings, store, tools)
            folder = wanted.out or store.root / "evaluations" / corpus.file.name
            judged_files.write(done, folder)
            judged_files.export(done, folder, wanted.formats, write_rows)
        return Judged(done, folder, models.spending())


def dry_run(settings: Settings, wanted: Wanted) -> list[dict[str, Any]]:
    """What rerankers that are paid for would be asked at most; replies on disk are not asked for again."""
    corpus = find_corpus(
        wanted.corpus, folders=[Path.cwd()], root=wanted.root, corpora=corpora_folder(), said="--corpus"
    )
    queries = len(evaluating.questions(corpus).queries) * len(wanted.sets)
    behind = [one.partition(evaluating.BEHIND)[2] for one in wanted.retrievers]
    return [estimate for one in behind if one and (estimate := retrieval.estimate(one, queries, settings))]


def combined(retrievers: Sequence[str], rerankers: Sequence[str]) -> tuple[str, ...]:
    """Each retriever with each reranker, as the evaluation names them; raises UsageError."""
    _known("--retriever", [one.partition(":")[0] for one in retrievers], evaluating.RETRIEVERS)
    _known("--reranker", [one.partition(":")[0] for one in rerankers], evaluating.RERANKERS)
    behind = ["" if one == "none" else f"{evaluating.BEHIND}{one}" for one in rerankers]
    return tuple(f"{one}{other}" for one in retrievers for other in behind)


def _known(option: str, given: Sequence[str], names: Sequence[str]) -> None:
    for one in given:
        if one not in names:
            remedy = f"Give one of: {', '.join(names)}."
            raise UsageError(f"{option} {one}: there is no such thing{nearest(one, names)}", remedy=remedy)


def validate(path: Path) -> Checked:
    """Check one file; raises UsageError where it cannot be read."""
    try:
        with path.open("rb") as lines:
            return check_lines(lines)
    except OSError as error:
        reason = f"{path}: {error.strerror}"
        raise UsageError(reason, remedy="Give a file of chunks, one JSON object a line.") from error
