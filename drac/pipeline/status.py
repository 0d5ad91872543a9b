"""What the workspace holds, counted from the catalog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from drac.pipeline import by_collection
from drac.records import PageState
from drac.stages.normalize import same_widths
from drac.store.catalog import Catalog
from drac.store.journal import paid_replies

_WHOLE = 0.99
"""Share of a source's words or numbers in its PDF below which `drac status` names the document."""

_SKIPPED = ("path", "reason", "kind")


def status(catalog: Catalog, root: Path) -> dict[str, Any]:
    """Documents and pages by state, failures with reasons, time a stage, tokens and dollars.

    `root` is the workspace, whose paid replies are summed up.
    """
    return {
        "documents": _documents(catalog),
        "pages": _pages(catalog),
        "failed_documents": catalog.rows(
            "SELECT collection, path AS source, error, remedy FROM sources "
            "WHERE live AND state = 'failed' ORDER BY collection, path"
        ),
        "failed_pages": _pages_in(catalog, PageState.FAILED),
        "fallback_pages": _pages_in(catalog, PageState.FALLBACK),
        "fonts_replaced": _fonts(catalog),
        "parity": _parity(catalog),
        "remarks": _remarks(catalog, left_out=False),
        "left_out": _remarks(catalog, left_out=True),
        "audits": _audits(catalog),
        "skipped": [dict(zip(_SKIPPED, row, strict=True)) for row in catalog.skipped() or ()],
        "skipped_known": catalog.skipped() is not None,
        "stages": catalog.rows(
            "SELECT stage, units, round(seconds, 3) AS seconds FROM timings ORDER BY stage"
        ),
        "usage": _usage(catalog),
        "models": _models(root),
        "spent_by_document": _by_document(catalog),
        "conversion": by_collection.conversion(catalog),
        "planning": by_collection.planning(root / "exports"),
    }


def _fonts(catalog: Catalog) -> list[dict[str, Any]]:
    """Families asked for and not installed, what stood in, in how many documents, and whether lines broke
    where they were meant to."""
    rows = catalog.rows(
        "SELECT asked, stand_in, count(*) AS documents FROM fonts JOIN sources USING (doc_id) WHERE live "
        "GROUP BY asked, stand_in ORDER BY documents DESC, asked"
    )
    return [{**row, "same_widths": same_widths(row["asked"], row["stand_in"])} for row in rows]


def _parity(catalog: Catalog) -> dict[str, Any]:
    """Documents whose text was compared with their PDF's, and those of which less than `_WHOLE` was found."""
    rows = catalog.rows(
        "SELECT collection, path AS source, words, numbers, missing, note FROM sources "
        "JOIN parity USING (doc_id) WHERE live AND state = 'ok' ORDER BY collection, path"
    )
    compared = [row for row in rows if row["words"] is not None or row["numbers"] is not None]
    lacking = [row for row in compared if min(_share(row["words"]), _share(row["numbers"])) < _WHOLE]
    return {
        "compared": len(compared),
        "whole": sum(_share(row["words"]) == _share(row["numbers"]) == 1.0 for row in compared),
        "lacking": [{**row, "missing": json.loads(row["missing"])} for row in lacking],
        "notes": [{key: row[key] for key in ("collection", "source", "note")} for row in rows if row["note"]],
    }


def _share(share: float | None) -> float:
    return 1.0 if share is None else share


def _remarks(catalog: Catalog, *, left_out: bool) -> list[dict[str, Any]]:
    """What to know of documents' PDFs, or which parts of them are past a limit."""
    return catalog.rows(
        "SELECT collection, path AS source, line FROM remarks JOIN sources USING (doc_id) "
        "WHERE live AND left_out = ? ORDER BY collection, path, line",
        (left_out,),
    )


