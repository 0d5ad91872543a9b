"""Honest replies made wrong, one function a fault of the text."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.servers.faults import Fault
from tests.servers.replies import Said, marker, write_pages

REFUSAL = "I'm sorry, but I can't help with transcribing this content."
OPENING = "Here is the Markdown of the pages you provided:"
CLOSING = "Let me know if you need anything else!"
PIPES = "| Item | Price |\n|------|-------|\n| Adult | 4.20 |\n| Child | 2.10 |"
HTML = "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Adult</td><td>4.20</td></tr></table>"
CODE = "```python\nfor page in pages:\n    print(page)\n```\n\n## After the code\n\nThe page goes on."
INVENTED = (
    "The harbour was quiet that morning, and nobody had yet noticed that the lamp was out. She walked "
    "to the end of the pier, counted the boats twice, and wrote the number down in her notebook."
)
LINE = "The applicant must submit the form to the office before the end of the month."
WORDS = "and the terms of the agreement "
_REPEATS = 150


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A reply with its fault."""

    text: str
    """What goes over the wire."""
    meant: tuple[Said, ...]
    """What a reader who sees through the fault would take for the pages' text."""


Spoiler = Callable[[Sequence[Said], int, str, str], Spoiled | str]
"""(pages, index of the page that is hit, what to say for a blank page, the fault's own text)."""


def spoil_pages(fault: Fault, said: Sequence[Said], blank: str) -> Spoiled:
    """A convert reply with this fault in it."""
    hit = next((index for index, one in enumerate(said) if one.number == fault.page), len(said) - 1)
    made = _PAGES[fault.kind](said, hit, blank, fault.text or "")
    return made if isinstance(made, Spoiled) else Spoiled(made, tuple(said))


def _with_text(said: Sequence[Said], hit: int, text: str) -> tuple[Said, ...]:
    return tuple(replace(one, text=text) if index == hit else one for index, one in enumerate(said))


