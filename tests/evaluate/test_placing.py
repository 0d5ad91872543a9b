"""Chunks to documents and pages: by name, by the file they came in, by text."""

from __future__ import annotations

import pytest

from drac.errors import UsageError
from drac.evaluate.chunk_sets import SetChunk
from drac.evaluate.placing import CorpusDocument, place

FIRST = "the ferry leaves the pier at seven in the morning on every working day"
SECOND = "tickets are sold on board and children under five travel without any charge"
THIRD = "the office at the pier is closed on public holidays and on the first monday"
DOCUMENTS = [
    CorpusDocument("line", "in/guide.pdf", (FIRST, SECOND, THIRD)),
    CorpusDocument("bank", "guide.pdf", ("accounts are opened within three working days of the request",)),
    CorpusDocument("bank", "loans.pdf", ("loans are paid back in monthly rates over ten years",)),
]


def chunk(text: str, source: str = "", group: str = "f", collection: str = "", **more: object) -> SetChunk:
    return SetChunk("", collection, source, tuple(more.get("pages", ())), text, group)  # type: ignore[call-overload]


def test_pages_are_found_by_text() -> None:
    placed, count = place([chunk(SECOND, "in/guide.pdf", collection="line")], DOCUMENTS)
    assert (placed[0].pages, placed[0].chunk_id) == ((2,), "line/in/guide.pdf#1")
    assert (count.placed, count.by_text, count.aligned) == (1, 0, 1)


def test_a_chunk_over_a_page_end_has_both_pages() -> None:
    placed, _ = place([chunk(f"Heading\n{SECOND} {THIRD}", "in/guide.pdf", collection="line")], DOCUMENTS)
    assert placed[0].pages == (2, 3)


def test_a_file_s_documents_belong_to_the_collection_that_has_most_of_them() -> None:
    chunks = [chunk("accounts are opened", "guide.md"), chunk("loans are paid", "loans.md")]
    placed, _ = place(chunks, DOCUMENTS)
    assert [(one.collection, one.source) for one in placed] == [("bank", "guide.pdf"), ("bank", "loans.pdf")]


def test_in_a_file_of_several_collections_the_text_tells_documents_of_one_name_apart() -> None:
    mixed = [*DOCUMENTS, CorpusDocument("line", "boats.pdf", ("boats are painted blue every spring",))]
    chunks = [
        chunk("accounts are opened within three days", "guide.md"), chunk(SECOND, "guide.md"),
        chunk("loans", "loans.md"), chunk("boats", "boats.md"),
    ]  # fmt: skip
    placed, count = place(chunks, mixed)
    assert [one.collection for one in placed] == ["bank", "line", "bank", "line"]
    assert count.by_text == 2


def test_the_same_suffix_goes_before_the_same_stem() -> None:
    both = [CorpusDocument("x", "a.docx", ()), CorpusDocument("x", "a.pdf", ("red fox",))]
    placed, _ = place([chunk("anything", "/data/a.pdf")], both)
    assert (placed[0].source, placed[0].pages) == ("a.pdf", ())


def test_a_collection_that_the_corpus_lacks_says_nothing() -> None:
    placed, count = place([chunk(SECOND, "guides/in/guide.pdf", collection="mine", pages=(2,))], DOCUMENTS)
    assert (placed[0].collection, placed[0].source, placed[0].pages) == ("line", "in/guide.pdf", (2,))
    assert (count.placed, count.with_pages) == (1, 1)


def test_pages_of_another_file_are_not_taken_over() -> None:
    placed, count = place([chunk(THIRD, "guide.docx", collection="line", pages=(1,))], DOCUMENTS)
    assert (placed[0].source, placed[0].pages) == ("in/guide.pdf", (3,))
    assert (count.with_pages, count.aligned) == (0, 1)


def test_without_a_name_the_text_decides() -> None:
    placed, count = place([chunk(THIRD), chunk("nothing of this stands anywhere in them")], DOCUMENTS)
    assert (placed[0].source, placed[0].pages) == ("in/guide.pdf", (3,))
    assert (placed[1].collection, placed[1].source) == ("", "")
    assert (count.placed, count.by_text, count.unplaced) == (1, 1, ("",))


