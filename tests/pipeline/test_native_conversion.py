"""Documents read as they stand go through the pipeline like any other: counted, reused, repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes_pipeline import FakeReading, InlineExecutor, SilentProgress, tools

from drac.config import Settings
from drac.corpus import discover
from drac.pipeline.companions import companions
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.exporting import export_set, read_chunks
from drac.pipeline.planning import Planning, live_sources
from drac.pipeline.repair import repair
from drac.pipeline.report import Report
from drac.pipeline.status import status
from drac.pipeline.tasks import ReadPages, ReadTask
from drac.stages.chunk import LocalPlanner
from drac.stages.normalize import as_native, detect
from drac.store.catalog import Catalog
from drac.store.store import Store
from drac.wiring import worker

_FARES = "<h1>Fares</h1><table><tr><th>Route<th>Price<tr><td>1<td>9.40</table>"
_NOTES = "# Notes\n\nfirst\n\n<!-- Page 2 -->\n\nsecond\n\n<!-- Page 3 -->\n"


class Reads:
    """Counts the batches that the native reader got."""

    def __init__(self) -> None:
        self.batches = 0

    def __call__(self, task: ReadTask) -> ReadPages:
        self.batches += 1
        return worker.native_task(task)


class Place:
    """A folder of documents, a workspace, and runs over them."""

    def __init__(self, folder: Path) -> None:
        self.docs, self.workspace = folder / "docs", folder / "ws"
        self.docs.mkdir()
        self.settings = Settings()

    def run(self, options: Options = Options(), reads: Reads | None = None) -> Report:  # noqa: B008
        found = discover([str(self.docs)], suffixes=frozenset({".html", ".md"}), cwd=self.docs)
        executor = InlineExecutor()
        reading = FakeReading(executor, reads or Reads(), {"parser": "1"})  # type: ignore[arg-type]
        made = replace(
            tools(),
            detect=lambda path, password: as_native(detect(path, password=password)),
            companions=companions,
            normalize=worker.normalize_task,
            native=reading,
        )
        with Store(self.workspace) as store:
            catalog = Catalog(store.catalog_path)
            run = Conversion(store, catalog, self.settings, made, SilentProgress(), options)
            report = run.run(found.sources, found.skipped)
            self.counts: Mapping[str, Any] = status(catalog, store.root)
            catalog.close()
        return report

    def export(self) -> list[dict[str, Any]]:
        with Store(self.workspace) as store:
            catalog = Catalog(store.catalog_path)
            planning = Planning(store, catalog, self.settings, LocalPlanner(self.settings.plan))
            export_set(
                store,
                "default",
                planning.all(one for one in live_sources(store) if one["state"] == "ok"),
                self.settings,
            )
            catalog.close()
            return list(read_chunks(store, "default"))

    def markdown(self) -> list[Path]:
        """The Markdown files of the set, by name."""
        return sorted((self.workspace / "exports" / "default" / "markdown" / "docs").iterdir())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.docs / "fares.html").write_text(_FARES)
    (made.docs / "notes.md").write_text(f"<!-- Page 1 -->\n\n{_NOTES}")
    return made


def test_every_page_is_accounted_and_chunks_know_theirs(place: Place) -> None:
    report = place.run()
    assert report.exit_code == 0
    assert place.counts["pages"] == {
        "total": 4, "ok": 3, "blank": 1, "repaired": 0, "fallback": 0, "failed": 0, "not_read": 0,
    }  # fmt: skip
    chunks = {one["body"]: one["pages"] for one in place.export()}
    assert chunks["# Fares\n\nRoute: 1; Price: 9.40."] == [1]
    assert any("second" in body and 2 in pages for body, pages in chunks.items())


def test_a_second_run_reads_nothing_and_gives_the_same_export(place: Place) -> None:
    place.run()
    first = place.export()
    reads = Reads()
    place.run(reads=reads)
    assert (reads.batches, place.export()) == (0, first)


def test_our_own_export_read_again_gives_the_same_pages(place: Place, tmp_path: Path) -> None:
    place.run()
    place.export()
    (tmp_path / "again").mkdir()
    again = Place(tmp_path / "again")
    for path in place.markdown():
        (again.docs / path.name).write_bytes(path.read_bytes())
    again.run()
    again.export()
    assert [one.read_bytes() for one in again.markdown()] == [one.read_bytes() for one in place.markdown()]


def test_the_same_bytes_of_another_type_are_other_pages(place: Place) -> None:
    (place.docs / "fares.md").write_text("*a*")
    (place.docs / "fares.html").write_text("*a*")
    place.run()
    assert {one["body"] for one in place.export() if "fares" in one["source"]} == {"a", "*a*"}


def test_style_sheets_beside_a_page_hide_text_and_are_part_of_its_name(place: Place) -> None:
    link = "".join(f"<link rel=stylesheet href='{one}'>" for one in ("s.css", "../no.css", "%00"))
    (place.docs / "fares.html").write_text(f"{link}<p class=x>hidden<p>shown")
    (place.docs.parent / "no.css").write_text("p { display: none }")
    (place.docs / "s.css").write_text(".x { display: none } /* </style> */")
    place.run()
    assert [one["body"] for one in place.export() if "fares" in one["source"]] == ["shown"]
    (place.docs / "s.css").write_text("")
    place.run()
    assert [one["body"] for one in place.export() if "fares" in one["source"]] == ["hidden\n\nshown"]


def test_some_pages_only(place: Place) -> None:
    report = place.run(Options(pages=frozenset({2})))
    assert [one.error for one in report.documents if one.error] == ["has 1 page, none of those asked for"]
    assert [one["pages"] for one in place.export()] == [[2]]


def test_a_damaged_text_is_made_anew(place: Place) -> None:
    place.run()
    first = place.export()
    (document,) = (place.workspace / "artifacts" / "normalize").glob("*/document.html")
    document.write_text("changed")
    with Store(place.workspace) as store:
        catalog = Catalog(store.catalog_path)
        found = repair(store, catalog)
        catalog.close()
    assert found.damaged == (str(document.parent.relative_to(place.workspace)),)
    place.run()
    assert place.export() == first
    assert document.read_text() == _FARES