def _changed(change: Callable[[str, str], str]) -> Spoiler:
    """One page's text changed: (its text, the fault's own text) to what is said."""

    def spoil(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
        return write_pages(_with_text(said, hit, change(said[hit].text, text)), blank)

    return spoil


def _around(change: Callable[[str, str], str]) -> Spoiler:
    """The whole reply changed."""
    return lambda said, hit, blank, text: change(write_pages(said, blank), text)


def _page_empty(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    return write_pages(_with_text(said, hit, ""), "")


def _fence_inner(said: Sequence[Said], hit: int, blank: str, text: str) -> Spoiled:
    """The page has code in it, and the fence around the reply is no longer than the code's."""
    meant = _with_text(said, hit, f"{said[hit].text}\n\n{text or CODE}".strip())
    return Spoiled(f"```markdown\n{write_pages(meant, blank)}\n```", meant)


def _fence_page(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    return "\n\n".join(f"```markdown\n{write_pages([one], blank)}\n```" for one in said)


def _wrong_numbers(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    return write_pages([replace(one, number=one.number + 100) for one in said], blank)


def _renumbered(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    """Counted from 1 in each request, or from 0 where 1 is right."""
    first = 0 if said[0].number == 1 else 1
    return write_pages([replace(one, number=first + index) for index, one in enumerate(said)], blank)


def _without_marker(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    pages = [write_pages([one], blank) for one in said]
    pages[hit] = pages[hit].removeprefix(marker(said[hit].number)).lstrip()
    return "\n\n".join(pages)


def _no_markers(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    return "\n\n".join(one.text or blank for one in said)


def _extra_marker(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    extra = Said(max(one.number for one in said) + 1, text or INVENTED)
    return write_pages([*said, extra], blank)


def _repeated_marker(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    """The page's marker stands again before its last block."""
    head, _, tail = said[hit].text.rpartition("\n\n")
    again = f"{head}\n\n{marker(said[hit].number)}\n\n{tail}".strip()
    return write_pages(_with_text(said, hit, again), blank)


def _swapped(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    """Pages in the wrong order, each under its own marker; a single one gets its neighbour's number."""
    if len(said) == 1:
        return write_pages([replace(said[0], number=said[0].number + 1)], blank)
    return write_pages([*said[1:], said[0]], blank)


def _marker_inline(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    return write_pages(said, blank).replace("-->\n\n", "--> ")


def _marker_unclosed(said: Sequence[Said], hit: int, blank: str, text: str) -> str:
    number = said[hit].number
    return write_pages(said, blank).replace(marker(number), f"<!-- Page {number}")


def _hallucination(said: Sequence[Said], hit: int, blank: str, text: str) -> Spoiled:
    """Nothing in the image, a fluent text in the reply; nothing is meant."""
    made = write_pages(_with_text(said, hit, text or INVENTED), blank)
    return Spoiled(made, _with_text(said, hit, ""))


def _loop(unit: str, gap: str) -> Callable[[str, str], str]:
    def looping(whole: str, text: str) -> str:
        return f"{whole}\n\n" + gap.join([text or unit] * _REPEATS)

    return looping


_PAGES: dict[str, Spoiler] = {
    "empty": _around(lambda whole, text: ""),
    "refusal": _around(lambda whole, text: text or REFUSAL),
    "page_empty": _page_empty,
    "page_refusal": _changed(lambda page, text: text or REFUSAL),
    "chatter_before": _around(lambda whole, text: f"{text or OPENING}\n\n{whole}"),
    "chatter_after": _around(lambda whole, text: f"{whole}\n\n{text or CLOSING}"),
    "fence": _around(lambda whole, text: f"```markdown\n{whole}\n```"),
    "fence_inner": _fence_inner,
    "fence_unclosed": _around(lambda whole, text: f"```markdown\n{whole}"),
    "fence_page": _fence_page,
    "wrong_numbers": _wrong_numbers,
    "renumbered": _renumbered,
    "no_markers": _no_markers,
    "missing_marker": _without_marker,
    "extra_marker": _extra_marker,
    "repeated_marker": _repeated_marker,
    "swapped": _swapped,
    "marker_inline": _marker_inline,
    "marker_unclosed": _marker_unclosed,
    "leaked_table": _changed(lambda page, text: f"{page}\n\n{text or PIPES}".strip()),
    "leaked_html": _changed(lambda page, text: f"{page}\n\n{text or HTML}".strip()),
    "image_link": _changed(lambda page, text: f"{text or '![Company logo](logo.png)'}\n\n{page}".strip()),
    "loop_line": _around(_loop(LINE, "\n")),
    "loop_ngram": _around(_loop(WORDS, "")),
    "hallucination": _hallucination,
}  # fmt: skip


def spoil_plan(fault: Fault, plan: str) -> str:
    """A plan reply (a JSON array of arrays) with this fault in it."""
    return _PLANS[fault.kind](plan, fault.text or "")


def _groups(plan: str) -> list[Any]:
    return list(json.loads(plan))


def _dumped(groups: list[Any]) -> str:
    return json.dumps(groups, separators=(",", ":"))


def _shuffled(plan: str) -> str:
    groups = _groups(plan)
    random.Random(0).shuffle(groups)
    return _dumped(groups)


def _nested(plan: str) -> str:
    first, *rest = _groups(plan)
    return _dumped([[first], *rest])


def _cut(plan: str) -> str:
    """Up to the middle of the ID nearest to the reply's middle."""
    at = plan.find('"', len(plan) // 2 - 1)
    return plan[: (at if at > 0 else len(plan) // 2) + 2]


def _with_first(change: Callable[[list[Any]], list[Any]]) -> Callable[[str, str], str]:
    def spoil(plan: str, text: str) -> str:
        first, *rest = _groups(plan)
        return _dumped([change(first), *rest])

    return spoil


_PLANS: dict[str, Callable[[str, str], str]] = {
    "plan_empty": lambda plan, text: "",
    "plan_prose": lambda plan, text: text or "I would put the introduction first and then the details.",
    "plan_prose_array": lambda plan, text: f"Here are the chunks:\n\n{plan}\n\nEach one treats one topic.",
    "plan_fenced": lambda plan, text: f"```json\n{plan}\n```",
    "plan_two_arrays": lambda plan, text: f"{plan}\n\nAlternatively:\n\n{_shuffled(plan)}",
    "plan_truncated": lambda plan, text: _cut(plan),
    "plan_cut": lambda plan, text: _cut(plan),
    "plan_unknown": _with_first(lambda group: [*group, "p99999", "x1", "H1 "]),
    "plan_duplicate": lambda plan, text: _dumped([*_groups(plan), _groups(plan)[0]]),
    "plan_null": _with_first(lambda group: [None, *group, 7]),
    "plan_nested": lambda plan, text: _nested(plan),
    "plan_missing": lambda plan, text: _dumped(_groups(plan)[1:]),
}
