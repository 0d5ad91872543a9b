"""Mails and archives in a run: their parts are documents, found again, retried, and gone with them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from fakes_pipeline import FakeRead, FakeUnpack, SilentProgress, tools

from drac.config import NormalizeSettings, Settings
from drac.corpus import discover
from drac.errors import UsageError
from drac.pipeline.containers import all_skipped_parts
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.exporting import export_set, read_chunks
from drac.pipeline.planning import Planning, live_sources
from drac.pipeline.repair import repair
from drac.pipeline.report import Report
from drac.pipeline.sources import check_identities, known_elsewhere, mark_vanished, to_retry
from drac.pipeline.status import status
from drac.stages.chunk import LocalPlanner
from drac.store.catalog import Catalog
from drac.store.store import Store


class Bench:
    """A folder of containers and a workspace."""

    def __init__(self, place: Path) -> None:
        self.root, self.workspace = place / "docs", place / "ws"
        self.root.mkdir()
        self.settings = Settings(normalize=NormalizeSettings(archives=True))
        self.unpack = FakeUnpack()
        self.vanished: list[str] = []

    def write(self, name: str, **parts: str) -> None:
        """A container; `__` in a name stands for a slash, `_` for a dot."""
        named = {key.replace("__", "/").replace("_", "."): text for key, text in parts.items()}
        (self.root / name).write_text(json.dumps(named))

    def run(self, options: Options = Options(), paths: Sequence[str] = ()) -> Report:  # noqa: B008
        suffixes = frozenset({".pdf", ".box", ".mail"})
        given = [str(self.root / one) for one in paths] or [str(self.root)]
        found = discover(given, suffixes=suffixes, cwd=self.root, root=self.root)
        with Store(self.workspace) as store:
            catalog = Catalog(store.catalog_path)
            sources = to_retry(store, found.sources, options.retry)
            check_identities(store, sources)
            assert known_elsewhere(store, sources) == []
            self.read, self.progress = FakeRead(), SilentProgress()
            made = tools(self.read, unpack=self.unpack)
            run = Conversion(store, catalog, self.settings, made, self.progress, options)
            report = run.run(sources, found.skipped)
            self.vanished = mark_vanished(store, catalog, found)
            self.counts = status(catalog, store.root)
            catalog.close()
        return report

    def sources(self) -> dict[str, str]:
        """State of each live source by path."""
        return {one["path"]: one["state"] for one in live_sources(Store(self.workspace))}

    def chunks(self) -> dict[str, str]:
        with Store(self.workspace) as store:
            catalog = Catalog(store.catalog_path)
            planning = Planning(store, catalog, self.settings, LocalPlanner(self.settings.plan))
            planned = planning.all(one for one in live_sources(store) if one["state"] == "ok")
            self.exported = export_set(store, "default", planned, self.settings)
            catalog.close()
        return {one["source"]: one["body"] for one in read_chunks(Store(self.workspace), "default")}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_parts_are_documents_under_the_name_of_their_container(bench: Bench) -> None:
    bench.write("a.mail", one_pdf="First.", sub__two_pdf="Second.")
    bench.write("b.box", one_pdf="Third.")
    report = bench.run()
    assert report.exit_code == 0
    assert report.summary()["documents"] == 4
    assert bench.progress.documents == 5
    found = bench.chunks()
    assert found.keys() == {"a.mail", "a.mail/one.pdf", "a.mail/sub/two.pdf", "b.box/one.pdf"}
    assert (found["a.mail/sub/two.pdf"], found["b.box/one.pdf"]) == ("Second.", "Third.")
    assert bench.sources()["b.box"] == "unpacked"
    assert bench.exported["failed"] == []
    assert bench.counts["documents"] == {"ok": 4, "failed": 0, "unpacked": 1, "vanished": 0}


def test_nothing_is_unpacked_or_read_twice(bench: Bench) -> None:
    bench.write("a.box", one_pdf="First.", two_pdf="Second.")
    bench.run()
    (bench.root / "copy.box").write_bytes((bench.root / "a.box").read_bytes())
    report = bench.run()
    assert bench.unpack.unpacked == ["a.box"]
    assert bench.read.read == []
    assert report.summary()["pages_reused"] == 4


def test_what_cannot_be_had_is_named_and_its_neighbours_finish(bench: Bench) -> None:
    bench.write("a.box", bad_pdf="FAILED", good_pdf="Text.", film_mp4="SKIPPED", empty_pdf="")
    report = bench.run()
    assert report.exit_code == 4
    reasons = {one.source.path: one.error for one in report.failed}
    assert reasons == {"a.box/bad.pdf": "cannot be had", "a.box/empty.pdf": "0 bytes"}
    remedies = {one.source.path: one.remedy for one in report.failed}
    assert "a part of a.box; repair or replace it there" in remedies["a.box/empty.pdf"]
    assert [(one.path, one.kind) for one in report.skipped] == [(f"{bench.root}/a.box/film.mp4", "ignored")]
    store = Store(bench.workspace)
    assert len(all_skipped_parts(store, store.all_sources())) == 1
    assert bench.chunks() == {"a.box/good.pdf": "Text."}
    assert [one["source"] for one in bench.exported["failed"]] == ["a.box/bad.pdf", "a.box/empty.pdf"]


def test_a_broken_container_fails_alone(bench: Bench) -> None:
    (bench.root / "a.box").write_text("BROKEN")
    bench.write("b.box", one_pdf="Text.")
    report = bench.run()
    assert [(one.source.path, one.error) for one in report.failed] == [("a.box", "damaged")]
    assert bench.chunks() == {"b.box/one.pdf": "Text."}


def test_archives_are_unpacked_on_request_only(bench: Bench) -> None:
    bench.settings = Settings()
    bench.write("a.box", one_pdf="Text.")
    report = bench.run()
    assert report.exit_code == 3
    assert "--archives" in report.failed[0].remedy
    assert bench.unpack.unpacked == []


def test_an_archive_without_documents_is_nothing_usable(bench: Bench) -> None:
    bench.write("a.box", film_mp4="SKIPPED")
    assert bench.run().exit_code == 3


def test_an_attachment_that_is_gone_is_no_longer_live(bench: Bench) -> None:
    bench.write("a.mail", one_pdf="First.", two_pdf="Second.")
    bench.run()
    bench.write("a.mail", two_pdf="Second.")
    bench.run(paths=["a.mail"])
    assert bench.vanished == ["docs/a.mail/one.pdf"]
    assert bench.chunks().keys() == {"a.mail", "a.mail/two.pdf"}
    bench.write("a.mail", one_pdf="First.", two_pdf="Second.")
    bench.run()
    assert bench.sources().keys() == {"a.mail", "a.mail/one.pdf", "a.mail/two.pdf"}


def test_parts_go_with_their_container(bench: Bench) -> None:
    bench.write("a.box", one_pdf="First.")
    bench.write("b.box", one_pdf="Second.")
    bench.run()
    (bench.root / "a.box").unlink()
    bench.run()
    assert bench.vanished == ["docs/a.box", "docs/a.box/one.pdf"]
    (bench.root / "b.box").write_text("BROKEN")
    bench.run()
    assert bench.vanished == ["docs/b.box/one.pdf"]
    assert bench.sources() == {"b.box": "failed"}


def test_retry_reads_only_the_part_that_failed(bench: Bench) -> None:
    bench.write("a.box", bad_pdf="LOCKED text", good_pdf="Good.")
    bench.write("b.box", one_pdf="Other.")
    assert bench.run().exit_code == 4
    report = bench.run(Options(retry="failed", passwords=("secret",)))
    assert report.exit_code == 0
    assert bench.read.read == ["LOCKED text"]
    assert [one.source.path for one in report.documents] == ["a.box", "a.box/bad.pdf"]
    assert set(bench.sources().values()) == {"ok", "unpacked"}
    assert len(bench.sources()) == 5


def test_a_password_opens_what_was_sealed(bench: Bench) -> None:
    bench.write("a.box", sealed_pdf="SEALED", good_pdf="Good.")
    assert bench.run().exit_code == 4
    assert bench.run(Options(passwords=("wrong",))).exit_code == 4
    assert bench.run(Options(retry="failed", passwords=("secret",))).exit_code == 0
    assert bench.run(Options(passwords=("secret",))).exit_code == 0
    assert bench.unpack.unpacked == ["a.box"] * 3
    assert bench.chunks()["a.box/sealed.pdf"] == "SEALED"


def test_an_archive_within_takes_the_place_of_its_failure(bench: Bench) -> None:
    bench.write("a.box", in_box="FAILED", good_pdf="Good.")
    bench.run()
    bench.write("a.box", in_box="ARCHIVE", in_box__one_pdf="Deep.", good_pdf="Good.")
    assert bench.run().exit_code == 0
    assert bench.vanished == []
    assert bench.sources()["a.box/in.box"] == "unpacked"


def test_pages_are_those_of_each_part(bench: Bench) -> None:
    bench.write("a.box", one_pdf="First.\fSecond.", two_pdf="Third.\fFourth.\fFifth.")
    bench.run(Options(pages=frozenset({2})))
    assert bench.read.read == ["Second.", "Fourth."]


def test_repair_names_what_was_unpacked_and_is_damaged(bench: Bench) -> None:
    bench.write("a.box", one_pdf="First.")
    bench.run()
    before = bench.chunks()
    (stored,) = bench.workspace.glob("artifacts/unpack/*/files/one.pdf")
    stored.write_text("Other.")
    with Store(bench.workspace) as store:
        catalog = Catalog(store.catalog_path)
        assert repair(store, catalog).damaged == (str(stored.parents[1].relative_to(bench.workspace)),)
        catalog.close()
    assert bench.run().exit_code == 0
    assert bench.vanished == []
    assert bench.unpack.unpacked == ["a.box", "a.box"]
    assert bench.chunks() == before


def test_a_file_cannot_silently_take_the_place_of_a_part(bench: Bench, tmp_path: Path) -> None:
    bench.write("a.box", one_pdf="First.")
    bench.run()
    other = tmp_path / "other" / "a.box"
    other.mkdir(parents=True)
    (other / "one.pdf").write_text("Second.")
    suffixes = frozenset({".pdf"})
    found = discover([str(other.parent)], suffixes=suffixes, cwd=tmp_path, collection="docs")
    with pytest.raises(UsageError, match="would both be"):
        check_identities(Store(bench.workspace), found.sources)


def test_a_part_cannot_silently_take_the_place_of_a_file(bench: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other" / "docs" / "a.box"
    other.mkdir(parents=True)
    (other / "one.pdf").write_text("Second.")
    bench.write("a.box", one_pdf="First.", two_pdf="Third.")
    first, bench.root = bench.root, other.parent
    bench.run()
    bench.root = first
    report = bench.run()
    assert [one.reason for one in report.skipped] == [
        f"its name is that of a document in {other.parent}; use another --collection"
    ]
    assert report.exit_code == 4
    assert bench.chunks() == {"a.box/one.pdf": "Second.", "a.box/two.pdf": "Third."}
