"""An experiment from its documents to its results, stage by stage; what is there is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drac import wiring
from drac.bench import documents
from drac.bench.chunking import ChunkedCorpus, Chunking, read_lines, summed
from drac.bench.coverage import total
from drac.bench.digests import digests
from drac.bench.documents import ParsedCorpus
from drac.bench.experiment import Component, Configuration, Experiment
from drac.bench.judging import Judged, Judging
from drac.bench.results import Cost, Result, Results
from drac.bench.retrieval import Retrieval, retrieval
from drac.bench.steps import Steps
from drac.config import SearchSettings
from drac.corpus import Corpus, Discovery, discover, find_corpus
from drac.corpus.description import Collection, CorpusFile, JudgmentFile, QueryFile
from drac.errors import NothingUsable
from drac.evaluate.absent import absent, told
from drac.pipeline.evaluating import Asked, questions
from drac.ports import Embedder
from drac.records import PageState, Source, Usage
from drac.stages.normalize import ARCHIVE_SUFFIXES, SUFFIXES
from drac.store.store import Store
from drac.wiring.registry import ChunkerContext, modules_in

Note = Callable[[str], None]
_EMBEDDING = {"embedder", "model", "dimensions", "base_url", "endpoint_url"}
"""Settings of [search] that name an embedding model."""
WRITTEN = "(model-written)"
"""In the name of a chunker whose chunks are not the document's own text."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an experiment is about."""

    name: str
    """The corpus."""
    sources: tuple[Source, ...]
    """Its documents."""
    asked: Asked
    """Queries and judgments."""


def find_inputs(experiment: Experiment, corpora: Path | None) -> Inputs:
    """The corpus, or files and queries; raises UsageError, NothingUsable."""
    head, places = experiment.head, [experiment.folder, Path.cwd()]
    archives = experiment.settings.normalize.archives
    suffixes = SUFFIXES | ARCHIVE_SUFFIXES if archives else SUFFIXES
    if head.corpus:
        corpus = find_corpus(head.corpus, folders=places, corpora=corpora, said="experiment.corpus")
        found = discover(
            [str(corpus.toml)], suffixes=suffixes, cwd=Path.cwd(), root=corpus.root, corpora=corpora
        )
    else:
        found = discover(head.files, suffixes=suffixes, cwd=experiment.folder)
        corpus = _made_corpus(experiment, found)
    return Inputs(corpus.file.name, found.usable(), questions(corpus))


def _made_corpus(experiment: Experiment, found: Discovery) -> Corpus:
    """A corpus of files and queries that the experiment names one by one."""
    head = experiment.head
    names = dict.fromkeys(one.collection for one in found.usable())
    file = CorpusFile(
        name=head.name, licence="not stated", queries=(QueryFile(file=head.queries),),
        collections=tuple(Collection(name=one, folder=".") for one in names),
        judgments=(JudgmentFile(file=head.judgments),) if head.judgments else (),
    )  # fmt: skip
    return Corpus(file, experiment.folder / "corpus.toml", experiment.folder)


def key(*some: Component) -> str:
    """Components that are the same, whatever tables call them."""
    return repr([(one.name, sorted(one.options.items(), key=str)) for one in some])


class Bench:
    """One experiment over one workspace, which the caller has locked where it makes anything."""

    def __init__(
        self, experiment: Experiment, inputs: Inputs, store: Store, models: wiring.Models, note: Note
    ) -> None:
        self.experiment, self.inputs, self.store = experiment, inputs, store
        self._models, self._steps = models, Steps(note)
        settings = experiment.settings
        self._embedders: dict[str, Embedder] = {}
        context = ChunkerContext(settings, lambda: self.embedder(settings.search), models)
        self.chunking = Chunking(store, context, self._steps)
        self.judging = Judging(store, inputs.asked, note, self.embedder, models)
        self.configurations = tuple(map(self._told, experiment.configurations))
        self.how = {one.name: self._retrieval(one) for one in self.configurations}

    def embedder(self, search: SearchSettings) -> Embedder:
        """The embedding model that settings name, one for all that name the same."""
        name = search.model_dump_json(include=_EMBEDDING)
        if name not in self._embedders:
            self._embedders[name] = wiring.embedder(search, self._models)
        return self._embedders[name]

    def _told(self, one: Configuration) -> Configuration:
        """The configuration, its chunker's label and its name saying so where chunks are model-written."""
        if WRITTEN not in self.chunking.chunker(one.chunker).name or WRITTEN in one.chunker.shown:
            return one
        label = f"{one.chunker.shown} {WRITTEN}"
        told = replace(one, chunker=one.chunker.model_copy(update={"label": label}))
        return told if one.named else replace(told, name=one.name.replace(one.chunker.shown, label))

    def _retrieval(self, one: Configuration) -> Retrieval:
        return retrieval(one.retriever, one.aggregation, self.experiment.settings, self.embedder)

    def run(self) -> Results:
        """Every stage of every configuration; each parser and chunker works once."""
        parsed: dict[str, ParsedCorpus] = {}
        chunked: dict[str, ChunkedCorpus] = {}
        results = []
        for one in self.configurations:
            reader, cutter = key(one.parser), key(one.parser, one.chunker)
            if reader not in parsed:
                parsed[reader] = self._parse(one.parser)
                if len(parsed) == 1:
                    self._tell_absent(parsed[reader])
            if cutter not in chunked:
                chunked[cutter] = self.chunking.run(parsed[reader], one.chunker)
            self._steps.begin(one.name, 1)
            results.append((one, chunked[cutter], self.judging.run(chunked[cutter], self.how[one.name])))
        return self.results(results)

    def _parse(self, parser: Component) -> ParsedCorpus:
        settings = self.experiment.settings
        parsed = documents.parse(self.store, self.inputs.sources, parser, settings, self._models, self._steps)
        for name, why in parsed.failed.items():
            self._steps.say(f"failed: {name}: {why}")
        if not parsed.documents:
            raise NothingUsable(f"{parser.shown} could read no document of the corpus {self.inputs.name}")
        return parsed

    def _tell_absent(self, read: ParsedCorpus) -> None:
        """Say which judgments are of documents or pages that are not there."""
        pages: dict[tuple[str, str], int | None] = {
            (one.collection, one.path): None for one in self.inputs.sources
        }
        pages |= {(one.source.collection, one.source.path): one.meta["pages"] for one in read.documents}
        found = absent(self.inputs.asked.judgments, pages)
        for line in told(
            [one for one in found if f"{one.collection}/{one.source}" not in read.failed], pages
        ):
            self._steps.say(line)

    @property
    def folder(self) -> Path:
        """Where the results go."""
        return self.store.root / "bench" / self.experiment.name

    def forecast(self, parser: Component) -> documents.Forecast:
        """What reading with a parser would do."""
        settings = self.experiment.settings
        return documents.forecast(self.store, self.inputs.sources, parser, settings, self._models)

    def results(self, some: Sequence[tuple[Configuration, ChunkedCorpus, Judged]]) -> Results:
        """Results of configurations that are judged."""
        made = tuple(_result(*one) for one in some)
        sets = {one.name: chunked for one, chunked, _ in some}
        return Results(
            self.experiment.name, self.inputs.name, made, self.inputs.asked.queries,
            _Chunks(self.store, sets), digests(self, some), tuple(self._notes(sets)),
        )  # fmt: skip

    def _notes(self, sets: Mapping[str, ChunkedCorpus]) -> Iterator[str]:
        """What a reader of the table must know."""
        played = [one.name for one in self.configurations if self._is_played(one, sets[one.name])]
        if played:
            yield f"a server that only plays a model wrote or read: {', '.join(played)}"

    def _is_played(self, one: Configuration, chunked: ChunkedCorpus) -> bool:
        """Whether a server that only plays a model read the pages or wrote the chunks."""
        tools = [doc.parsed.record["convert"]["tools"] for doc in chunked.documents]
        return any("simulated" in some for some in (self.chunking.chunker(one.chunker).fingerprint, *tools))


