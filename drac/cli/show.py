"""What the commands print on stdout: text for people, or JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from drac.cli import show_audit, show_collections
from drac.cli.work import Outcome
from drac.pipeline.asking import Spending
from drac.pipeline.indexing import Indexed
from drac.pipeline.repair import Repaired
from drac.pipeline.report import Report
from drac.pipeline.searching import Found
from drac.records import Health

_MOST = 10
"""Names shown before the rest is counted."""
_MARKS = {"ok": "ok", "warning": "!!", "missing": "--"}


def _json(value: object) -> None:
    json.dump(value, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def _line(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")


def run(outcome: Outcome, as_json: bool) -> None:
    """A run's summary: counts, failures with remedies, where the chunks are."""
    if as_json:
        _json(_outcome_record(outcome))
        return
    if outcome.report:
        _report(outcome.report)
        if outcome.audited:
            show_audit.report(outcome.audited, verbose=False)
    else:
        _line("conversions: 0 (planned from stored pages)")
    for name in outcome.vanished:
        _line(f"vanished: {name} (left out of the exports)")
    if outcome.exported:
        _exported(outcome, outcome.exported)
    spent(outcome.spending)


def _outcome_record(outcome: Outcome) -> dict[str, Any]:
    record: dict[str, Any] = {"exit_code": outcome.exit_code, "conversions": 0}
    if outcome.report:
        summary = outcome.report.summary()
        record |= {**summary, "conversions": summary["pages_converted"]}
    if outcome.exported:
        record |= {
            "set": outcome.exported["set"], "chunks": outcome.exported["chunks"],
            "chunks_file": str(outcome.set_folder / "chunks.jsonl") if outcome.set_folder else None,
            "documents_planned": outcome.planned, "plans_reused": outcome.plans_reused,
            "plan_counts": outcome.exported["plan_counts"],
            "simulated": outcome.exported["simulated"],
        }  # fmt: skip
    if outcome.audited:
        record["audit"] = outcome.audited.summary()
    record["vanished"] = list(outcome.vanished)
    record["models"] = {name: spending_record(one) for name, one in outcome.spending.items()}
    record["index"] = asdict(outcome.indexed) if outcome.indexed else None
    return record


def _report(report: Report) -> None:
    summary = report.summary()
    by_state = ", ".join(f"{n} {state}" for state, n in summary["pages_by_state"].items() if n)
    _line(f"documents: {summary['documents']} ({summary['documents_failed']} failed)")
    _line(f"pages: {summary['pages']} ({by_state or 'none'}; {summary['pages_reused']} were there already)")
    for one in summary["failures"]:
        _line(f"failed: {one['collection']}/{one['source']}: {one['error']}")
        _line(f"        {one['remedy']}")
    for one in summary["left_out"]:
        _line(f"left out: {one['collection']}/{one['source']}: {one['part']}")
    if count := summary["documents_with_parts_left_out_by_policy"]:
        _line(f"left out by policy in {count} document{'s' * (count > 1)}; see drac status")
    for one in summary["failed_pages"]:
        _line(f"failed: {one['collection']}/{one['source']} page {one['page']}: {one['reason']}")
    for one in summary["fallback_pages"][:_MOST]:
        _line(f"fallback: {one['collection']}/{one['source']} page {one['page']}: {one['reason']}")
    if summary["fallback_pages"]:
        count = len(summary["fallback_pages"])
        _line(f"{count} of the pages were read by `local` instead; --retry fallback asks the model for them")
    _skipped(summary["skipped"], "drac status names them")


def _skipped(skipped: list[dict[str, str]], where: str) -> None:
    """What was not taken, and `where` the ignored files stand by name."""
    for one in skipped:
        if one["kind"] == "unusable":
            _line(f"not usable: {one['path']}: {one['reason']}")
    ignored = Counter(one["reason"] for one in skipped if one["kind"] == "ignored")
    for reason, count in ignored.most_common():
        _line(f"ignored: {count} x {reason} ({where})")


