"""Whether a folder's tables came from the inputs and artifacts that it names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from drac.bench import files
from drac.bench.chunking import ChunkedCorpus, chunk_file
from drac.bench.digests import chunk_digests, parsed_digests, set_name
from drac.bench.documents import ParsedCorpus
from drac.bench.experiment import Experiment, read_experiment
from drac.bench.judging import Judged, questions_digest, rows_file
from drac.bench.runner import Bench, key
from drac.errors import UsageError
from drac.store.keys import file_digest


def recorded(folder: Path) -> dict[str, Any]:
    """A folder's digests.json; raises UsageError where it is no experiment's."""
    try:
        found: dict[str, Any] = json.loads((folder / files.DIGESTS).read_bytes())
        found["files"], found["folder"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder}: holds no experiment that has ended",
            remedy="Give a folder bench/NAME of a workspace; run the experiment to its end first.",
        ) from error
    return found


def experiment_of(folder: Path, record: Mapping[str, Any]) -> Experiment:
    """The experiment as it was run."""
    path = folder / files.EXPERIMENT
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", remedy="Run the experiment again.") from error
    return read_experiment(source, Path(record["folder"]), str(path), record["overrides"])


def verify(bench: Bench, folder: Path, record: Mapping[str, Any]) -> list[str]:
    """What differs, a line each, empty where nothing does: files, settings, inputs, artifacts, tables.

    Documents are hashed, the names of all artifacts worked out anew, their contents hashed, and the tables
    made again of them; no model is asked and nothing is written.
    """
    return [*_files(folder, record), *_Check(bench, record).differences()]


def _files(folder: Path, record: Mapping[str, Any]) -> Iterator[str]:
    for name, sha256 in {**record["files"], files.REPORT: record.get("report")}.items():
        path = folder / name
        if not path.is_file():
            yield f"{name}: is missing"
        elif file_digest(path) != sha256:
            yield f"{name}: is not as the run wrote it"


class _Check:
    def __init__(self, bench: Bench, record: Mapping[str, Any]) -> None:
        self._bench, self._record = bench, record
        self._parsed: dict[str, ParsedCorpus] = {}
        self._chunked: dict[str, ChunkedCorpus] = {}

    def differences(self) -> Iterator[str]:
        """Those of inputs and artifacts; of the tables where there are none of these."""
        some = [*self._inputs(), *self._artifacts()]
        yield from some or self._tables()

    def _inputs(self) -> Iterator[str]:
        settings = self._bench.experiment.settings.model_dump(mode="json", exclude={"run"})
        if settings != self._record["settings"]:
            yield "settings: are not those of the run"
        if questions_digest(self._bench.inputs.asked) != self._record["questions"]:
            yield "queries and judgments: are not those of the run"

    def _artifacts(self) -> Iterator[str]:
        for one in self._bench.configurations:
            if (reader := key(one.parser)) not in self._parsed:
                self._parsed[reader] = self._bench.forecast(one.parser).complete
                yield from self._parsed_differences(one.parser.shown, self._parsed[reader])
            if (cutter := key(one.parser, one.chunker)) not in self._chunked:
                found = self._bench.chunking.look(self._parsed[reader], one.chunker)
                failed = self._record["failed"].get(set_name(one), {})
                self._chunked[cutter] = replace(found, failed=failed)
                yield from self._chunk_differences(set_name(one), found)
            yield from self._judged_differences(one.name, self._chunked[cutter])

    def _parsed_differences(self, name: str, found: ParsedCorpus) -> Iterator[str]:
        for one in found.documents:
            document = f"{one.source.collection}/{one.source.path}"
            if document not in self._record["sources"]:
                yield f"{document}: was not among the documents"
        sources = {f"{one.source.collection}/{one.source.path}": one for one in found.documents}
        for document, sha256 in self._record["sources"].items():
            if document not in sources:
                yield f"{document}: is not there, or not read by {name}"
            elif sources[document].record["sha256"] != sha256:
                yield f"{document}: has changed"
        yield from _differing(f"pages read by {name}", self._record["parsed"].get(name, {}),
                              parsed_digests(found))  # fmt: skip

    def _chunk_differences(self, name: str, found: ChunkedCorpus) -> Iterator[str]:
        yield from _differing(f"chunks of {name}", self._record["chunks"].get(name, {}), chunk_digests(found))
        for one in found.documents:
            path = chunk_file(self._bench.store, one.digest)
            if not path.is_file() or file_digest(path) != one.meta["output"]:
                yield f"{path}: is not as the run wrote it"

    def _judged_differences(self, name: str, chunked: ChunkedCorpus) -> Iterator[str]:
        said = self._record["judged"].get(name, {})
        now = self._bench.judging.digest(chunked, self._bench.how[name])
        path = rows_file(self._bench.store, now)
        if said.get("digest") != now:
            yield f"{name}: was judged with other chunks, questions or tools"
        elif not self._bench.judging.is_there(now) or file_digest(path) != said["sha256"]:
            yield f"{path}: is not as the run wrote it"

    def _tables(self) -> Iterator[str]:
        runs = [
            (one, self._chunked[key(one.parser, one.chunker)], self._judged(one.name))
            for one in self._bench.configurations
        ]
        for name, data in files.tables(self._bench.results(runs)).items():
            if hashlib.sha256(data).hexdigest() != self._record["files"][name]:
                yield f"{name}: the artifacts give another one"

    def _judged(self, name: str) -> Judged:
        return self._bench.judging.load(self._record["judged"][name]["digest"])


def _differing(what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in then:
        if name not in now:
            yield f"{what}: {name}: is missing"
        elif now[name] != then[name]:
            yield f"{what}: {name}: is another one now"