def _audits(catalog: Catalog) -> dict[str, Any]:
    """Audited pages of live documents, and of each document the flagged ones with their findings."""
    rows = catalog.rows(
        "SELECT doc_id, collection, path AS source, number AS page, p.state AS state, a.* FROM audits a "
        "JOIN pages p ON p.digest = a.page_digest JOIN sources USING (doc_id) "
        "WHERE live ORDER BY collection, path, number"
    ) if catalog.has_table("audits") else []  # fmt: skip
    documents: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = documents.setdefault(row["doc_id"], {
            "collection": row["collection"], "source": row["source"], "audited": 0, "compared": 0,
            "flagged": 0, "findings": [], "pages": [],
        })  # fmt: skip
        findings = json.loads(row["findings"])
        one["audited"] += 1
        one["compared"] += bool(row["reader"])
        one["flagged"] += bool(row["flagged"])
        one["findings"] += [{"kind": each["kind"], "page": row["page"]} for each in findings]
        if row["flagged"] or row["outcome"]:
            told = ("page", "state", "reader", "missing", "invented", "action", "outcome")
            one["pages"].append({**{key: row[key] for key in told}, "findings": findings})
    totals = {key: sum(one[key] for one in documents.values()) for key in ("audited", "compared", "flagged")}
    return {
        "pages": totals["audited"], "compared": totals["compared"], "flagged": totals["flagged"],
        "documents": list(documents.values()),
    }  # fmt: skip


def _documents(catalog: Catalog) -> dict[str, int]:
    rows = catalog.rows(
        "SELECT CASE WHEN live THEN state ELSE 'vanished' END AS s, count(*) AS n FROM sources GROUP BY s"
    )
    found = {row["s"]: row["n"] for row in rows}
    return {state: found.get(state, 0) for state in ("ok", "failed", "unpacked", "vanished")}


def _pages(catalog: Catalog) -> dict[str, int]:
    rows = catalog.rows(
        "SELECT p.state AS s, count(*) AS n FROM pages p JOIN sources USING (doc_id) "
        "WHERE live GROUP BY p.state"
    )
    found = {row["s"]: row["n"] for row in rows}
    total = catalog.rows("SELECT coalesce(sum(pages), 0) AS n FROM sources WHERE live AND state = 'ok'")[0][
        "n"
    ]
    counted = {state.value: found.get(state.value, 0) for state in PageState}
    return {"total": total, **counted, "not_read": total - sum(counted.values())}


def _pages_in(catalog: Catalog, state: PageState) -> list[dict[str, Any]]:
    return catalog.rows(
        "SELECT collection, path AS source, number AS page, reason FROM pages JOIN sources USING (doc_id) "
        "WHERE live AND pages.state = ? ORDER BY collection, path, number",
        (state.value,),
    )


def _models(root: Path) -> list[dict[str, Any]]:
    """Paid replies by model and stage, from the replies themselves; also those that were of no use."""
    found: dict[tuple[str, str, bool], dict[str, Any]] = {}
    for record in paid_replies(root):
        request, reply = record["request"], record["reply"]
        key = (request["model"], request["purpose"], record["simulated"])
        row = found.setdefault(key, {
            "model": request["model"], "stage": request["purpose"], "simulated": record["simulated"],
            "replies": 0, "unfinished": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0, "priced": True,
        })  # fmt: skip
        row["replies"] += 1
        row["unfinished"] += not reply["finished"]
        row["input_tokens"] += reply["input_tokens"]
        row["output_tokens"] += reply["output_tokens"]
        row["usd"] += record["usd"] or 0.0
        row["priced"] &= record["usd"] is not None
    return [found[key] for key in sorted(found)]


def _by_document(catalog: Catalog) -> list[dict[str, Any]]:
    """What reading each document cost, with the tries that brought no text apart."""
    return catalog.rows(
        "SELECT collection, path AS source, sum(u.input_tokens) AS input_tokens, "
        "sum(u.output_tokens) AS output_tokens, sum(u.usd) AS usd, sum(u.requests) AS requests, "
        "sum(CASE WHEN u.outcome = 'ok' THEN 0 ELSE u.requests END) AS wasted_requests, "
        "sum(CASE WHEN u.outcome = 'ok' THEN 0 ELSE u.usd END) AS wasted_usd "
        "FROM usage u JOIN pages p ON p.digest = u.page_digest JOIN sources USING (doc_id) "
        "WHERE live GROUP BY doc_id HAVING sum(u.requests) > 0 ORDER BY collection, path"
    )


def _usage(catalog: Catalog) -> dict[str, Any]:
    return catalog.rows(
        "SELECT coalesce(sum(input_tokens), 0) AS input_tokens, "
        "coalesce(sum(output_tokens), 0) AS output_tokens, "
        "coalesce(sum(usd), 0.0) AS usd, coalesce(sum(requests), 0) AS requests FROM usage"
    )[0]
