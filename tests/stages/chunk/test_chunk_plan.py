"""Replies, the local planner's groups, breadcrumbs and rebuilt text."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from drac.config import PlanSettings, StructureSettings
from drac.records import Chunk, ChunkPlan, Element, Page, PageState, PageText, Source, Table
from drac.stages import structure
from drac.stages.chunk import LocalPlanner, PlanResult, check_reply, rebuild, run
from drac.stages.chunk.rebuild import plain_heading
from drac.stages.tokens import estimate_tokens

SOURCE = Source("bank", "a/b.pdf", "/root", "0123456789abcdef")
IDS = ("h1", "p1", "p2", "p3")


class Scripted:
    """Gives one reply to every section."""

    def __init__(self, reply: object) -> None:
        self.reply = reply if isinstance(reply, str) else json.dumps(reply)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"planner": "scripted"}

    def plan(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        return self.reply


def structured(*texts: str, tables: tuple[Table, ...] = ()) -> structure.Structure:
    pages = [
        PageText(Page("d", n), PageState.OK, text, "fake", tables=tables)
        for n, text in enumerate(texts, start=1)
    ]
    return structure.run(pages, StructureSettings())


def planned(text: str, reply: object) -> tuple[PlanResult, tuple[Chunk, ...]]:
    made = structured(text)
    result = run(made.elements, made.sections, PlanSettings(), Scripted(reply))
    return result, rebuild(SOURCE, made.elements, result.plans)


def local_chunks(
    *texts: str, settings: PlanSettings | None = None, tables: tuple[Table, ...] = ()
) -> list[Chunk]:
    made = structured(*texts, tables=tables)
    chosen = settings or PlanSettings()
    result = run(made.elements, made.sections, chosen, LocalPlanner(chosen))
    return list(rebuild(SOURCE, made.elements, result.plans))


@pytest.mark.parametrize(
    "text",
    [
        '[["h1","p1"],["p2"]]',
        'The plan is:\n[["h1", "p1"], ["p2"]]\nI hope it helps.',
        '```json\n[["h1","p1"],["p2"]]\n```',
        'As [1] says: [["h1","p1"],["p2"]] or [["p3"]]',
        '{"chunks": [["h1","p1"],["p2"]]}',
    ],
    ids=["bare", "prose", "fence", "two", "object"],
)
def test_f41_first_array_of_arrays_counts(text: str) -> None:
    assert check_reply(text, IDS, ["h1"]).groups == (("h1", "p1"), ("p2",))


@pytest.mark.parametrize(
    "text", ["", "I cannot do that.", "[]", '["h1","p1"]', '[["h1","p1"],["h1","p', "[" * 60_000]
)
def test_f43_reply_without_a_whole_array_is_unreadable(text: str) -> None:
    started = time.perf_counter()
    reply = check_reply(text, IDS)
    assert (reply.readable, reply.groups) == (False, ())
    assert time.perf_counter() - started < 2


def test_reply_check_drops_and_counts() -> None:
    reply = check_reply('[["h1","p1","P2"," p2",null,["p3"],7],["p1","h1","h1"],"p2",[]]', IDS, ["h1"])
    assert reply.groups == (("h1", "p1"), ("h1",))
    assert (reply.unknown, reply.duplicates, reply.malformed) == (2, 2, 4)


def test_what_a_planner_leaves_out_goes_to_fallback_under_its_headings() -> None:
    result, chunks = planned("# A\n\nOne.\n\n## B\n\nTwo.\n\nThree.", [["h1", "p1"]])
    assert [(plan.element_ids, plan.origin) for plan in result.plans] == [
        (("h1", "p1"), "planner"),
        (("h2", "p2", "p3"), "fallback"),
    ]
    assert result.counts.left_out == 2
    assert chunks[1].text == "A\n\n## B\n\nTwo.\n\nThree."
    assert chunks[1].breadcrumb == ("A", "B")


def test_unreadable_reply_falls_back_whole() -> None:
    result, _ = planned("# A\n\nOne.\n\nTwo.", "no json here")
    assert [(plan.element_ids, plan.origin) for plan in result.plans] == [(("h1", "p1", "p2"), "fallback")]
    assert (result.counts.unreadable, result.counts.left_out) == (1, 2)


def test_f44_no_heading_disappears_with_the_local_planner() -> None:
    chunks = local_chunks("## A\n\n## B\n\ntext\n\n## C")
    body = "\n".join(chunk.body for chunk in chunks)
    assert all(heading in body for heading in ("## A", "## B", "## C"))


@pytest.mark.parametrize("reply", [[["p1"]], [["h1"], ["h2", "p1"]], [["h2"]], []])
def test_f44_no_heading_disappears_with_a_careless_planner(reply: list[list[str]]) -> None:
    _, chunks = planned("## A\n\n## B\n\ntext\n\n## C", reply)
    shown = [chunk.body for chunk in chunks] + [name for chunk in chunks for name in chunk.breadcrumb]
    assert all(any(name in one for one in shown) for name in "ABC")


def test_content_from_two_sections_stands_under_both_headings() -> None:
    _, chunks = planned("# T\n\n## A\n\nOne.\n\n## B\n\nTwo.", [["p2", "p1"]])
    assert [(chunk.text, chunk.breadcrumb) for chunk in chunks] == [
        ("T\n\n## A\n\nOne.\n\n## B\n\nTwo.", ("T",))
    ]


def test_heading_of_another_section_is_not_put_above_a_text() -> None:
    _, chunks = planned("# T\n\n## A\n\nOne.\n\n## B\n\nTwo.", [["h1", "h2", "p1"], ["h2", "p2"]])
    assert chunks[1].text == "T\nB\n\nTwo."


def test_sections_that_only_hold_shown_headings_are_not_asked_about() -> None:
    made = structure.run(
        [PageText(Page("d", 1), PageState.OK, "# T\n\n" + "## A\n\nText.\n\n" * 3, "fake")],
        StructureSettings(section_elements=2),
    )
    result = run(made.elements, made.sections, PlanSettings(), Scripted([["p1"], ["p2"], ["p3"]]))
    assert len(made.sections) == 4
    assert result.counts.unreadable == result.counts.left_out == 0


@pytest.mark.parametrize(
    ("heading", "plain"),
    [
        ("## 1. Fees", "1. Fees"),
        ("### **Bold** and *it* ##", "Bold and it"),
        ("# `code_name_x` __x__ _y_", "code_name_x x y"),
        ("# 2\\. Dot and a * star", "2. Dot and a * star"),
        ("# See [the page](http://x.example)", "See the page"),
        ("#\tC# and F#", "C# and F#"),
        ("# ***both***", "both"),
    ],
)
def test_breadcrumb_has_no_marks(heading: str, plain: str) -> None:
    assert plain_heading(heading) == plain


def test_equal_chunks_of_one_document_have_different_ids() -> None:
    made = structured("Same.\n\nSame.")
    plans = [ChunkPlan("s1", (one.id,), "planner") for one in made.elements]
    first, second = rebuild(SOURCE, made.elements, plans)
    assert first.text == second.text
    assert first.chunk_id != second.chunk_id
    (other,) = rebuild(replace(SOURCE, doc_id="f" * 16), made.elements, plans[:1])
    assert other.chunk_id != first.chunk_id
    assert len(first.chunk_id) == 16


def test_chunk_over_a_page_names_both_pages() -> None:
    (chunk,) = local_chunks("# A\n\nThe bank opened its", "first branch.\n\nMore.")
    assert chunk.pages == (1, 2)
    assert chunk.body == "# A\n\nThe bank opened its first branch.\n\nMore."


WORDS = "Plain words stand here to fill the line with some text. "


def test_a_document_that_fits_is_one_chunk() -> None:
    assert len(local_chunks("# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.")) == 1


def test_large_sections_are_not_mixed() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\n" + f"{WORDS * 4}\n\n" * 3 for n in range(4))
    chunks = local_chunks(text)
    assert [chunk.breadcrumb[:2] for chunk in chunks] == [("T", f"S{n}") for n in range(4)]


def test_small_neighbours_under_one_parent_are_joined() -> None:
    subsections = "".join(f"### S{n}\n\n{WORDS * 2}\n\n" for n in range(8))
    chunks = local_chunks(f"# T\n\n## P0\n\n{subsections}## P1\n\n{subsections}")
    assert all(sum(one[0] == "p" for one in chunk.element_ids) > 1 for chunk in chunks)
    assert {chunk.breadcrumb for chunk in chunks} == {("T", "P0"), ("T", "P1")}


def test_groups_respect_max_blocks_and_target() -> None:
    settings = PlanSettings(max_blocks=5, target_tokens=100)
    chunks = local_chunks("# T\n\n" + f"{WORDS}\n\n" * 40, settings=settings)
    assert all(len(chunk.element_ids) <= 5 for chunk in chunks)
    assert min(len(chunk.element_ids) for chunk in chunks) >= 3


def test_local_groups_are_as_large_as_the_target_whatever_a_model_is_asked_for() -> None:
    chunks = local_chunks("# T\n\n" + f"{WORDS}\n\n" * 40)
    sizes = [estimate_tokens(chunk.text) for chunk in chunks]
    assert max(sizes) <= PlanSettings().target_tokens
    assert min(sizes) > PlanSettings().target_tokens / 2
    assert max(len(chunk.element_ids) for chunk in chunks) > 8


@pytest.mark.parametrize(
    ("given", "asked"),
    [({}, (3, 8)), ({"max_blocks": 2}, (2, 2)), ({"min_blocks": 9}, (9, 9)), ({"min_blocks": 1}, (1, 8))],
)
def test_a_model_is_asked_for_the_papers_blocks_unless_told_otherwise(
    given: dict[str, int], asked: tuple[int, int]
) -> None:
    assert PlanSettings(**given).model_blocks == asked


def test_introduction_stays_with_its_list() -> None:
    text = (
        "# T\n\n"
        + f"{WORDS * 5}\n\n" * 3
        + "The fees are:\n\n- "
        + f"{WORDS * 9}\n\n"
        + f"{WORDS * 5}\n\n" * 3
    )
    (holder,) = [chunk for chunk in local_chunks(text) if "The fees are:" in chunk.body]
    assert "The fees are:\n\n- Plain" in holder.body


def test_table_that_fits_stays_whole_with_its_caption() -> None:
    rows = [f"Account {n} has a fee of {n} dollars a month and no limit." for n in range(5)]
    text = "# T\n\n" + f"{WORDS * 6}\n\n" * 2 + "Table 1. Fees\n\n" + "\n\n".join(rows) + f"\n\n{WORDS * 6}"
    spans = tuple((n, text.index(row), text.index(row) + len(row)) for n, row in enumerate(rows))
    chunks = local_chunks(text, tables=(Table((0, 0, 1, 1), 6, 3, 1, (), sentences=spans),))
    (holder,) = [chunk for chunk in chunks if rows[0] in chunk.body]
    assert "\n\n".join(["Table 1. Fees", *rows]) in holder.body


def test_planner_fingerprint_is_stable() -> None:
    assert LocalPlanner(PlanSettings()).fingerprint == LocalPlanner(PlanSettings(max_blocks=9)).fingerprint


def test_a_page_break_ends_a_group_unless_a_block_runs_over_it() -> None:
    apart = local_chunks("# Rules\n\nNo smoking aboard.", "No dogs aboard.\n\nNo bicycles aboard.")
    assert [one.pages for one in apart] == [(1,), (2,)]
    assert apart[1].text == "Rules\n\nNo dogs aboard.\n\nNo bicycles aboard."
    over = local_chunks("# Rules\n\nNo smoking aboard, and", "no dogs aboard.\n\nNo bicycles aboard.")
    assert [one.pages for one in over] == [(1, 2)]


def test_a_heading_at_the_foot_of_a_page_goes_with_what_it_stands_above() -> None:
    chunks = local_chunks("# Rules\n\nNo smoking aboard.\n\n## Dogs", "They travel free.")
    assert [one.body for one in chunks] == ["# Rules\n\nNo smoking aboard.", "## Dogs\n\nThey travel free."]
