"""What `drac audit` prints, and what `drac status` says of audits."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from drac.cli.auditing import AuditOutcome
from drac.pipeline.audit_report import AuditReport

_MOST = 20
"""Flagged pages named before the rest is counted, without -v."""
_CUT = 160
"""Characters of a sentence that are shown."""
_SAID = {
    "missing": "missing from the text", "invented": "not on the page", "digits": "digits",
    "row-missing": "row without a sentence", "rows-merged": "rows in one sentence",
    "columns-swapped": "values under another header", "order": "out of order", "repeated": "repeated",
    "instruction": "speaks to a model", "hidden": "text that nobody sees",
}  # fmt: skip


def _line(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")


def audit(outcome: AuditOutcome, as_json: bool, verbose: bool) -> None:
    """Counts, and each flagged page with what is wrong."""
    summary = outcome.report.summary()
    if as_json:
        spent = {name: {**asdict(one), "busy": dict(one.busy)} for name, one in outcome.spending.items()}
        json.dump(summary | {"models": spent}, sys.stdout, indent=1, ensure_ascii=False)
        _line()
        return
    report(outcome.report, verbose)
    for model, one in outcome.spending.items():
        dollars = f"${one.usd:.4f}" if one.priced else "no price known"
        _line(f"{model}: {one.requests} requests, {one.replies} replies, {dollars}")


def report(told: AuditReport, verbose: bool) -> None:
    """An audit in words."""
    summary = told.summary()
    readers = ", ".join(f"{count} by {name}" for name, count in summary["readers"].items())
    _line(
        f"audited: {summary['pages']} pages of {summary['documents']} documents; compared: "
        f"{summary['pages_compared']} ({readers or 'none'}); {summary['pages_reused']} were there already"
    )
    kinds = ", ".join(f"{count} {kind}" for kind, count in summary["findings"].items())
    _line(f"flagged: {summary['pages_flagged']} pages ({kinds or 'no finding'})")
    if changed := summary["pages_repaired"] + summary["pages_by_fallback"]:
        _line(
            f"of these pages, {summary['pages_repaired']} are repaired and {summary['pages_by_fallback']} by "
            f"a fallback; `drac plan` chunks what is new of these {changed}"
        )
    shown = summary["flagged"] if verbose else summary["flagged"][:_MOST]
    for one in shown:
        _page(one, 100 if verbose else 3)
    if rest := len(summary["flagged"]) - len(shown):
        _line(f"and {rest} more (-v or --json names them)")
    for one in summary["not_audited"]:
        _line(f"not audited: {one['collection']}/{one['source']} page {one['page']}: {one['reason']}")


def _page(one: Mapping[str, Any], most: int) -> None:
    reader = f" beside {one['reader']}" if one["reader"] else ""
    _line(f"{one['collection']}/{one['source']} page {one['page']}{reader}: {_kinds(one['findings'])}")
    if one["outcome"]:
        _line(f"    {one['outcome']}")
    findings(one["findings"][:most])
    if (rest := len(one["findings"]) - most) > 0:
        _line(f"    and {rest} more findings")


def _kinds(found: Iterable[Mapping[str, Any]]) -> str:
    counts = Counter(one["kind"] for one in found)
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common()) or "no finding"


def findings(found: Iterable[Mapping[str, Any]]) -> None:
    """Each with its words and its sentence."""
    for one in found:
        text = " ".join(one["text"].split())
        where = "in" if one["start"] >= 0 else "on the page:"
        quoted = f" {where} “{text if len(text) <= _CUT else f'{text[:_CUT]}…'}”" if text else ""
        _line(f"    {_SAID[one['kind']]}: {one['what'][:_CUT]}{quoted}")


def status(audits: Mapping[str, Any], verbose: bool) -> None:
    """What is known of the workspace's pages."""
    if not audits["pages"]:
        return
    _line(f"audited: {audits['pages']} pages, {audits['compared']} compared with a second reader, "
          f"{audits['flagged']} flagged")  # fmt: skip
    for one in audits["documents"]:
        if one["flagged"]:
            counts = f"{one['flagged']} of {one['audited']} audited pages flagged"
            _line(f"flagged: {one['collection']}/{one['source']}: {counts} ({_kinds(one['findings'])})")
        for page in one["pages"] if verbose else ():
            _page({**page, "collection": one["collection"], "source": one["source"]}, 100)


def dry_run(estimate: Mapping[str, Any], as_json: bool) -> int:
    """What an audit would do; nothing is sent."""
    if as_json:
        json.dump(estimate, sys.stdout, indent=1, ensure_ascii=False)
        _line()
        return 0
    _line(f"pages: {estimate['pages']}, {estimate['pages_done_already']} of them done already")
    _line(f"to compare: {estimate['pages_to_compare']}; to read a second time: {estimate['readings']} "
          f"({estimate['readings_by_ocr']} by OCR)")  # fmt: skip
    if "requests_at_most" in estimate:
        _line(f"to ask again: {estimate['requests']} pages known to be flagged, at most "
              f"{estimate['requests_at_most']} requests where every page by a model is")  # fmt: skip
        _line(f"dollars: {_dollars(estimate['usd'])}, at most {_dollars(estimate['usd_at_most'])}")
    return 0


def _dollars(usd: float | None) -> str:
    return "no price known" if usd is None else f"{usd:.4f}"
