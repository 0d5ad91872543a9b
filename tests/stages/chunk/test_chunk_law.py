"""Laws of the stage: whatever a planner answers, content is in exactly one plan and no heading is lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from drac.config import PlanSettings
from drac.records import Chunk, Element, ElementKind, Section, Source, Span
from drac.stages.chunk import LocalPlanner, PlanResult, rebuild, run
from drac.stages.outline import heading_paths

SOURCE = Source("bank", "a/b.pdf", "/root", "0123456789abcdef")
CONTENT = {"p": ElementKind.PARAGRAPH, "l": ElementKind.LIST, "c": ElementKind.CODE, "r": ElementKind.ROW}


def make_elements(shape: Sequence[str]) -> tuple[Element, ...]:
    """One element for each of `1` to `6` (a heading of that level), `p`, `l`, `c` or `r`."""
    numbers: Counter[str] = Counter()
    made: list[Element] = []
    for at, sign in enumerate(shape):
        letter = "h" if sign.isdigit() else sign
        numbers[letter] += 1
        name = f"{letter}{numbers[letter]}"
        level = int(sign) if sign.isdigit() else 0
        kind = CONTENT.get(letter, ElementKind.HEADING)
        text = "#" * level + f" Heading {name}" if level else f"Text of {name} " + "word " * (at % 7 * 9)
        span = Span(1 + at // 5, at * 100, at * 100 + len(text))
        made.append(Element(name, kind, level, text.strip(), f"{at:016x}", (span,)))
    return tuple(made)


def make_sections(elements: Sequence[Element], size: int) -> tuple[Section, ...]:
    paths = heading_paths(elements)
    starts = range(0, len(elements), size)
    return tuple(
        Section(f"s{n}", paths[elements[at].id], tuple(one.id for one in elements[at : at + size]))
        for n, at in enumerate(starts, start=1)
    )


@dataclass
class FixedPlanner:
    """Answers what it was given, one reply a section, the last one ever after."""

    replies: list[str]
    fingerprint: Mapping[str, str] | None = None
    asked: int = 0

    def plan(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        self.asked += 1
        return self.replies[min(self.asked, len(self.replies)) - 1]


SHAPES = st.lists(st.sampled_from("123ppplrrc"), max_size=24)
IDS = st.sampled_from([f"{letter}{n}" for letter in "hplcr" for n in range(1, 8)])
JUNK = st.none() | st.integers() | st.lists(IDS, max_size=2) | st.just({"p1": 1}) | st.text(max_size=3)
GROUPS = st.lists(st.lists(IDS | JUNK, max_size=8) | JUNK, max_size=8)
REPLIES = st.builds(
    lambda before, groups, after: before + json.dumps(groups) + after,
    st.sampled_from(["", "Here is [1] my plan: ", "```json\n", "[["]),
    GROUPS,
    st.sampled_from(["", "\n```", " [[]]", "]]"]),
) | st.text(max_size=40)


def check_laws(elements: Sequence[Element], sections: Sequence[Section], result: PlanResult) -> None:
    order = {one.id: at for at, one in enumerate(elements)}
    headings = {one.id for one in elements if one.kind is ElementKind.HEADING}
    placed = [one for plan in result.plans for one in plan.element_ids]
    content = Counter(one for one in placed if one not in headings)
    assert content == Counter(one.id for one in elements if one.id not in headings)
    known = {section.id: {*section.element_ids, *section.ancestors} for section in sections}
    for plan in result.plans:
        places = [order[one] for one in plan.element_ids]
        assert places == sorted(set(places))
        assert places
        assert set(plan.element_ids) <= known[plan.section_id]


def check_headings(elements: Sequence[Element], chunks: Sequence[Chunk]) -> None:
    """Every heading is in a body or a breadcrumb, and content stands under its own headings only."""
    paths = heading_paths(elements)
    by_id = {one.id: one for one in elements}
    shown = {name for chunk in chunks for name in chunk.breadcrumb}
    shown |= {by_id[one].text.lstrip("# ") for chunk in chunks for one in chunk.element_ids}
    assert shown >= {one.text.lstrip("# ") for one in elements if one.level}
    for chunk in chunks:
        for at, one in enumerate(chunk.element_ids):
            if by_id[one].level == 0:
                above = {by_id[heading].text.lstrip("# ") for heading in paths[one]}
                inside = {
                    by_id[name].text.lstrip("# ") for name in chunk.element_ids[:at] if by_id[name].level
                }
                assert above <= set(chunk.breadcrumb) | inside


@settings(max_examples=300, deadline=None)
@given(SHAPES, st.lists(REPLIES, min_size=1, max_size=4), st.integers(1, 10))
def test_any_reply_leaves_each_content_element_in_exactly_one_plan(
    shape: list[str], replies: list[str], size: int
) -> None:
    elements = make_elements(shape)
    sections = make_sections(elements, size)
    result = run(elements, sections, PlanSettings(), FixedPlanner(replies))
    check_laws(elements, sections, result)
    check_headings(elements, rebuild(SOURCE, elements, result.plans))


@settings(max_examples=150, deadline=None)
@given(SHAPES, st.integers(1, 10), st.integers(1, 9), st.integers(16, 300))
def test_local_planner_keeps_to_the_rules(shape: list[str], size: int, most: int, target: int) -> None:
    elements = make_elements(shape)
    sections = make_sections(elements, size)
    plan_settings = PlanSettings(max_blocks=most, target_tokens=target)
    result = run(elements, sections, plan_settings, LocalPlanner(plan_settings))
    check_laws(elements, sections, result)
    check_headings(elements, rebuild(SOURCE, elements, result.plans))
    counts = result.counts
    assert (counts.unreadable, counts.unknown, counts.duplicates, counts.malformed, counts.left_out) == (
        0,
    ) * 5
    assert all(plan.origin == "planner" for plan in result.plans)
    assert result == run(elements, sections, plan_settings, LocalPlanner(plan_settings))


@settings(max_examples=100, deadline=None)
@given(SHAPES, st.lists(REPLIES, min_size=1, max_size=4))
def test_bodies_are_verbatim_and_ids_unique(shape: list[str], replies: list[str]) -> None:
    elements = make_elements(shape)
    by_id = {one.id: one for one in elements}
    result = run(elements, make_sections(elements, 9), PlanSettings(), FixedPlanner(replies))
    chunks = rebuild(SOURCE, elements, result.plans)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) == len(result.plans)
    for chunk, plan in zip(chunks, result.plans, strict=True):
        assert chunk.body == "\n\n".join(by_id[one].text for one in plan.element_ids)
        assert chunk.text.endswith(chunk.body)
        assert chunk.spans == tuple(span for one in plan.element_ids for span in by_id[one].spans)
        assert list(chunk.pages) == sorted({span.page for span in chunk.spans})
