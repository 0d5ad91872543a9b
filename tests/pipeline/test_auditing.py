"""The audit's own law: what is stored, what is done once, and what a failure costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fakes_pipeline import FakeRead, InlineExecutor, SilentProgress, tools

from drac.audit_records import Finding, FindingKind, PageAudit
from drac.config import AuditSettings, RunSettings, Settings
from drac.corpus import discover
from drac.errors import WorkerDied
from drac.pipeline.audit_report import AuditReport
from drac.pipeline.audit_tasks import Audited, AuditedPages, AuditTask, AuditTools
from drac.pipeline.auditing import Auditing
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.planning import document_pages, live_sources
from drac.pipeline.repair import repair
from drac.records import PageState, PageText
from drac.store.catalog import Catalog
from drac.store.store import Store


@dataclass
class FakeAudit:
    """Flags pages that say `wrong`; its second reader reads `right`; those of `dies` kill the worker."""

    missing: float = 0.1
    dies: set[str] = field(default_factory=set)
    audited: list[str] = field(default_factory=list)
    """Texts compared, in order."""
    read: list[str] = field(default_factory=list)
    """Texts that were read a second time."""

    def __call__(self, task: AuditTask) -> AuditedPages:
        return AuditedPages(tuple(self._one(item) for item in task.items), 0.0)

    def _one(self, item: Any) -> Audited:
        written: PageText = item.written
        if written.markdown in self.dies:
            raise WorkerDied("the worker died")
        if not item.readers:
            return Audited(PageAudit(written.page, "", 0.0, 0.0), None, ())
        self.audited.append(written.markdown)
        known = item.known[0]
        if known is None:
            self.read.append(written.markdown)
        reference = known or replace(written, markdown="right", method="ocr")
        wrong = "wrong" in written.markdown
        found = (Finding(FindingKind.DIGITS, written.markdown, "7", 0, 5),) if wrong else ()
        audit = PageAudit(written.page, "fake ocr", self.missing if wrong else 0.0, 0.0, found, wrong)
        return Audited(audit, reference, (None if known else reference,))


class Place:
    """A converted workspace."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self.store, self.catalog = store, catalog
        self.worker = FakeAudit()

    def audit(self, **audit: Any) -> AuditReport:
        settings = Settings(audit=AuditSettings(sample=audit.pop("sample", 1.0), **audit))
        made = AuditTools(InlineExecutor(), self.worker, {"reader": "fake"}, _nobody)
        records = [one for one in live_sources(self.store) if one["state"] == "ok"]
        return Auditing(self.store, self.catalog, settings, made, SilentProgress()).run(records)

    def pages(self) -> list[PageText]:
        return [page for one in live_sources(self.store) for page in document_pages(self.store, one)]


def _nobody(engine: str) -> Any:
    raise AssertionError(f"nobody may ask {engine}")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.pdf").write_text("one\fwrong two\fthree")
    (docs / "b.pdf").write_text("four\f\fsix")
    found = discover([str(docs)], suffixes=frozenset({".pdf"}), cwd=docs)
    settings = Settings(run=RunSettings(batch_pages=2))
    with Store(tmp_path / "ws") as store:
        catalog = Catalog(store.catalog_path)
        made = tools(FakeRead())
        Conversion(store, catalog, settings, made, SilentProgress(), Options()).run(found.sources)
        yield Place(store, catalog)
        catalog.close()


def test_a_report_changes_no_page_and_is_not_made_twice(place: Place) -> None:
    before = place.pages()
    first = place.audit().summary()
    assert (first["pages"], first["pages_compared"], first["pages_flagged"]) == (6, 5, 1)
    assert place.pages() == before
    place.worker.audited.clear()
    again = place.audit().summary()
    assert place.worker.audited == []
    assert again == {**first, "pages_reused": 6}


