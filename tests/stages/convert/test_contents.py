"""Tables of contents become lists of entries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, Word
from drac.stages.convert.write import Written, write_page

FACTS = DocumentFacts(pages=60, body_size=10.0, heading_styles=((18.0, True), (10.0, True)))


def line(text: str, x: float, y: float, *, size: float = 10.0, bold: bool = False) -> Line:
    words, place = [], x
    for word in text.split():
        words.append(Word(word, (place, y - 0.8 * size, place + size / 2 * len(word), y + 0.2 * size)))
        place += size / 2 * (len(word) + 1)
    box = (x, y - 0.8 * size, words[-1].box[2], y + 0.2 * size)
    return Line(tuple(words), box, size, bold=bold, bold_words=bold * len(words), raw=text)


def page(lines: list[Line], *boxes: LayoutBox) -> Written:
    numbered = tuple(replace(one, order=order) for order, one in enumerate(lines))
    return write_page(PageView(600, 800, numbered, boxes), FACTS)


@pytest.mark.parametrize("leader", [" ........ ", "........", " . . . . . . . ", " ······· "])
@pytest.mark.parametrize("kind", ["text", "section-header", "table", "list-item"])
def test_entries_with_leaders_are_a_list_whatever_their_box_is_called(leader: str, kind: str) -> None:
    lines = [
        line(f"Preface{leader}iii", 50, 200, bold=True),
        line(f"1 Fares{leader}1", 50, 215, bold=True),
        line("1.1 Fares for groups, schools and", 70, 230),
        line(f"clubs{leader}12", 70, 245),
        line(f"A Tables{leader}A-3", 50, 260, bold=True),
    ]
    written = page(lines, LayoutBox(kind, (50, 190, 500, 265)))
    assert written.markdown == (
        "- Preface … iii\n- 1 Fares … 1\n  - 1.1 Fares for groups, schools and clubs … 12\n- A Tables … A-3"
    )
    assert not written.tables


def test_a_table_below_the_title_contents_is_one_without_leaders() -> None:
    lines = [line("Contents", 50, 100, size=18, bold=True)]
    for place, (title, number) in enumerate([("Fares", "3"), ("Lost property", "12"), ("Pets", "12")]):
        lines += [line(title, 50, 200 + 15 * place), line(number, 300 - 5 * len(number), 200 + 15 * place)]
    written = page(lines, LayoutBox("table", (50, 190, 310, 235)))
    assert written.markdown == "# Contents\n\n- Fares … 3\n- Lost property … 12\n- Pets … 12"


@pytest.mark.parametrize("numbers", [("12", "3", "7"), ("3", "12", "70")])
def test_numbers_that_fall_or_pass_the_last_page_make_no_contents(numbers: tuple[str, ...]) -> None:
    lines = [line("Contents", 50, 100, size=18, bold=True)]
    for place, number in enumerate(("Weight", *numbers)):
        lines += [
            line(f"Box {place}", 50, 200 + 15 * place),
            line(number, 300 - 5 * len(number), 200 + 15 * place),
        ]
    assert page(lines, LayoutBox("table", (50, 190, 310, 260))).tables


def test_dots_that_end_in_words_are_text() -> None:
    lines = [line(f"{day} ........ closed", 50, 200 + 15 * place) for place, day in enumerate("abcd")]
    assert "…" not in page(lines, LayoutBox("text", (50, 190, 300, 260))).markdown