def _exported(outcome: Outcome, exported: dict[str, Any]) -> None:
    _line(f"chunks: {exported['chunks']} from {outcome.planned} documents")
    _line(f"plans: {outcome.planned - outcome.plans_reused} made, {outcome.plans_reused} were there already")
    _unplanned(exported["plan_counts"])
    if outcome.report is None:
        _failed_before(exported["failed"])
    if outcome.indexed:
        one = outcome.indexed
        _line(f"index: {one.chunks} chunks, {one.embedded} embedded now, {one.model}")
    elif outcome.index_note:
        _line(f"index: {outcome.index_note}")
    _say_simulated(len(exported["simulated"]))
    _line(f"exported to: {outcome.set_folder}")


def index(indexed: Indexed, spending: dict[str, Spending], as_json: bool) -> None:
    """What `drac index` did."""
    if as_json:
        models = {name: spending_record(one) for name, one in spending.items()}
        _json(asdict(indexed) | {"models": models})
    else:
        _line(f"index: {indexed.chunks} chunks, {indexed.embedded} embedded now, {indexed.model}")
        spent(spending)


def hits(found: Found, spending: dict[str, Spending], as_json: bool) -> None:
    """Search results: score, document, pages, breadcrumb, passage."""
    if found.note:
        sys.stderr.write(f"drac: {found.note}\n")
    if found.model or found.reranker:
        sys.stderr.write(f"drac: {_how(found)}\n")
    if as_json:
        _json(
            {
                "retriever": found.retriever,
                "model": found.model or None,
                "reranker": found.reranker or None,
                "models": {name: spending_record(one) for name, one in spending.items()},
                "simulated": list(found.simulated),
                "results": [_hit_record(one) for one in found.results],
            }
        )
        return
    _say_simulated(len(found.simulated))
    for one in found.results:
        chunk = one.chunk
        pages = ", ".join(map(str, chunk["pages"]))
        noun = "page" if len(chunk["pages"]) == 1 else "pages"
        _line(f"{one.rank}. {one.score:.3f}  {chunk['collection']}/{chunk['source']}, {noun} {pages}")
        if chunk["breadcrumb"]:
            _line(f"   {' > '.join(chunk['breadcrumb'])}")
        _line("   " + " ".join(one.passage.split()))
        _line()
    if not found.results:
        _line("nothing found")


def _how(found: Found) -> str:
    with_model = f" with {found.model}" if found.model else ""
    return f"{found.retriever}{with_model}" + (f", reranked by {found.reranker}" if found.reranker else "")


def _unplanned(counts: dict[str, int]) -> None:
    """Sections that the planner did not plan."""
    if counts.get("unreadable"):
        of = f"{counts['unreadable']} of {counts.get('sections', 0)} sections"
        _line(f"plans: the replies for {of} held no plan; local rules chunked them (set.json names them)")
    if counts.get("unanswered"):
        _line(f"plans: the model did not answer for {counts['unanswered']} documents; local rules did")


def _failed_before(failed: list[dict[str, str]]) -> None:
    """Why planning alone ends with 4."""
    for one in failed[:_MOST]:
        _line(f"failed before, not in the set: {one['collection']}/{one['source']}: {one['reason']}")
    if len(failed) > _MOST:
        _line(f"and {len(failed) - _MOST} more (drac status names them)")


def _say_simulated(documents: int) -> None:
    if documents:
        _line(f"SIMULATED: {documents} of these documents were read by a server that only plays a model")


def _hit_record(one: Any) -> dict[str, Any]:
    keys = ("chunk_id", "doc_id", "collection", "source", "pages", "breadcrumb", "body")
    return {
        "rank": one.rank,
        "score": one.score,
        "passage": one.passage,
        **{key: one.chunk[key] for key in keys},
    }


