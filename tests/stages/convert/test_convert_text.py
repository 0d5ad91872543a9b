"""Running text, and text that must not turn into Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from drac.stages.convert.page import Line, Word
from drac.stages.convert.text import escape, escape_heading, flow, join_lines

READER = MarkdownIt("commonmark").enable("table")


def shown(markdown: str) -> tuple[list[str], str]:
    """Block types and the text that a Markdown reader sees."""
    tokens = READER.parse(markdown)
    kinds = [token.type for token in tokens if token.type.endswith("_open")]
    inline = [child.content for token in tokens if token.type == "inline" for child in token.children or ()]
    return kinds, "".join(inline)


ACCIDENTS = [
    "---",
    "-",
    "- 5",
    "+ tax",
    "* note",
    "***",
    "===",
    "# 12",
    "#",
    "> 90 %",
    "1986. A year",
    "3) third",
    "```",
    "~~~ wave",
    "<div>",
    "<!-- Page 3 -->",
    "[1]: see below",
    "| a | b |",
    "_ _ _",
    "__",
]


@pytest.mark.parametrize("text", ACCIDENTS)
def test_f39_a_line_stays_a_paragraph_with_all_its_text(text: str) -> None:
    kinds, seen = shown(escape(text))
    assert kinds == ["paragraph_open"]
    assert seen == text


@pytest.mark.parametrize("text", ACCIDENTS)
def test_f39_a_line_leaves_the_paragraph_above_alone(text: str) -> None:
    kinds, _ = shown(f"Total 5\n\n{escape(text)}\n\nmore")
    assert kinds == ["paragraph_open"] * 3


@pytest.mark.parametrize(
    "text", ["plain", "a - b", "5.5 kg", "*emphasis* stays", "#tag", "1986 was a year", "-5 degrees", "₹500"]
)
def test_f39_prose_is_not_touched(text: str) -> None:
    assert escape(text) == text


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=1, max_size=20))
def test_f39_no_line_becomes_another_block(text: str) -> None:
    kinds, _ = shown(escape(text))
    assert kinds == ["paragraph_open"]


def test_hashes_at_the_end_of_a_heading_stay() -> None:
    assert shown(f"## {escape_heading('From C to C #')}")[1] == "From C to C #"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["conver-", "sion"], "conversion"),
        (["VL-", "001"], "VL-001"),
        (["Mon-", "Sun"], "Mon-Sun"),
        (["10 AM -", "8 PM"], "10 AM - 8 PM"),
        (["a walk-", "in"], "a walk-in"),
        (["state-of-", "the-art"], "state-of-the-art"),
        (["soft\u00ad", "ened"], "softened"),
        (["漢字", "仮名"], "漢字仮名"),
        (["one", "", "two"], "one two"),
    ],
)
def test_line_ends(lines: list[str], text: str) -> None:
    assert join_lines(lines) == text


def test_a_compound_that_stands_elsewhere_keeps_its_hyphen() -> None:
    assert join_lines(["consumer-", "friendly"], {"consumer-friendly"}) == "consumer-friendly"
    assert join_lines(["consumer-", "friendly"], {"consumer", "friendly"}) == "consumer-friendly"
    assert join_lines(["consumer-", "friendly"], {"consumerfriendly"}) == "consumerfriendly"


def test_a_word_that_stands_whole_elsewhere_is_joined_before_a_capital_too() -> None:
    assert join_lines(["Sky-", "Points24 rule"], {"skypoints"}) == "SkyPoints24 rule"
    assert join_lines(["Sky-", "Points24 rule"]) == "Sky-Points24 rule"


def test_a_word_cut_twice_is_made_whole() -> None:
    assert join_lines(["Tech-", "ni-", "cian"]) == "Technician"


def test_one_letter_before_a_hyphen_is_no_cut() -> None:
    assert join_lines(["E-", "cigarettes"]) == "E-cigarettes"


def test_a_hyphen_after_which_the_word_had_fitted_is_its_own() -> None:
    above, below = made("Paper-", 100), made("based", 112)
    assert flow([above, below]) == "Paperbased"
    assert flow([above, below], room=80) == "Paper-based"
    assert flow([above, below], room=40) == "Paperbased"


def made(text: str, y: float) -> Line:
    box = (50.0, y - 8, 50.0 + 5 * len(text), y + 2)
    return Line((Word(text, box),), box, 10.0, raw=text)


def test_pieces_of_a_script_from_right_to_left_are_read_from_the_right() -> None:
    left, right = (
        replace(made("עולם", 100), box=(50, 92, 90, 102)),
        replace(made("שלום", 100), box=(95, 92, 130, 102)),
    )
    assert flow([left, right]) == "שלום עולם"
    latin = replace(made("Hello", 100), box=(20, 92, 45, 102))
    assert flow([latin, left, right]).startswith("שלום")
    assert (
        flow(
            [
                replace(made("one", 100), box=(50, 92, 65, 102)),
                replace(made("two", 100), box=(70, 92, 85, 102)),
            ]
        )
        == "one two"
    )


def test_a_printed_space_parts_pieces_that_touch() -> None:
    one, two = made("Price", 100), replace(made("list", 100), box=(75.0, 92.0, 95.0, 102.0))
    assert flow([one, two]) == "Pricelist"
    assert flow([replace(one, raw="Price "), two]) == "Price list"
