"""Which pages of the workspace are to be audited, by whom, and which of them are done already."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from drac.audit_records import AuditRecord
from drac.config import AuditSettings, ConvertSettings, Settings
from drac.pipeline.audit_actions import is_doubtful
from drac.pipeline.planning import page_digests
from drac.pipeline.recipes import audit_recipe, convert_recipe
from drac.pipeline.second_reader import is_sampled, second_readers
from drac.records import Page, PageText
from drac.stages.convert.audit import EXACT, NOISY
from drac.store.keys import artifact_digest
from drac.store.store import Store, page_file

_DONE = {
    "report": ("report", "repair", "fallback"),
    "repair": ("repair", "fallback"),
    "fallback": ("fallback",),
}
"""Actions after which nothing more is done, by what is asked for."""


@dataclass(frozen=True, slots=True)
class PageJob:
    """One page that has text, and what its audit needs."""

    digest: str
    """The page's."""
    pdf: Path
    """The document's PDF."""
    recipe: Mapping[str, Any]
    """What the page was read with."""
    written: PageText
    """Its text."""
    readers: tuple[ConvertSettings, ...]
    """Second readers; empty where it is only searched for text that is aimed at models."""
    reading_digests: tuple[str, ...]
    """Page digests of what these read."""
    stored: AuditRecord | None
    """The audit of the page as it is now, of any version; None where there is none."""
    done: bool
    """Whether `stored` is all that is asked for."""
    carries: bool
    """See AuditItem."""

    @property
    def may_change(self) -> bool:
        """Whether its text may be changed: what an audit wrote is not written once more."""
        return self.stored is None or self.stored.before is None


class Selection:
    """Knows the recipes of an audit."""

    def __init__(self, store: Store, audit: AuditSettings, reader: Mapping[str, str]) -> None:
        """`reader`: fingerprint of the engine `local`."""
        self._store, self._audit, self._reader = store, audit, reader

    def jobs(self, record: Mapping[str, Any]) -> Iterator[PageJob]:
        """Pages with text of a document that has a PDF, by number."""
        pdf = self._store.artifacts / "normalize" / record["normalize"] / "document.pdf"
        for digest in page_digests(record).values() if pdf.is_file() else ():
            text = self._store.get_page(digest)
            if text is not None:
                yield self._job(record, pdf, digest, text)

    def _job(self, record: Mapping[str, Any], pdf: Path, digest: str, text: PageText) -> PageJob:
        readers = second_readers(text, record["convert"])
        compared = bool(readers) and is_sampled(text, digest, self._audit.sample)
        stored = self._store.get_audit(digest)
        key = self.key(record["convert"], text)
        return PageJob(
            digest, pdf, record["convert"], text, readers if compared else (),
            tuple(self._reading(one, text.page) for one in readers) if compared else (),
            stored, stored is not None and stored.key == key and self._is_done(stored, compared),
            record["type"] == "pdf" and text.method == "image",
        )  # fmt: skip

    def _is_done(self, stored: AuditRecord, compared: bool) -> bool:
        if compared and not (stored.audit.reader or stored.outcome):
            return False
        finished = stored.before is not None or stored.audit.action in _DONE[self._audit.on_mismatch]
        return finished or not is_doubtful(stored.audit)

    def key(self, recipe: Mapping[str, Any], text: PageText) -> str:
        """Digest of a page's record, its second readers with their fingerprint, and the audit."""
        readers = [self._recipe(one) for one in second_readers(text, recipe)]
        made = audit_recipe(readers, [asdict(EXACT), asdict(NOISY)], self._reader)
        return artifact_digest(made, [page_sha256(text)])

    def _reading(self, reader: ConvertSettings, page: Page) -> str:
        return artifact_digest(self._recipe(reader), [page.pdf_digest, page.number])

    def _recipe(self, reader: ConvertSettings) -> dict[str, Any]:
        return convert_recipe(Settings(convert=reader), self._reader)


def page_sha256(text: PageText) -> str:
    """Of a page's file."""
    return hashlib.sha256(page_file(text)).hexdigest()