def status(counts: dict[str, Any], as_json: bool, verbose: bool = False) -> None:
    """The workspace, counted; `verbose` adds collections, and words that a PDF lacks."""
    if as_json:
        _json(counts)
        return
    _line("documents: " + ", ".join(f"{n} {state}" for state, n in counts["documents"].items()))
    _line("pages: " + ", ".join(f"{n} {state}" for state, n in counts["pages"].items()))
    for one in counts["failed_documents"]:
        _line(f"failed: {one['collection']}/{one['source']}: {one['error']}")
        _line(f"        {one['remedy']}")
    for kind in ("failed", "fallback"):
        for one in counts[f"{kind}_pages"]:
            _line(f"{kind}: {one['collection']}/{one['source']} page {one['page']}: {one['reason']}")
    if not counts["skipped_known"]:
        _line("ignored: not known until the next run; the catalog was made anew")
    for one in counts["skipped"]:
        _line(f"{one['kind']}: {one['path']}: {one['reason']}")
    for name, label in (("left_out", "left out"), ("remarks", "note")):
        for one in counts[name]:
            _line(f"{label}: {one['collection']}/{one['source']}: {one['line']}")
    _parity(counts["parity"], verbose)
    show_audit.status(counts["audits"], verbose)
    for one in counts["fonts_replaced"]:
        breaks = "same widths" if one["same_widths"] else "lines and pages may break elsewhere"
        count = f"{one['documents']} document{'s' * (one['documents'] > 1)}"
        _line(f"font: {one['asked']} is not installed, {one['stand_in']} stood in ({count}; {breaks})")
    if verbose:
        show_collections.collections(counts, _played(counts["models"]))
    _stages(counts)


def _parity(parity: dict[str, Any], verbose: bool) -> None:
    """How much of the documents' own text their PDFs have."""
    if parity["compared"]:
        _line(f"text compared: {parity['compared']} documents, {parity['whole']} whole to the word")
    for one in parity["lacking"]:
        kinds = {"words": one["words"], "numbers": one["numbers"]}
        shares = ", ".join(f"{share:.1%} of its {kind}" for kind, share in kinds.items() if share is not None)
        _line(f"lacking: {one['collection']}/{one['source']}: its PDF has {shares}")
        for word, where in one["missing"] if verbose else ():
            _line(f"         {word} ({where})")
    for one in parity["notes"] if verbose else ():
        _line(f"text of {one['collection']}/{one['source']}: {one['note']}")


def _played(models: list[dict[str, Any]]) -> str:
    """What is to be said beside dollars that a server which only plays a model would have cost."""
    kinds = {one["simulated"] for one in models}
    return {frozenset([True]): " (SIMULATED)", frozenset([True, False]): " (SIMULATED in part)"}.get(
        frozenset(kinds), ""
    )


def _stages(counts: dict[str, Any]) -> None:
    table = Table("stage", "units", "seconds", "seconds a unit", box=None, header_style="")
    for one in counts["stages"]:
        each = one["seconds"] / one["units"] if one["units"] else 0.0
        table.add_row(one["stage"], str(one["units"]), f"{one['seconds']:.1f}", f"{each:.3f}")
    Console(file=sys.stdout, width=100).print(table)
    for one in counts["models"]:
        name = f"{one['model']} (SIMULATED)" if one["simulated"] else one["model"]
        _line(
            f"{one['stage']} by {name}: {one['replies']} replies ({one['unfinished']} unfinished), "
            + _counted(one["stage"] == "rerank", one["input_tokens"], one["output_tokens"])
            + (f"${one['usd']:.4f}" if one["priced"] else "no price known")
        )
    played = _played(counts["models"])
    for one in counts["spent_by_document"]:
        _line(
            f"spent on {one['collection']}/{one['source']}: ${one['usd']:.4f}, of which "
            f"${one['wasted_usd']:.4f} for tries without text{played}"
        )
    usage = counts["usage"]
    _line(
        f"pages read: {usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out, "
        f"${usage['usd']:.4f}{played}"
    )


def health(found: list[Health], as_json: bool) -> int:
    """Everything outside, checked; 6 where a stage cannot run."""
    if as_json:
        _json([asdict(one) for one in found])
    else:
        for one in found:
            _line(f"{_MARKS[one.state]}  {one.name}: {one.detail}")
            if one.remedy:
                _line(f"    {one.remedy}")
    return 6 if any(one.state == "missing" for one in found) else 0


