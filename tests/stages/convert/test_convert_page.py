"""A page's lines and layout boxes to Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drac.records import Box
from drac.stages.convert.blocks import is_page_number
from drac.stages.convert.headings import bookmark_levels, class_levels, heading_level, heading_styles
from drac.stages.convert.order import reading_order
from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, Word, squeeze, title_key
from drac.stages.convert.write import Written, write_page

FACTS = DocumentFacts(
    pages=5, body_size=10.0, heading_styles=((18.0, True), (14.0, True), (10.0, True)),
)  # fmt: skip


def line(text: str, x: float, y: float, *, size: float = 10.0, bold: bool = False, order: int = 0) -> Line:
    words, place = [], x
    for word in text.split():
        words.append(Word(word, (place, y - 0.8 * size, place + size / 2 * len(word), y + 0.2 * size)))
        place += size / 2 * (len(word) + 1)
    box = (x, y - 0.8 * size, words[-1].box[2], y + 0.2 * size)
    return Line(tuple(words), box, size, bold=bold, order=order, run=order, raw=text)


def page(
    lines: list[Line], boxes: list[LayoutBox] | None = None, facts: DocumentFacts = FACTS, number: int = 0
) -> Written:
    numbered = tuple(replace(one, order=order, run=order) for order, one in enumerate(lines))
    return write_page(PageView(600, 800, numbered, tuple(boxes or ()), number=number), facts)


def around(kind: str, *lines: Line) -> LayoutBox:
    x0, y0, x1, y1 = zip(*(one.box for one in lines), strict=True)
    return LayoutBox(kind, (min(x0), min(y0), max(x1), max(y1)))


def test_headings_get_the_level_of_their_style() -> None:
    lines = [
        line("Report", 50, 200, size=18, bold=True),
        line("Results", 50, 230, size=14, bold=True),
        line("They are good.", 50, 260),
    ]
    written = page(lines, [around("title", lines[0]), around("section-header", lines[1])])
    assert written.markdown == "# Report\n\n## Results\n\nThey are good."
    assert [region.kind for region in written.regions] == ["heading", "heading", "paragraph"]


def test_bookmarks_decide_levels_before_styles() -> None:
    facts = replace(FACTS, bookmarks={(0, title_key("Annex")): 3})
    big = line("Annex", 50, 200, size=18, bold=True)
    assert page([big, line("Text.", 50, 260)], facts=facts).markdown == "### Annex\n\nText."


def test_numbers_deepen_levels() -> None:
    big = [line("x", 0, 100, size=18, bold=True)]
    assert heading_level(big, "2.1.4 Depth", FACTS) == 3
    assert heading_level(big, "2 Depth", FACTS) == 1


def test_a_heading_that_bookmarks_leave_out_stands_below_those_set_like_it() -> None:
    facts = replace(FACTS, title_levels={(18.0, True): 1, (14.0, True): 3})
    assert heading_level([line("x", 0, 100, size=14, bold=True)], "x", facts) == 4
    assert heading_level([line("x", 0, 100, size=16, bold=True)], "x", facts) == 2


def test_heading_styles_leave_out_the_body_and_join_near_sizes() -> None:
    from collections import Counter

    styles = Counter({(18.0, True): 1, (17.5, True): 2, (10.0, False): 50, (10.0, True): 4, (9.0, True): 9})
    assert heading_styles(styles, (10.0, False)) == ((18.0, True), (10.0, True))


def test_styles_of_the_covers_count_as_one() -> None:
    from collections import Counter

    sizes = (70.0, 33.0, 28.0, 24.0, 16.0)
    styles = Counter({(size, True): 2 for size in sizes})
    covers = {(size, True) for size in sizes[:3]}
    found = heading_styles(styles, (10.0, False), covers)
    assert found == ((28.0, True), (24.0, True), (16.0, True))
    levels = [
        heading_level([line("x", 0, 100, size=size, bold=True)], "x", replace(FACTS, heading_styles=found))
        for size in sizes
    ]
    assert levels == [1, 1, 1, 2, 3]


def test_sizes_of_latex_sections_tell_levels_that_a_document_leaves_out() -> None:
    assert class_levels([(12.0, True)], (10.0, False)) == {(14.5, True): 1, (12.0, True): 2, (10.0, True): 3}
    assert not class_levels([(17.5, False), (14.5, True)], (10.0, False))
    assert not class_levels([(14.0, True)], (10.0, False))


def test_bookmarks_of_latex_have_the_levels_of_their_styles() -> None:
    levels = class_levels([(14.5, True), (10.0, True)], (10.0, False))
    told = {(1, "catalog"): 1, (1, "chemistry"): 2, (1, "terms"): 3, (2, "annex"): 1}
    styles = {(1, "catalog"): (14.5, True), (1, "chemistry"): (10.0, True), (1, "terms"): (10.0, True)}
    assert list(bookmark_levels(told, styles, levels).values()) == [1, 3, 4, 1]
    assert bookmark_levels(told, styles, {}) == told


def test_nested_lists_keep_numbers_and_depth() -> None:
    lines = [
        line("1. First", 50, 200),
        line("• inner", 70, 215),
        line("• second", 70, 230),
        line("goes on", 78, 245),
        line("2. Second", 50, 260),
    ]
    written = page(lines, [around("list-item", *lines)])
    assert written.markdown == "1. First\n   - inner\n   - second goes on\n2. Second"
    assert [region.kind for region in written.regions] == ["list"]


def test_a_bullet_with_a_layout_box_of_its_own_belongs_to_the_text_beside_it() -> None:
    texts = [line("Roses are red", 64, 200), line("Violets are blue", 64, 214)]
    bullets = [line("•", 54, 200), line("•", 54, 214)]
    boxes = [around("list-item", texts[0]), around("list-item", texts[1], bullets[1])]
    written = page([*texts, *bullets], [*boxes, around("list-item", bullets[0])])
    assert written.markdown == "- Roses are red\n- Violets are blue"


def test_f39_a_year_is_no_list_and_a_dash_no_line() -> None:
    written = page([line("Total 5", 50, 200), line("---", 50, 300), line("1986. A year", 50, 400)])
    assert written.markdown == "Total 5\n\n\\---\n\n1986\\. A year"


def test_numbered_paragraphs_in_a_row_are_a_list() -> None:
    lines = [line(f"{number}. item", 50, 200 + 40 * number) for number in (1, 2, 3)]
    assert page(lines).markdown == "1. item\n2. item\n3. item"


def test_a_table_becomes_one_paragraph_a_row_with_its_grid_beside() -> None:
    lines = [
        line("Fuel", 50, 200), line("Trim", 150, 200), line("Price", 250, 200),
        line("Petrol", 50, 215), line("Base", 150, 215), line("9.0", 250, 215),
        line("Diesel", 50, 230), line("Top", 150, 230), line("12.5", 250, 230),
    ]  # fmt: skip
    written = page(lines, [around("table", *lines)])
    assert written.markdown.split("\n\n") == [
        "Fuel: Petrol; Trim: Base; Price: 9.0.",
        "Fuel: Diesel; Trim: Top; Price: 12.5.",
    ]
    (table,) = written.tables
    assert (table.rows, table.columns, table.header_rows) == (3, 3, 1)
    cut = {row: written.markdown[start:end] for row, start, end in table.sentences}
    assert cut[2] == "Fuel: Diesel; Trim: Top; Price: 12.5."
    assert [region.kind for region in written.regions] == ["row", "row"]


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [line("left text here and more", 50, 200 + 40 * place) for place in range(3)]
    right = [line("right text here and more", 320, 200 + 40 * place) for place in range(3)]
    mixed = [one for pair in zip(left, right, strict=True) for one in pair]
    texts = page(mixed).markdown.split("\n\n")
    assert [text.split()[0] for text in texts] == ["left"] * 3 + ["right"] * 3


def test_a_title_over_two_columns_comes_first() -> None:
    boxes: dict[str, Box] = {
        "title": (50, 50, 550, 70),
        "left 1": (50, 80, 290, 200), "left 2": (50, 210, 290, 400),
        "right 1": (310, 80, 550, 200), "right 2": (310, 210, 550, 400),
        "foot": (50, 420, 550, 440),
    }  # fmt: skip
    assert reading_order(sorted(boxes), boxes.__getitem__) == [
        "title", "left 1", "left 2", "right 1", "right 2", "foot",
    ]  # fmt: skip


def test_a_short_title_in_the_middle_comes_before_the_text_below_it_on_the_left() -> None:
    title, body = line("One", 320, 80, size=18, bold=True), line("body text", 40, 160)
    boxes = [around("section-header", title), around("text", body)]
    assert page([body, title], boxes).markdown == "# One\n\nbody text"


def test_repeated_lines_and_page_numbers_are_furniture() -> None:
    facts = replace(FACTS, furniture=frozenset({("top", squeeze("Acme Report 2023"))}))
    written = page(
        [line("Acme Report 2024", 50, 40), line("Text.", 50, 400), line("Page 3 of 5", 280, 780)], facts=facts
    )
    assert written.markdown == "Text."
    assert written.furniture == ["Acme Report 2024", "Page 3 of 5"]


def test_a_header_that_occurs_once_is_kept() -> None:
    once = line("Letter to all staff", 50, 40)
    written = page([once, line("Text.", 50, 400)], [around("page-header", once)])
    assert written.markdown == "Letter to all staff\n\nText."


def test_a_letter_or_number_beside_others_is_no_page_number() -> None:
    cells = [line("a", 50, 40), line("b", 150, 40), line("c", 250, 40), line("1 2 3", 50, 400)]
    for said in ("page-header", "text"):
        written = page(cells, [around(said, cells[2])], replace(FACTS, pages=1))
        assert written.furniture == []
        assert sorted(written.markdown.split()) == sorted("abc123")
    assert page([line("c", 50, 40), line("text", 50, 400)], facts=replace(FACTS, pages=1)).furniture == []
    big = [line("7", 50, 60, size=30), line("text", 50, 400)]
    assert page(big).furniture == []


def test_a_title_that_repeats_later_is_kept_where_it_stands_first() -> None:
    key = ("top", squeeze("Annual report"))
    facts = replace(FACTS, furniture=frozenset({key}), first_pages={key: 2})
    lines = (line("Annual report", 50, 60, size=18, bold=True), line("Text.", 50, 400))
    views = [PageView(600, 800, lines, number=number) for number in (2, 3)]
    first, later = (write_page(view, facts) for view in views)
    assert (first.markdown, first.furniture) == ("# Annual report\n\nText.", [])
    assert (later.markdown, later.furniture) == ("Text.", ["Annual report"])


def test_text_on_its_side_in_a_table_is_kept() -> None:
    lines = [
        line("one", 50, 240), line("10", 150, 240), line("15", 250, 240),
        line("two", 50, 255), line("20", 150, 255), line("25", 250, 255),
    ]  # fmt: skip
    side = replace(line("Sales", 150, 200), upright=False, box=(150.0, 190.0, 160.0, 220.0))
    written = page([side, *lines], [around("table", side, *lines)])
    assert written.markdown.split("\n\n") == ["Sales", "one; 10; 15.", "two; 20; 25."]


def test_lines_that_open_with_a_dash_are_items_beside_each_other() -> None:
    first, second = line("- bullet one", 50, 200), line("- bullet two", 50, 214)
    boxes = [around("text", first), around("list-item", second)]
    assert page([first, second], boxes).markdown == "- bullet one\n- bullet two"
    assert page([first, second], [around("text", first, second)]).markdown == "- bullet one\n- bullet two"
    assert page([line("- 5", 50, 200), line("Text.", 50, 300)]).markdown == "\\- 5\n\nText."


def test_a_page_of_nothing_but_a_repeated_line_keeps_it() -> None:
    facts = replace(FACTS, furniture=frozenset({("top", "chapter#")}))
    assert page([line("Chapter 4", 50, 40)], facts=facts).markdown == "Chapter 4"


def test_lines_that_no_box_claims_are_not_lost() -> None:
    inside, outside = line("claimed", 50, 200), line("orphan", 50, 500)
    assert page([inside, outside], [around("text", inside)]).markdown == "claimed\n\norphan"


def test_text_inside_a_picture_is_kept() -> None:
    label = line("Axis label", 100, 300)
    assert page([label], [LayoutBox("picture", (50, 100, 500, 500))]).markdown == "Axis label"


def test_footnotes_come_after_the_text() -> None:
    note, text = line("1 See below.", 50, 300), line("Text goes on.", 50, 400)
    assert page([note, text], [around("footnote", note)]).markdown == "Text goes on.\n\n1 See below."


def test_code_is_kept_as_it_stands() -> None:
    lines = [
        replace(line("if x:", 50, 200), mono=True),
        replace(line("return `y`", 70, 212), mono=True),
    ]
    box = around("text", *lines)
    assert page(lines, [box]).markdown == "```\nif x:\n    return `y`\n```"


@pytest.mark.parametrize("text", ["3", "- 3 -", "Page 3", "Page 3 of 9", "iv", "3/9", "| 12"])
def test_page_numbers(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["3.14159", "Total 3", "2024-01-01", "vision", "3 apples", "civil"])
def test_what_is_no_page_number(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize("bullet", ["◦", "•", "2."])
def test_a_marker_alone_opens_the_line_beside_it_where_no_box_holds_either(bullet: str) -> None:
    lines = [
        line("1. One", 50, 200), line("nested one", 80, 215), line("Something else entirely.", 50, 500),
        line(bullet, 65, 215),
    ]  # fmt: skip
    written = page(lines, [around("list-item", lines[0])])
    nested = "2. nested one" if bullet == "2." else "- nested one"
    assert written.markdown.splitlines()[1].strip() == nested
    assert written.markdown.endswith("Something else entirely.")


def test_a_sentence_set_like_the_body_is_no_heading_whatever_its_box_is_called() -> None:
    lines = [
        line("Report", 50, 200, size=18, bold=True),
        line("Employees get days.", 50, 260),
        line("Annex on days", 50, 300),
    ]
    boxes = [around("section-header", one) for one in lines]
    assert page(lines, boxes).markdown == "# Report\n\nEmployees get days.\n\n#### Annex on days"


def test_a_line_of_code_or_one_that_introduces_text_is_no_heading() -> None:
    code = replace(line("SELECT name", 50, 200), mono=True)
    lines = [code, line("The answer is:", 50, 240), line("Yes, it is so today.", 50, 280)]
    boxes = [around("section-header", one) for one in lines[:2]]
    assert page(lines, boxes).markdown.split("\n\n")[:2] == ["```\nSELECT name\n```", "The answer is:"]


def test_a_note_beside_a_paragraph_is_not_read_into_its_lines() -> None:
    text = [line("The ferry sails twice a day here.", 50, 200 + 12 * place) for place in range(4)]
    note = [line("Family tree", 240, 212), line("of ferries", 240, 224)]
    lines = [*text, *note]
    assert page(lines, [around("text", *text)]).markdown.startswith(" ".join(one.text for one in text))
    value = line("12.50", 240, 200)
    assert page([text[0], value], [around("text", text[0])]).markdown == f"{text[0].text} 12.50"


def test_the_title_of_a_slide_is_not_told_again_on_its_continuation() -> None:
    title = line("Facilities", 50, 120, size=18, bold=True)
    body = [title, line("The library is open.", 50, 300)]
    told = {(title.text, round(title.box[1]))}
    again = page(body, [around("title", title)], replace(FACTS, continued={3: frozenset(told)}), number=3)
    assert again.markdown == "The library is open."
    assert again.furniture == ["Facilities"]
    elsewhere = replace(FACTS, continued={3: frozenset({(title.text, 400)})})
    assert page(body, [around("title", title)], elsewhere, number=3).markdown.startswith("# Facilities")
    other = replace(FACTS, continued={2: frozenset(told)})
    assert page(body, [around("title", title)], other, number=3).markdown.startswith("# Facilities")
