"""Cleaning of accepted Markdown, and its row sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drac.stages.convert.reply_clean import clean, part_rows, row_regions


def test_line_ends_and_the_blank_token() -> None:
    assert clean("# A\r\nb \r\n\r\n\r\n\r\nc\rd\n") == "# A\nb\n\nc\nd"
    assert clean("\ufeff[blank page]\n") == ""


def test_code_stays_as_it_is() -> None:
    code = "```\na  \n\n\n\nb: 1.\nb: 2.\n```"
    assert clean(code) == code


def test_row_sentences_become_paragraphs() -> None:
    rows = "Visa: Student; Age: 16.\nVisa: Worker; Age: 20.\nVisa: Guest; Age: 3."
    text = f"Fees of 2026:\n{rows}\nAll without tax."
    assert clean(text).split("\n\n") == [
        "Fees of 2026:",
        "Visa: Student; Age: 16.",
        "Visa: Worker; Age: 20.",
        "Visa: Guest; Age: 3.",
        "All without tax.",
    ]


def test_sentences_of_one_pattern_without_headers() -> None:
    first = "The Petrol variant Base costs 9.0 lakh."
    second = "The Diesel variant Base costs 10.5 lakh."
    assert part_rows(f"{first}\n{second}") == f"{first}\n\n{second}"


def test_prose_lists_and_verse_stay_together() -> None:
    for text in (
        "A line that is wrapped and\nends here. Then another\none goes on.",
        "It rained.\nNobody had expected so much of it at sea.",
        "- Visa: A; Age: 1.\n- Visa: B; Age: 2.",
        "1. Visa: A.\n2. Visa: B.",
        "> Visa: A.\n> Visa: B.",
    ):
        assert part_rows(text) == text


def test_regions_of_rows() -> None:
    text = "# T\n\nNote: once.\n\nIntro.\n\nA: 1; B: 2.\n\nA: 3; B: 4.\n\nProse."
    assert [text[one.start : one.end] for one in row_regions(text)] == ["A: 1; B: 2.", "A: 3; B: 4."]
    assert row_regions("```\n\nA: 1.\n\nA: 2.\n\n```") == ()


@given(
    st.lists(
        st.sampled_from(["A: 1; B: 2.", "A: 3; B: 4.", "Text", "", "# H", "- i", "```", "x. "]), max_size=12
    )
)
def test_cleaning_loses_no_word_and_is_done_after_once(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert clean(text).split() == text.split()
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet="aA:;. \n#-`", max_size=80))
def test_regions_lie_in_the_text_in_order(text: str) -> None:
    last = 0
    for region in row_regions(text):
        assert last <= region.start < region.end <= len(text)
        last = region.end