def _result(one: Configuration, chunked: ChunkedCorpus, judged: Judged) -> Result:
    names = {
        doc.parsed.source.doc_id: f"{doc.parsed.source.collection}/{doc.parsed.source.path}"
        for doc in chunked.documents
    }
    pages = {query: tuple(_page(names, *page) for page in some) for query, some in judged.pages.items()}
    return Result(
        one, tuple(replace(row, system=one.name) for row in judged.rows), judged.hits, pages,
        tuple(chunked.sizes), total(chunked.coverage), _costs(chunked, judged), len(chunked.documents),
        {**chunked.parsed.failed, **chunked.failed}, chunked.parsed.states[PageState.FAILED.value],
    )  # fmt: skip


def _page(names: Mapping[str, str], name: str, score: float) -> tuple[str, int, float]:
    doc_id, _, page = name.rpartition("#")
    return names[doc_id], int(page), score


def _costs(chunked: ChunkedCorpus, judged: Judged) -> dict[str, Cost]:
    read = [one.meta for one in chunked.parsed.documents]
    cut = [one.meta for one in chunked.documents]
    seconds = judged.meta["seconds"]
    return {
        "parse": Cost(_seconds(read), summed([one["usage"] for one in read])),
        "chunk": Cost(sum(one["seconds"] for one in cut), summed([one["usage"] for one in cut])),
        "index": Cost(
            judged.meta["seconds"]["index"] + chunked.vector_seconds, Usage(**judged.meta["usage"])
        ),
        "search": Cost(seconds["search"]),
    }


def _seconds(read: Sequence[Mapping[str, Any]]) -> float | None:
    """Of all pages, those without a time taken for as slow as the others; None where most have none."""
    pages, timed = sum(one["pages"] for one in read), sum(one["timed"] for one in read)
    took: float = sum(one["seconds"] for one in read)
    return took * pages / timed if timed and 2 * timed >= pages else None


class _Chunks:
    """Looks up chunks of configurations; those of the last one are held."""

    def __init__(self, store: Store, sets: Mapping[str, ChunkedCorpus]) -> None:
        self._store, self._sets = store, sets
        self._held: tuple[ChunkedCorpus | None, dict[str, Mapping[str, Any]]] = (None, {})

    def __call__(self, configuration: str, chunk_id: str) -> Mapping[str, Any]:
        chunked = self._sets[configuration]
        if self._held[0] is not chunked:
            lines = (line for one in chunked.documents for line in read_lines(self._store, one.digest))
            self._held = chunked, {line["chunk_id"]: line for line in lines}
        return self._held[1][chunk_id]


@contextmanager
def opened(
    experiment: Experiment, workspace: Path, corpora: Path | None, note: Note, *, writing: bool = True
) -> Iterator[Bench]:
    """A bench over a workspace, locked where it is to write; raises WorkspaceBusy, UsageError.

    Modules that the experiment names may lie beside it meanwhile.
    """
    inputs = find_inputs(experiment, corpora)
    store = Store(workspace)
    models = wiring.Models(experiment.settings, workspace)
    try:
        with modules_in(experiment.folder), store if writing else nullcontext():
            yield Bench(experiment, inputs, store, models, note)
    finally:
        models.close()
