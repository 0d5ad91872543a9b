"""What chunks lose, repeat and invent, and where they stand."""

from __future__ import annotations

import pytest
from fakes_documents import parsed

from drac.bench.coverage import Coverage, measure, total
from drac.bench.drafts import chunks_of
from drac.evaluate.specification import check_lines
from drac.pipeline.exporting import chunk_line
from drac.ports import Draft
from drac.records import Span

DOCUMENT = parsed("# Piers\n\nOne pier. Two cranes.", "Three ferries.")
TEXT = DOCUMENT.text


def span(part: str) -> tuple[int, int]:
    return TEXT.index(part), TEXT.index(part) + len(part)


def test_all_of_it_once_is_covered_and_nothing_is_repeated() -> None:
    made = measure(
        DOCUMENT, [Draft((span("# Piers\n\nOne pier. Two cranes."),)), Draft((span("Three ferries."),))]
    )
    assert (made.coverage, made.duplication, made.invention) == (1.0, 0.0, 0.0)
    assert made.characters == sum(not letter.isspace() for letter in TEXT)
    assert made.words == 7


def test_what_is_lost_and_what_stands_twice_are_counted_in_characters() -> None:
    made = measure(DOCUMENT, [Draft((span("One pier."),)), Draft((span("pier. Two cranes."),))])
    assert made.covered == len("Onepier.Twocranes.")
    assert made.copies == len("pier.")


def test_a_breadcrumb_is_not_invented_and_a_span_word_for_word_is_held() -> None:
    text = "Piers\n\nOne  pier.\nTwo cranes."
    made = measure(DOCUMENT, [Draft((span("One pier. Two cranes."),), text, ("Piers",))])
    assert made.covered == len("Onepier.Twocranes.")
    assert made.invented == 0


def test_of_a_rewritten_chunk_words_count_each_as_often_as_it_stands_there() -> None:
    made = measure(DOCUMENT, [Draft((span("One pier. Two cranes."),), "Two big cranes, two cranes")])
    assert made.covered == len("Twocranes.")
    assert (made.words, made.invented) == (5, 3)


def test_parents_count_for_nothing() -> None:
    made = measure(DOCUMENT, [Draft((span(TEXT),)), Draft((span("One pier."),), parent=0)])
    assert made.covered == len("Onepier.")
    assert made.copies == 0


def test_of_several_documents_the_sums_count() -> None:
    both = total([Coverage(10, 10, 0, 4, 1), Coverage(30, 0, 5, 0, 0)])
    assert (both.coverage, both.duplication, both.invention) == (0.25, 0.125, 0.25)
    assert total([]) == Coverage()


def test_f_a_chunk_that_crosses_pages_keeps_them_with_spans_of_each_page() -> None:
    (one,) = chunks_of("d", DOCUMENT, [Draft((span("Two cranes.\n\nThree"),))])
    assert one.pages == (1, 2)
    assert one.spans == (Span(1, 19, 30), Span(2, 0, 5))
    for place in one.spans:
        assert DOCUMENT.pages[place.page - 1].markdown[place.start : place.end] in ("Two cranes.", "Three")
    assert one.body == one.text == "Two cranes.\n\nThree"


def test_names_differ_for_the_same_text_and_parents_are_named() -> None:
    drafts = [Draft((span(TEXT),)), Draft((span("One pier."),), parent=0), Draft((), " \n"), Draft((), "new")]
    parent, child, invented = chunks_of("d", DOCUMENT, drafts)
    twice = chunks_of("d", DOCUMENT, [Draft((), "new"), Draft((), "new")])
    assert (parent.parent_id, child.parent_id) == (None, parent.chunk_id)
    assert invented.pages == ()
    assert twice[0].chunk_id == invented.chunk_id != twice[1].chunk_id


def test_chunks_keep_to_the_specification() -> None:
    chunks = chunks_of("d", DOCUMENT, [Draft((span(TEXT),)), Draft((span("One pier."),), parent=0)])
    assert check_lines(chunk_line(one).encode() for one in chunks).problems == ()


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_an_empty_document_is_wholly_covered(text: str) -> None:
    assert measure(parsed(text), []).coverage == 1.0