def test_a_larger_sample_goes_on_from_a_smaller_one(place: Place) -> None:
    assert place.audit(sample=0.0).summary()["pages_compared"] == 0
    assert place.audit(sample=1.0).summary()["pages_compared"] == 5
    assert place.audit(sample=0.0).summary()["pages_compared"] == 5, "what is known is not thrown away"
    assert sorted(place.worker.read) == ["four", "one", "six", "three", "wrong two"]


def test_ocr_does_not_replace_single_words_of_a_text_layer(place: Place) -> None:
    report = place.audit(on_mismatch="fallback")
    (page,) = report.summary()["flagged"]
    assert (page["action"], page["state"]) == ("fallback", "ok")
    assert "no better witness" in page["outcome"]
    assert report.exit_code == 0


def test_a_garbled_text_layer_is_replaced_once_and_the_page_before_is_kept(place: Place) -> None:
    place.worker.missing = 0.9
    place.audit()
    report = place.audit(on_mismatch="fallback")
    assert place.worker.read.count("wrong two") == 1, "the second reading of the report was used"
    (text,) = [one for one in place.pages() if one.state is PageState.FALLBACK]
    assert text.markdown == "right"
    assert report.exit_code == 4 and report.documents[0].fallbacks == 1
    (digest,) = [path.stem for path in place.store.audits.iterdir()
                 if (place.store.get_audit(path.stem) or _nobody("")).before]  # fmt: skip
    record = place.store.get_audit(digest)
    assert record and record.before and record.before.markdown == "wrong two"
    assert [one.kind for one in record.found] == [FindingKind.DIGITS]
    place.worker.audited.clear()
    place.audit(on_mismatch="fallback")
    assert place.worker.audited == []


def test_repair_leaves_a_text_layer_that_only_ocr_doubts(place: Place) -> None:
    (page,) = place.audit(on_mismatch="repair").summary()["flagged"]
    assert page["outcome"].startswith("left as it is")
    place.worker.audited.clear()
    place.audit(on_mismatch="repair")
    assert place.worker.audited == []


def test_a_kill_between_the_audit_and_its_page_is_made_good(place: Place, monkeypatch: Any) -> None:
    place.worker.missing = 0.9
    put = place.store.put_page

    def killed(digest: str, text: PageText) -> None:
        if text.state is PageState.FALLBACK:
            raise KeyboardInterrupt
        put(digest, text)

    monkeypatch.setattr(place.store, "put_page", killed)
    with pytest.raises(KeyboardInterrupt):
        place.audit(on_mismatch="fallback")
    monkeypatch.undo()
    assert not [one for one in place.pages() if one.state is PageState.FALLBACK]
    place.audit(on_mismatch="fallback")
    assert [one.markdown for one in place.pages() if one.state is PageState.FALLBACK] == ["right"]


def test_a_worker_that_dies_costs_its_page_only(place: Place) -> None:
    place.worker.dies = {"three"}
    report = place.audit()
    assert report.exit_code == 4
    assert report.documents[0].unread == {3: "the worker died"}
    assert report.summary()["pages_compared"] == 4


def test_a_page_that_is_read_anew_is_audited_anew(place: Place) -> None:
    place.audit()
    digest = next(path.stem for path in place.store.audits.iterdir() if place.store.get_page(path.stem))
    page = place.store.get_page(digest)
    assert page
    place.store.put_page(digest, replace(page, markdown="another text"))
    assert place.store.get_audit(digest) is None
    place.audit()
    assert "another text" in place.worker.audited


def test_repair_of_the_workspace_restores_what_status_says(place: Place) -> None:
    place.audit()
    rows = place.catalog.rows("SELECT * FROM audits ORDER BY page_digest")
    assert len(rows) == 6
    repair(place.store, place.catalog)
    assert place.catalog.rows("SELECT * FROM audits ORDER BY page_digest") == rows


def test_a_damaged_audit_counts_as_not_there(place: Place) -> None:
    place.audit()
    path = next(place.store.audits.iterdir())
    path.write_text("{", "utf-8")
    assert place.store.get_audit(path.stem) is None
    assert repair(place.store, place.catalog).damaged == (f"audits/{path.name}",)
    assert place.audit().summary()["pages_reused"] == 5