def repair(repaired: Repaired, as_json: bool) -> None:
    """What `drac repair` found."""
    if as_json:
        _json(asdict(repaired))
        return
    _line(f"catalog: {repaired.sources} documents, {repaired.pages} pages")
    for name in repaired.damaged:
        _line(f"damaged and removed: {name} (the next run makes it anew)")


def dry_run(estimate: dict[str, Any], as_json: bool) -> int:
    """What a run would do; nothing is sent."""
    if as_json:
        _json(estimate)
        return 0
    types = ", ".join(f"{n} {name}" for name, n in estimate["types"].items())
    _line(f"documents: {estimate['documents']} ({types})")
    _line(f"pages: {estimate['pages']}, {estimate['pages_finished_already']} of them finished already")
    unknown = estimate["documents_whose_pages_normalizing_will_tell"]
    if unknown:
        _line(f"pages not known before normalizing: {unknown} documents; not in the figures below")
    containers = estimate["containers_whose_parts_are_not_counted"]
    if containers:
        _line(f"mails and archives whose attachments and files are not counted: {containers}")
    for one in estimate["problems"]:
        _line(f"not usable: {one}")
    _skipped(estimate["skipped"], "--json names them")
    for one in estimate.get("by_stage", []):
        _stage_estimate(one)
    dollars = _dollars(estimate["usd"], estimate["usd_range"])
    known = estimate["documents"] - unknown
    of = f" (of {known} of {estimate['documents']} documents, whose pages are known)" if unknown else ""
    _line(f"requests: {estimate['requests']}; dollars: {dollars}{of}")
    return 0


def index_dry_run(estimate: dict[str, Any], as_json: bool) -> int:
    """What `drac index` would embed and cost."""
    if as_json:
        _json(estimate)
        return 0
    _line(f"index: {estimate['chunks']} chunks; to embed by {estimate['model']}: {estimate['texts']} texts")
    if estimate["requests"]:
        _line(f"  {estimate['requests']} requests, {estimate['input_tokens']:,} tokens")
        _line(f"  dollars: {_dollars(estimate['usd'], estimate['usd_range'])}")
        _line(f"  price: {estimate['price']}")
    return 0


def _stage_estimate(one: dict[str, Any]) -> None:
    _line(f"{one['what']} by {one['model']}: {one['requests']} requests for {one['pages']} pages")
    if "requests_at_most" in one:
        _line(f"  flagged pages are asked for again: at most {one['requests_at_most']} requests, if all are")
    if one.get("tiles"):
        _line(f"  {one['tiles']} of these requests are tiles of large pages with small print")
    if "image_tokens_a_page" in one:
        assumed = ", ".join(map(str, one["assumed_output_tokens_a_page"]))
        _line(
            f"  assumed a page: {one['image_tokens_a_page']} image tokens in; "
            f"{assumed} tokens out (low, expected, high)"
        )
    _line(f"  tokens: {one['input_tokens']:,} in, {one['output_tokens']:,} out")
    _line(f"  dollars: {_dollars(one['usd'], one['usd_range'])}")
    _line(f"  price: {one['price']}")


def _dollars(usd: float | None, between: list[float | None] | None) -> str:
    if usd is None or between is None or None in between:
        return "no price known"
    low, high = between
    places = 2 if usd >= 1 else 4
    return f"{usd:.{places}f} ({low:.{places}f} to {high:.{places}f})"


def spent(spending: dict[str, Spending]) -> None:
    """What was asked of models, and what it cost."""
    for model, one in spending.items():
        _line(
            f"{model}: {one.requests} requests, {one.replies} replies ({one.reused} more were on disk), "
            + _counted(one.searches, one.input_tokens, one.output_tokens)
            + (f"${one.usd:.4f}" if one.priced else "no price known")
            + (f", and up to ${one.usd_maybe:.4f} for requests without a reply" if one.usd_maybe else "")
        )


def _counted(searches: bool, sent: int, received: int) -> str:
    return f"{received:,} searches, " if searches else f"{sent:,} tokens in, {received:,} out, "


def spending_record(one: Spending) -> dict[str, Any]:
    return {**asdict(one), "busy": dict(one.busy)}
