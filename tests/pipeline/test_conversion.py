"""Documents through the store with fakes on every port: states, resume, failures, identity."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_pipeline import FakeOffice, FakeRead, InlineExecutor, SilentProgress, normalize, tools

from drac.config import Settings, load_settings
from drac.corpus import discover
from drac.errors import (
    ConverterUnavailable,
    DiskFull,
    EngineUnavailable,
    LimitExceeded,
    UsageError,
    WorkerDied,
)
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.exporting import export_set, markdown_name, read_chunks
from drac.pipeline.planning import Planning, live_sources
from drac.pipeline.repair import repair
from drac.pipeline.report import Report
from drac.pipeline.sources import check_identities, mark_vanished, to_retry
from drac.pipeline.status import status
from drac.pipeline.tasks import Normalized, NormalizeTask, ReadPages, ReadTask, Tools
from drac.records import Fonts, PageState, Parity
from drac.stages.chunk import LocalPlanner
from drac.store.catalog import Catalog
from drac.store.store import Store

SUFFIXES = frozenset({".pdf", ".office"})


class Bench:
    """A workspace, a folder of documents, and runs over them."""

    def __init__(self, place: Path) -> None:
        self.root = place / "docs"
        self.root.mkdir()
        self.workspace = place / "ws"
        self.settings = Settings()

    def write(self, name: str, *pages: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\f".join(pages))

    def run(self, with_tools: Tools | None = None, options: Options = Options()) -> Report:  # noqa: B008
        found = discover([str(self.root)], suffixes=SUFFIXES, cwd=self.root)
        with Store(self.workspace) as store:
            self.catalog = Catalog(store.catalog_path)
            try:
                sources = to_retry(store, found.sources, options.retry)
                check_identities(store, sources)
                progress = SilentProgress()
                run = Conversion(store, self.catalog, self.settings, with_tools or tools(), progress, options)
                report = run.run(sources, found.skipped)
                mark_vanished(store, self.catalog, found)
                self.counts = status(self.catalog, store.root)
                return report
            finally:
                self.catalog.close()

    def export(self, name: str = "default") -> dict[str, object]:
        with Store(self.workspace) as store:
            catalog = Catalog(store.catalog_path)
            planning = Planning(store, catalog, self.settings, LocalPlanner(self.settings.plan))
            planned = planning.all(one for one in live_sources(store) if one["state"] == "ok")
            try:
                return export_set(store, name, planned, self.settings)
            finally:
                catalog.close()

    def chunks(self, name: str = "default") -> list[dict[str, object]]:
        return list(read_chunks(Store(self.workspace), name))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    yield Bench(tmp_path)


def test_every_page_ends_in_one_state(bench: Bench) -> None:
    bench.write("a.pdf", "# One\n\nText one.", "", "Text three.")
    report = bench.run(tools(FakeRead(fails={"Text three.": 9})))
    states = report.documents[0].states
    assert states == {1: PageState.OK, 2: PageState.BLANK, 3: PageState.FAILED}
    assert report.exit_code == 4
    assert report.summary()["failed_pages"] == [
        {"collection": "docs", "source": "a.pdf", "page": 3, "reason": "made to fail"}
    ]
    assert bench.counts["pages"]["failed"] == 1


def test_f55_same_stem_in_different_folders(bench: Bench) -> None:
    bench.write("a/report.pdf", "First text.")
    bench.write("b/report.pdf", "Second text.")
    bench.write("b/report.office", "third text.")
    assert bench.run().exit_code == 0
    bench.export()
    found = {one["source"]: one["body"] for one in bench.chunks()}
    assert found == {
        "a/report.pdf": "First text.", "b/report.pdf": "Second text.", "b/report.office": "THIRD TEXT.",
    }  # fmt: skip


def test_f60_rerun_reads_only_what_failed(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two", "three", "four", "five")
    read = FakeRead(fails={"two": 1, "four": 1})
    assert bench.run(tools(read)).exit_code == 4
    again = FakeRead()
    report = bench.run(tools(again))
    assert (report.exit_code, again.read) == (0, ["two", "four"])
    assert report.summary()["pages_reused"] == 3


def test_retry_failed_leaves_the_others_alone(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two")
    bench.write("b.pdf", "good")
    bench.run(tools(FakeRead(fails={"two": 1})))
    bench.write("c.pdf", "new")
    report = bench.run(options=Options(retry="failed"))
    assert [one.source.path for one in report.documents] == ["a.pdf"]
    assert report.documents[0].states[2] is PageState.OK


def test_a_run_again_reads_nothing(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two")
    bench.run()
    read = FakeRead()
    bench.run(tools(read))
    assert read.read == []


def test_f57_other_tools_or_settings_read_anew(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.run(tools(fingerprint={"model": "a"}))
    read = FakeRead()
    bench.run(tools(read, fingerprint={"model": "b"}))
    bench.settings = load_settings(None, {"convert": {"ocr_dpi": 300}})
    bench.run(tools(read, fingerprint={"model": "b"}))
    bench.run(tools(read, fingerprint={"model": "b"}))
    assert read.read == ["one", "one"]


def test_same_content_in_two_places_is_read_once(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.write("b/c.pdf", "one")
    read = FakeRead()
    bench.run(tools(read))
    again = FakeRead()
    bench.run(tools(again))
    assert (set(read.read), again.read) == ({"one"}, [])


@pytest.mark.parametrize("content", ["", "BROKEN", "LOCKED"])
def test_bad_document_is_named_and_its_neighbours_finish(bench: Bench, content: str) -> None:
    bench.write("a.pdf", "one")
    bench.write("bad.pdf", content)
    bench.write("z.pdf", "two")
    report = bench.run()
    assert report.exit_code == 4
    assert [one.source.path for one in report.failed] == ["bad.pdf"]
    assert report.failed[0].remedy
    assert sum(report.states.values()) == 2
    exported = bench.export()
    assert [one["source"] for one in exported["failed"]] == ["bad.pdf"]


def test_only_bad_documents_is_nothing_usable(bench: Bench) -> None:
    bench.write("bad.pdf", "BROKEN")
    assert bench.run().exit_code == 3


def test_password_opens_and_is_stored_nowhere(bench: Bench) -> None:
    bench.write("locked.pdf", "LOCKED inside")
    assert bench.run().exit_code == 3
    assert bench.run(options=Options(passwords=("wrong", "secret"))).exit_code == 0
    stored = b"".join(path.read_bytes() for path in bench.workspace.rglob("*") if path.is_file())
    assert b"secret" not in stored


def test_a_batch_whose_worker_dies_costs_only_the_page_that_kills_it(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two", "three")
    died = WorkerDied("the worker process died (exit status -11)")
    report = bench.run(tools(FakeRead(raises={"two": died})))
    assert [state.value for _, state in sorted(report.documents[0].states.items())] == ["ok", "failed", "ok"]
    assert "worker process died" in report.documents[0].reasons[2]


def test_a_task_whose_worker_died_once_is_tried_again(bench: Bench) -> None:
    class OnceDead(FakeRead):
        def __call__(self, task: ReadTask) -> ReadPages:
            if not self.read:
                self.read.append("died")
                raise WorkerDied("the worker process died (exit status -9)")
            return super().__call__(task)

    bench.write("a.pdf", "one", "two")
    report = bench.run(tools(OnceDead()))
    assert (report.exit_code, report.states["ok"]) == (0, 2)


def test_disk_full_stops_and_the_next_run_goes_on(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.write("b.pdf", "two")
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(DiskFull):
        bench.run(tools(FakeRead(raises={"two": full})))
    read = FakeRead()
    assert bench.run(tools(read)).exit_code == 0
    assert read.read == ["two"]


def test_engine_unavailable_stops_the_run(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    with pytest.raises(EngineUnavailable):
        bench.run(tools(FakeRead(raises={"one": EngineUnavailable("no OCR")})))


def test_missing_libreoffice_fails_office_documents_only(bench: Bench) -> None:
    class Missing(FakeOffice):
        def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
            raise ConverterUnavailable("LibreOffice is not installed")

    bench.write("a.office", "one")
    bench.write("b.pdf", "two")
    made = tools()
    broken = Tools(**{name: getattr(made, name) for name in made.__slots__} | {"office": Missing})
    report = bench.run(broken)
    assert report.exit_code == 6
    assert [one.error for one in report.documents] == ["LibreOffice is not installed", ""]


class HangingOffice(FakeOffice):
    """Finds out slowly that a document cannot be converted, and counts how often it is asked."""

    asked = 0

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        type(self).asked += 1
        if source.read_text().startswith("hang"):
            raise LimitExceeded(f"{source}: LibreOffice took more than 180 s, twice", lasting=True)
        super().convert(source, target, suffix=suffix)


def _with_office(office: type[FakeOffice]) -> Tools:
    made = tools()
    return Tools(**{name: getattr(made, name) for name in made.__slots__} | {"office": office})


def test_a_document_that_hangs_is_remembered_until_it_changes_or_is_asked_for(bench: Bench) -> None:
    HangingOffice.asked = 0
    office = _with_office(HangingOffice)
    bench.write("a.office", "hang")
    bench.write("b.office", "fine")
    first = bench.run(office)
    again = bench.run(office)
    assert HangingOffice.asked == 2
    assert [one.exit_code for one in (first, again)] == [4, 4]
    assert first.documents[0].error == again.documents[0].error != ""
    assert "--retry failed" in again.documents[0].remedy
    assert bench.run(office, Options(retry="failed")).exit_code == 4
    assert HangingOffice.asked == 3
    bench.run(office)
    assert HangingOffice.asked == 3
    bench.write("a.office", "mended")
    assert bench.run(office).exit_code == 0


def test_a_document_that_only_needs_a_password_is_not_remembered_as_hopeless(bench: Bench) -> None:
    bench.write("a.pdf", "LOCKED text")
    assert bench.run().exit_code == 3
    assert bench.run(options=Options(passwords=("secret",))).exit_code == 0


def test_fonts_and_missing_words_stand_in_the_record_and_in_the_status(bench: Bench) -> None:
    def normalized(task: NormalizeTask) -> Normalized:
        made = normalize(task)
        fonts = Fonts(
            ("Aptos", "Calibri"),
            ("Carlito", "DejaVuSans"),
            (("Aptos", "DejaVu Sans"), ("Calibri", "Carlito")),
        )
        return replace(
            made, fonts=fonts, parity=Parity(0.25, None, (("lost", "paragraph 2"),), "up to row 9")
        )

    bench.write("a.office", "one")
    bench.write("b.office", "two")
    made = tools()
    bench.run(Tools(**{name: getattr(made, name) for name in made.__slots__} | {"normalize": normalized}))
    assert bench.counts["fonts_replaced"] == [
        {"asked": "Aptos", "stand_in": "DejaVu Sans", "documents": 2, "same_widths": False},
        {"asked": "Calibri", "stand_in": "Carlito", "documents": 2, "same_widths": True},
    ]
    parity = bench.counts["parity"]
    assert (parity["compared"], parity["whole"], len(parity["notes"])) == (2, 0, 2)
    assert [one["source"] for one in parity["lacking"]] == ["a.office", "b.office"]
    assert parity["lacking"][0]["missing"] == [["lost", "paragraph 2"]]
    before = bench.counts
    (record, _) = live_sources(Store(bench.workspace))
    assert record["fonts"]["asked"] == ["Aptos", "Calibri"]
    bench.run(made)
    assert bench.counts["fonts_replaced"] == before["fonts_replaced"]


def test_what_policy_leaves_out_is_in_the_record_the_status_and_the_set(bench: Bench) -> None:
    bench.write("a.pdf", "text")
    bench.write("b.pdf", "other")
    said = "left out: 2 hidden sheets"

    def noting(task: NormalizeTask) -> Normalized:
        return replace(normalize(task), withheld=said if task.source.name == "a.pdf" else "")

    made = tools()
    noted = Tools(**{name: getattr(made, name) for name in made.__slots__} | {"normalize": noting})
    report = bench.run(noted)
    assert report.exit_code == 0
    assert report.summary()["documents_with_parts_left_out_by_policy"] == 1
    assert [(one["source"], one["line"]) for one in bench.counts["remarks"]] == [("a.pdf", said)]
    exported = {one["source"]: one.get("remarks") for one in bench.export()["documents"]}
    assert exported == {"a.pdf": [said], "b.pdf": None}


def test_changed_document_takes_the_place_of_the_old_one(bench: Bench) -> None:
    bench.write("a.pdf", "old", "old two")
    bench.run()
    bench.write("a.pdf", "new")
    bench.run()
    bench.export()
    assert [one["body"] for one in bench.chunks()] == ["new"]
    assert bench.counts["pages"]["total"] == 1


def test_document_changed_while_read_is_named(bench: Bench) -> None:
    bench.write("a.office", "old")

    class Slow(FakeOffice):
        def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
            target.write_bytes(source.read_bytes())
            source.write_bytes(b"changed")

    made = tools()
    changing = Tools(**{name: getattr(made, name) for name in made.__slots__} | {"office": Slow})
    assert "changed while it was read" in bench.run(changing).failed[0].error


def test_vanished_source_is_listed_and_left_out(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.write("b.pdf", "two")
    bench.run()
    (bench.root / "b.pdf").unlink()
    bench.run()
    exported = bench.export()
    assert [one["source"] for one in exported["vanished"]] == ["b.pdf"]
    assert [one["source"] for one in bench.chunks()] == ["a.pdf"]
    assert bench.counts["documents"] == {"ok": 1, "failed": 0, "unpacked": 0, "vanished": 1}


def test_two_folders_of_one_name_do_not_overwrite_each_other(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.pdf", "one")
    bench.run()
    bench.root = tmp_path / "elsewhere" / "docs"
    bench.write("a.pdf", "another")
    with pytest.raises(UsageError, match="would both be"):
        bench.run()


def test_pages_option_reads_only_those_pages(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two", "three")
    read = FakeRead()
    bench.run(tools(read), Options(pages=frozenset({2, 3})))
    assert read.read == ["two", "three"]
    bench.export()
    assert {page for one in bench.chunks() for page in one["pages"]} == {2, 3}


def test_export_is_the_same_after_any_number_of_runs(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.pdf", "# A\n\none", "two")
    bench.write("b.pdf", "three")
    bench.run(tools(FakeRead(fails={"two": 1})))
    bench.export()
    bench.run()
    bench.export()
    other = Bench.__new__(Bench)
    other.root, other.workspace, other.settings = bench.root, tmp_path / "ws2", bench.settings
    other.run()
    other.export()
    assert tree(bench.workspace / "exports") == tree(other.workspace / "exports")
    assert tree(bench.workspace / "pages") == tree(other.workspace / "pages")


def test_repair_makes_the_same_catalog(bench: Bench) -> None:
    bench.write("a.pdf", "one", "", "three")
    bench.write("bad.pdf", "BROKEN")
    bench.run(tools(FakeRead(fails={"three": 5})))
    before = bench.counts
    with Store(bench.workspace) as store:
        store.catalog_path.unlink()
        catalog = Catalog(store.catalog_path)
        repair(store, catalog)
        after = status(catalog, store.root)
        catalog.close()
    for one in (before, after):
        one.pop("stages")
    assert after == before


def test_repair_names_damaged_files_and_the_next_run_mends_them(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two")
    bench.run()
    page = next((bench.workspace / "pages").iterdir())
    page.write_bytes(b"{")
    with Store(bench.workspace) as store:
        catalog = Catalog(store.catalog_path)
        assert repair(store, catalog).damaged == (f"pages/{page.name}",)
        catalog.close()
    read = FakeRead()
    bench.run(tools(read))
    assert len(read.read) == 1


def test_markdown_names_stay_apart_and_inside() -> None:
    names = [
        markdown_name("c", path)
        for path in ("a.pdf", "a.docx", "x/a.pdf", " a.pdf", "..", "n" * 300, "n" * 301, ".hidden", "a\nb")
    ]
    assert len(set(names)) == len(names)
    assert all(".." not in one.parts and len(one.name.encode()) <= 255 for one in names)


def test_executor_is_handed_the_pages_in_bounded_batches(bench: Bench) -> None:
    bench.write("a.pdf", *[f"page {n}" for n in range(20)])
    made = tools()
    bench.run(made)
    assert isinstance(made.executor, InlineExecutor)
    sizes = [len(task.pages) for task in made.executor.submitted if hasattr(task, "pages")]
    assert sizes == [8, 8, 4]


def test_set_json_says_with_what_the_set_was_made(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.run()
    bench.export()
    described = json.loads((bench.workspace / "exports/default/set.json").read_text())
    assert described["settings"]["plan"]["planner"] == "local"
    assert described["pages_by_state"] == {"ok": 1}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(("stage", "name"), [("structure", "elements.json"), ("plan", "plans.json")])
@pytest.mark.parametrize("text", ["{garb", "[]"])
def test_damaged_results_are_named_and_repair_makes_room_for_new_ones(
    bench: Bench, stage: str, name: str, text: str
) -> None:
    bench.write("a.pdf", "# One\n\nText one.", "Text two.")
    bench.run()
    bench.export()
    chunks = bench.chunks()
    (path,) = (bench.workspace / "artifacts" / stage).glob(f"*/{name}")
    path.write_text(text)
    with Store(bench.workspace) as store:
        catalog = Catalog(store.catalog_path)
        assert repair(store, catalog).damaged == (str(path.parent.relative_to(bench.workspace)),)
        catalog.close()
    bench.export()
    assert bench.chunks() == chunks


def test_a_damaged_page_is_left_out_and_read_again(bench: Bench) -> None:
    bench.write("a.pdf", "one", "two")
    bench.run()
    page = next((bench.workspace / "pages").glob("*.json"))
    page.write_text("{garb")
    assert bench.export()["pages_by_state"] == {"ok": 1, "failed": 1}
    read = FakeRead()
    assert bench.run(tools(read)).exit_code == 0
    assert len(read.read) == 1


def test_a_damaged_set_is_named(bench: Bench) -> None:
    bench.write("a.pdf", "one")
    bench.run()
    bench.export()
    (bench.workspace / "exports" / "default" / "chunks.jsonl").write_text("{garb\n")
    with pytest.raises(UsageError, match=r"chunks\.jsonl: damaged"):
        bench.chunks()