def test_pages_that_came_with_a_chunk_stay() -> None:
    placed, count = place([chunk(FIRST, "in/guide.pdf", collection="line", pages=(3,))], DOCUMENTS)
    assert placed[0].pages == (3,)
    assert (count.with_pages, count.aligned) == (1, 0)


def test_text_that_the_document_lacks_gets_no_page() -> None:
    rewritten = "a summary in wholly other words than those of the leaflet"
    placed, count = place([chunk(rewritten, "loans.pdf")], DOCUMENTS)
    assert (placed[0].source, placed[0].pages, count.aligned) == ("loans.pdf", (), 0)


def test_names_given_twice_are_replaced() -> None:
    twice = [SetChunk("x", "bank", "loans.pdf", (1,), text) for text in ("a", "b")]
    placed, _ = place(twice, DOCUMENTS)
    assert [one.chunk_id for one in placed] == ["bank/loans.pdf#1", "bank/loans.pdf#2"]


def test_a_name_that_is_made_is_nobody_s_own() -> None:
    own = SetChunk("bank/loans.pdf#2", "bank", "loans.pdf", (1,), "a")
    placed, _ = place([own, chunk("b", "loans.pdf"), chunk("c", "loans.pdf")], DOCUMENTS)
    assert [one.chunk_id for one in placed] == ["bank/loans.pdf#2", "bank/loans.pdf#3", "bank/loans.pdf#4"]


def family(*members: tuple[str, str], source: str = "loans.pdf") -> list[SetChunk]:
    return [SetChunk(name, "bank", source, (1,), name, parent_id=parent) for name, parent in members]


def test_a_parent_whose_name_stands_twice_is_the_one_of_the_same_document() -> None:
    members = (("whole", ""), ("part", "whole"))
    placed, _ = place([*family(*members), *family(*members, source="guide.pdf")], DOCUMENTS)
    assert [one.parent_id for one in placed] == ["", "bank/loans.pdf#1", "", "bank/guide.pdf#1"]


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([("a", "a")], "chunk 'a' is its own parent"),
        ([("c", "b"), ("b", "a"), ("a", "b")], "chunk 'b' is its own parent"),
        ([("a", ""), ("a", ""), ("b", "a")], "chunk 'a' is the name of 2 chunks"),
    ],
)
def test_parents_that_lead_nowhere_are_named(members: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        place(family(*members), DOCUMENTS)


def test_pages_past_the_document_s_last_give_way_to_the_text() -> None:
    given = [chunk(THIRD, "in/guide.pdf", collection="line", pages=pages) for pages in ((3, 4), (2,))]
    placed, count = place(given, DOCUMENTS)
    assert [one.pages for one in placed] == [(3,), (2,)]
    assert (count.with_pages, count.aligned, count.beyond) == (1, 1, 1)


def test_pages_of_a_document_that_nobody_read_stay() -> None:
    placed, count = place([chunk("x", "a.docx", pages=(9,))], [CorpusDocument("x", "a.docx", ())])
    assert (placed[0].pages, count.beyond) == ((9,), 0)


def test_an_accent_is_the_same_as_one_character_and_as_two() -> None:
    documents = [CorpusDocument("x", "R\u00e9gion/Caf\u00e9.pdf", (FIRST,)), CorpusDocument("x", "b.pdf", ())]
    placed, count = place([chunk("anything", "Re\u0301gion/Cafe\u0301.pdf")], documents)
    assert (placed[0].source, count.placed) == ("R\u00e9gion/Caf\u00e9.pdf", 1)


def test_sentences_of_a_table_s_rows_are_found_by_their_words() -> None:
    tables = [CorpusDocument("x", "a.pdf", ("Name Age City Ann 41 Oslo", "Name Age City Bob 52 Rome"))]
    placed, _ = place([chunk("Name: Bob; Age: 52; City: Rome.", "a.docx", pages=(7,))], tables)
    assert placed[0].pages == (2,)


def test_the_path_names_the_collection() -> None:
    placed, count = place([chunk("anything", "/data/Bank/pdf/guide.pdf")], DOCUMENTS)
    assert (placed[0].collection, count.by_text) == ("bank", 0)
