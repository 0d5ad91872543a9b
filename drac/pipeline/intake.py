"""Which parts of a container join a run."""

from __future__ import annotations

from drac.pipeline.containers import Part, document_file, parts_of, skipped_parts
from drac.pipeline.documents import Document
from drac.pipeline.report import DocumentResult
from drac.pipeline.sources import is_in_state
from drac.records import Skipped, Source
from drac.store.store import Store


def new_document(store: Store, source: Source, within: str = "") -> Document:
    """A document at the beginning of its way, `within` the mail or archive of that path."""
    return Document(source, document_file(store, source), DocumentResult(source), within)


class Intake:
    """Takes the parts of containers into a run; `skipped` are those that are not taken."""

    def __init__(self, store: Store, retry: str | None) -> None:
        self._store, self._retry = store, retry
        self.skipped: list[Skipped] = []

    def take(self, container: Document, digest: str) -> list[tuple[Part, Document]]:
        """The parts that are wanted, in order, each as a document of the run."""
        self.skipped += skipped_parts(self._store, container.source, digest)
        parts = parts_of(self._store, container.source, digest)
        wanted = [one for one in parts if self._is_wanted(one) and self._is_free(one)]
        return [(one, new_document(self._store, one.source, container.source.path)) for one in wanted]

    def _is_wanted(self, part: Part) -> bool:
        """With `--retry`: what is in that state, and what was not known before."""
        known = self._retry and self._store.get_source(part.source.doc_id)
        return not known or is_in_state(self._store, known, str(self._retry))

    def _is_free(self, part: Part) -> bool:
        """Whether a part takes the place of no other folder's document; notes it otherwise."""
        known = self._store.get_source(part.source.doc_id)
        if known is None or not known["live"] or known["root"] == part.source.root:
            return True
        if known.get("sha256") == part.sha256:
            return True
        path = f"{part.source.root}/{part.source.path}"
        reason = f"its name is that of a document in {known['root']}; use another --collection"
        self.skipped.append(Skipped(path, reason, "unusable"))
        return False
