"""Kinds, joins over pages, rows, boxes, IDs, sections and hostile pages."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from drac.config import StructureSettings
from drac.records import Element, ElementKind, Page, PageState, PageText, Region, Table
from drac.stages.structure import Structure, run
from drac.stages.tokens import estimate_tokens


def page(number: int, text: str, state: PageState = PageState.OK, *regions: Region) -> PageText:
    return PageText(Page("d", number), state, text, "fake", regions=regions)


def structure_of(*texts: str, **settings: int) -> Structure:
    return run([page(n, text) for n, text in enumerate(texts, start=1)], StructureSettings(**settings))


def elements_of(*texts: str) -> tuple[Element, ...]:
    return structure_of(*texts).elements


def test_kinds_levels_and_ids() -> None:
    found = elements_of("# A\n\nText.\n\n- a\n- b\n\n### B\n\n```\nx\n```\n\nMore.\n\n1. one")
    assert [(one.id, one.kind.value, one.level) for one in found] == [
        ("h1", "heading", 1),
        ("p1", "paragraph", 0),
        ("l1", "list", 0),
        ("h2", "heading", 3),
        ("c1", "code", 0),
        ("p2", "paragraph", 0),
        ("l2", "list", 0),
    ]


def test_rule_joins_the_block_before_it_else_the_one_after() -> None:
    assert [one.text for one in elements_of("Text.\n\n---\n\n# A\n\n---\n\n- a")] == [
        "Text.\n\n---",
        "# A",
        "---\n\n- a",
    ]


def test_page_of_a_rule_only_keeps_it() -> None:
    assert [(one.id, one.text) for one in elements_of("***")] == [("p1", "***")]


def test_indented_nested_list_is_a_list() -> None:
    found = elements_of("Steps\n\n    - a\n        - b\n    - c")
    assert [one.kind.value for one in found] == ["paragraph", "list"]


def test_equal_texts_have_different_keys_that_survive_new_neighbours() -> None:
    first, second = elements_of("Same.\n\nSame.")
    assert first.key != second.key
    assert [one.key for one in elements_of("# New\n\nSame.", "Same.")[1:]] == [first.key, second.key]


def rows_page(text: str, *sentences: str) -> PageText:
    spans = tuple((n, text.index(one), text.index(one) + len(one)) for n, one in enumerate(sentences))
    table = Table((0, 0, 9, 9), 3, 2, 1, (), sentences=spans)
    return PageText(Page("d", 1), PageState.OK, text, "fake", tables=(table,))


@pytest.mark.parametrize("between", ["\n\n", "\n", " "])
def test_each_row_sentence_is_one_row(between: str) -> None:
    sentences = ("Item: A, price: 1.", "Item: B, price: 2.", "Item: C, price: 3.")
    text = "Prices are:\n\n" + between.join(sentences) + "\n\nEnd."
    found = run([rows_page(text, *sentences)], StructureSettings()).elements
    assert [one.kind.value for one in found] == ["paragraph", "row", "row", "row", "paragraph"]
    assert [one.text for one in found[1:4]] == list(sentences)


def test_row_takes_the_list_marker_before_it() -> None:
    text = "- Item: A.\n- Item: B."
    found = run([rows_page(text, "Item: A.", "Item: B.")], StructureSettings()).elements
    assert [(one.kind.value, one.text) for one in found] == [("row", "- Item: A."), ("row", "- Item: B.")]


def test_row_regions_count_as_rows() -> None:
    text = "Item: A.\n\nItem: B."
    regions = (Region(0, 8, "row"), Region(10, 18, "row"))
    found = run([page(1, text, PageState.OK, *regions)], StructureSettings()).elements
    assert [one.kind for one in found] == [ElementKind.ROW, ElementKind.ROW]


def test_boxes_come_from_overlapping_regions() -> None:
    regions = (
        Region(0, 3, "heading", ((1, 1, 2, 2),)),
        Region(5, 10, "paragraph", ((3, 3, 4, 4), (5, 5, 6, 6))),
    )
    heading, text = run([page(1, "# A\n\nText.", PageState.OK, *regions)], StructureSettings()).elements
    assert heading.spans[0].boxes == ((1, 1, 2, 2),)
    assert text.spans[0].boxes == ((3, 3, 4, 4), (5, 5, 6, 6))


def test_paragraph_over_a_page_is_one_element() -> None:
    (found,) = elements_of("The bank opened its", "first branch in 1999.")
    assert found.text == "The bank opened its first branch in 1999."
    assert [(span.page, span.start, span.end) for span in found.spans] == [(1, 0, 19), (2, 0, 21)]


def test_paragraph_over_three_pages_and_a_blank_one() -> None:
    texts = [page(1, "one"), page(2, "two"), page(3, "", PageState.BLANK), page(4, "three.\n\nNext.")]
    found = run(texts, StructureSettings()).elements
    assert [one.text for one in found] == ["one two three.", "Next."]
    assert [span.page for span in found[0].spans] == [1, 2, 4]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ends here.", "lower case"),
        ("These are:", "lower case"),
        ("No stop", "Upper case"),
        ("# Heading", "lower case"),
        ("Text", "# heading"),
        ("Text\n\n---", "lower case"),
        ("Text", "- item"),
        ("```\ncode\n```", "lower case"),
        ("- a", "* b"),
        ("1. a", "1. b"),
        ("1. a", "2) b"),
    ],
)
def test_what_does_not_go_on_stays_apart(first: str, second: str) -> None:
    assert len(elements_of(first, second)) == 2


@pytest.mark.parametrize(
    ("first", "second"), [("- a\n- b", "- c"), ("1. a\n2. b", "3. c"), ("- a long", "item.")]
)
def test_list_over_a_page_is_one_element(first: str, second: str) -> None:
    (found,) = elements_of(first, second)
    assert (found.kind, found.text) == (ElementKind.LIST, f"{first} {second}")


def test_nothing_joins_over_a_failed_or_missing_page_or_with_a_footnote() -> None:
    skipped = [page(1, "one"), page(7, "two")]
    assert len(run(skipped, StructureSettings()).elements) == 2
    failed = [page(1, "one"), page(2, "", PageState.FAILED), page(3, "two")]
    footnote = [page(1, "one", PageState.OK, Region(0, 3, "footnote")), page(2, "two")]
    assert (
        len(run(failed, StructureSettings()).elements)
        == len(run(footnote, StructureSettings()).elements)
        == 2
    )


def test_oversize_list_is_split_before_items() -> None:
    text = "\n".join(f"- Item {n} with a handful of words in it" for n in range(60))
    found = elements_of(text)
    assert len(found) > 1
    assert all(one.kind is ElementKind.LIST and one.text.startswith("- Item") for one in found)
    assert "\n".join(one.text for one in found) == text


def test_oversize_paragraph_over_a_page_keeps_both_pages() -> None:
    first = "Some words stand here in a row. " * 30 + "The last one"
    found = elements_of(first, "goes over the page. " + "Then more words stand here. " * 30)
    over = [one for one in found if len(one.spans) == 2]
    assert len(over) == 1
    assert "The last one goes over the page." in over[0].text
    assert all(estimate_tokens(one.text) <= 256 for one in found)


def test_oversize_heading_is_a_paragraph() -> None:
    assert {one.kind for one in elements_of("# " + "word " * 400)} == {ElementKind.PARAGRAPH}


def test_no_piece_is_cut_inside_a_word() -> None:
    words = [f"word{n}" for n in range(400)]
    assert " ".join(one.text for one in elements_of(" ".join(words))).split() == words


def test_sections_start_at_the_coarsest_headings() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\n" + "Text.\n\n" * 4 for n in range(4))
    found = structure_of(text, section_elements=10)
    by_id = {one.id: one.text for one in found.elements}
    assert [[by_id[one] for one in section.element_ids if one[0] == "h"] for section in found.sections] == [
        ["# T", "## S0"],
        ["## S1", "## S2"],
        ["## S3"],
    ]
    assert [section.ancestors for section in found.sections] == [(), ("h1",), ("h1",)]


def test_sections_go_to_finer_headings_where_one_is_too_large() -> None:
    text = "# T\n\n## A\n\n" + "".join(f"### A{n}\n\nText.\n\n" for n in range(4)) + "## B\n\nText."
    found = structure_of(text, section_elements=5)
    assert [section.ancestors for section in found.sections] == [(), ("h1",), ("h1", "h2"), ("h1",)]
    assert all(section.element_ids[0][0] == "h" for section in found.sections)


def test_sections_without_headings_are_of_about_equal_size() -> None:
    found = structure_of("Text.\n\n" * 61)
    assert [len(section.element_ids) for section in found.sections] == [31, 30]


@pytest.mark.parametrize(
    "text",
    [
        "``` a\n" * 3000,
        ">" * 5000 + " x",
        "- " * 3000,
        "[" * 20000,
        "<!-- Page 1 -->" * 2000,
        "*_" * 20000,
        " " * 50000,
    ],
    ids=["fences", "quotes", "lists", "brackets", "markers", "emphasis", "spaces"],
)
def test_hostile_page_takes_no_time(text: str) -> None:
    started = time.perf_counter()
    elements_of(text)
    assert time.perf_counter() - started < 5


def test_estimates_are_never_far_below_a_word_count() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("one two") == 2
    assert estimate_tokens("数字") == 2
    assert all(a <= b for a, b in pairwise(estimate_tokens("a" * n) for n in range(1, 40)))
