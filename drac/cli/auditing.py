"""What `drac audit` does: choose documents of the workspace, compare their pages, act where asked."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drac.cli import work
from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.asking import Spending
from drac.pipeline.audit_report import AuditReport
from drac.pipeline.planning import live_sources
from drac.store.store import Store
from drac.wiring.auditing import estimate_audit, jobs_of, of_the_pages


@dataclass(frozen=True, slots=True)
class AuditOutcome:
    """What the command did, for showing."""

    report: AuditReport
    spending: dict[str, Spending] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """See AuditReport."""
        return self.report.exit_code


def audit(
    workspace: Path, settings: Settings, paths: Sequence[str] | None, collection: str | None
) -> AuditOutcome:
    """Audit stored pages; converts nothing but what second readers read."""
    work.reading(workspace)
    with work.writing(workspace) as (store, catalog):
        records = chosen(store, paths, collection)
        asked = of_the_pages(settings, records)
        with work.asked_models(asked, workspace) as models:
            report = work.audit_documents(store, catalog, asked, models, records)
            return AuditOutcome(report, models.spending())


def dry_run(
    workspace: Path, settings: Settings, paths: Sequence[str] | None, collection: str | None
) -> dict[str, Any]:
    """Pages to compare, and what repairing would cost; nothing is read or sent."""
    store = work.reading(workspace)
    records = chosen(store, paths, collection)
    jobs = jobs_of(store, settings, records)
    return estimate_audit(jobs, of_the_pages(settings, records), store)


def chosen(store: Store, paths: Sequence[str] | None, collection: str | None) -> list[dict[str, Any]]:
    """Records of live, converted documents that are asked for; raises UsageError where none is."""
    places = _places(paths or ())
    records = [
        one for one in live_sources(store)
        if one["state"] == "ok" and collection in (None, one["collection"])
        and (not paths or _is_within(one, places))
    ]  # fmt: skip
    if not records:
        raise UsageError(
            f"{store.root}: no converted document that is asked for",
            remedy="Run `drac run` or `drac convert` first, or correct PATH or --collection.",
        )
    return records


def _places(paths: Sequence[str]) -> list[Path]:
    """What the paths name, absolute; a pattern as what it matches."""
    matches = (glob.glob(one, recursive=True) or [one] for one in paths)  # noqa: PTH207 - absolute too
    found = [path for some in matches for path in some]
    return [Path(one).absolute().resolve() for one in found]


def _is_within(record: Mapping[str, Any], places: Sequence[Path]) -> bool:
    """Whether the document, or the mail or archive that holds it, is one of the places or lies under one."""
    path = (Path(record["root"]) / record["path"]).resolve()
    return any(path == one or one in path.parents for one in places)
