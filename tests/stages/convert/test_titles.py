"""Bookmarked titles, run-in headings and bold labels."""

from __future__ import annotations

from dataclasses import replace

from drac.records import Box
from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, Word, title_key
from drac.stages.convert.write import write_page

FACTS = DocumentFacts(pages=5, body_size=10.0, heading_styles=((14.0, True), (10.0, True)))


def line(text: str, x: float, y: float, *, size: float = 10.0, bold: bool = False) -> Line:
    words, place = [], x
    for word in text.split():
        words.append(Word(word, (place, y - 0.8 * size, place + size / 2 * len(word), y + 0.2 * size)))
        place += size / 2 * (len(word) + 1)
    box = (x, y - 0.8 * size, words[-1].box[2], y + 0.2 * size)
    return Line(tuple(words), box, size, bold=bold, bold_words=bold * len(words), raw=text)


def written(lines: list[Line], boxes: list[tuple[str, Box]], facts: DocumentFacts = FACTS) -> list[str]:
    numbered = tuple(replace(one, order=order) for order, one in enumerate(lines))
    layout = tuple(LayoutBox(kind, box) for kind, box in boxes)
    return write_page(PageView(600, 800, numbered, layout, number=2), facts).markdown.split("\n\n")


def bookmarked(**levels: int) -> DocumentFacts:
    return replace(FACTS, bookmarks={(2, title_key(title)): level for title, level in levels.items()})


def test_a_bookmarked_title_inside_a_box_of_text_is_a_heading() -> None:
    lines = [
        line("Before it.", 50, 300),
        line("Annex", 50, 320, bold=True),
        line("After it.", 50, 340),
    ]
    facts = bookmarked(Annex=3)
    assert written(lines, [("text", (50, 290, 300, 345))], facts) == ["Before it.", "### Annex", "After it."]


def test_a_bookmarked_title_may_take_two_lines() -> None:
    lines = [line("Annex of", 50, 300, bold=True), line("Dates", 50, 312, bold=True), line("Text.", 50, 330)]
    facts = bookmarked(AnnexofDates=2)
    assert written(lines, [("text", (50, 290, 300, 335))], facts) == ["## Annex of Dates", "Text."]


def test_a_bookmark_of_another_page_makes_no_heading() -> None:
    facts = replace(FACTS, bookmarks={(3, "annex"): 1})
    lines = [line("Annex", 50, 320), line("After it.", 50, 332)]
    assert written(lines, [("text", (50, 310, 300, 335))], facts) == ["Annex After it."]


def test_words_of_a_bookmark_inside_plain_text_stay_text() -> None:
    lines = [line("See the", 50, 300), line("Annex", 50, 312), line("for dates.", 50, 324)]
    assert written(lines, [("text", (50, 290, 300, 330))], bookmarked(Annex=2)) == [
        "See the Annex for dates."
    ]


def test_of_two_equal_titles_the_larger_is_the_heading() -> None:
    lines = [line("Annex", 50, 150), line("Annex", 50, 200, size=14, bold=True), line("Text.", 50, 230)]
    assert written(lines, [], bookmarked(Annex=1)) == ["Annex", "# Annex", "Text."]


def test_bold_words_an_em_before_the_text_are_a_run_in_heading() -> None:
    head = line("Staff Award", 50, 300, bold=True)
    lines = [head, line("To Mr. Felix for his", 50 + 55 + 10, 300), line("service.", 50, 312)]
    assert written(lines, [("text", (50, 290, 300, 315))]) == [
        "### Staff Award",
        "To Mr. Felix for his service.",
    ]


def test_bold_words_at_another_distance_or_with_a_colon_are_text() -> None:
    for text, gap in (("Staff Award", 30), ("Staff Award", 6), ("Recipient:", 10)):
        head = line(text, 50, 300, bold=True)
        lines = [head, line("Mr. Felix for his", head.box[2] + gap, 300), line("service.", 50, 312)]
        (one,) = written(lines, [("text", (50, 290, 300, 315))])
        assert one.endswith("Mr. Felix for his service.")


def test_a_label_right_above_its_text_is_no_heading() -> None:
    lines = [line("Description:", 50, 300, bold=True), line("Cells and their parts.", 50, 312)]
    boxes: list[tuple[str, Box]] = [("section-header", (50, 291, 120, 303)), ("text", (50, 304, 200, 315))]
    assert written(lines, boxes) == ["Description: Cells and their parts."]


def test_a_heading_of_its_own_space_is_kept_though_it_ends_with_a_colon() -> None:
    lines = [line("Description:", 50, 300, bold=True), line("Cells and their parts.", 50, 325)]
    boxes: list[tuple[str, Box]] = [("section-header", (50, 291, 120, 303)), ("text", (50, 315, 200, 330))]
    assert written(lines, boxes) == ["## Description:", "Cells and their parts."]


def test_a_label_with_a_value_in_plain_type_is_no_heading() -> None:
    label = replace(line("Prerequisites: None", 50, 300, bold=True), bold_words=1)
    boxes: list[tuple[str, Box]] = [("section-header", (50, 291, 150, 303))]
    assert written([label, line("Text.", 50, 330)], boxes)[0] == "Prerequisites: None"


def test_a_list_taken_for_a_table_stays_a_list() -> None:
    lines = [line("Airports:", 50, 300, bold=True)]
    lines += [line(f"• Airport {name}", 70, 320 + 12 * place) for place, name in enumerate("ABC")]
    found = written(lines, [("table", (50, 290, 300, 350))])
    assert found[-1] == "- Airport A\n- Airport B\n- Airport C"


def test_a_title_in_the_box_of_the_text_below_it_is_a_heading() -> None:
    lines = [
        line("Ferries of the Coast", 50, 100, size=14, bold=True),
        line("A. Author and B. Author", 50, 120),
        line("University of Ports", 50, 132),
    ]
    assert written(lines, [("text", (50, 80, 300, 140))]) == [
        "# Ferries of the Coast",
        "A. Author and B. Author University of Ports",
    ]


def test_a_large_first_line_of_one_word_or_in_no_heading_style_stays_with_its_text() -> None:
    lines = [line("T", 50, 100, size=14, bold=True), line("he ferry sails", 50, 115)]
    assert written(lines, [("text", (50, 80, 300, 140))]) == ["T he ferry sails"]
    lines = [line("The ferry", 50, 100, size=13), line("sails twice", 50, 115)]
    assert written(lines, [("text", (50, 80, 300, 140))]) == ["The ferry sails twice"]


def test_a_run_in_heading_stands_before_its_text_though_set_a_hair_lower() -> None:
    lines = [
        line("Pets.", 50, 300.02, bold=True),
        line("Dogs travel free", 85, 300),
        line("on a lead.", 50, 312),
    ]
    assert written(lines, [("text", (50, 290, 300, 315))]) == ["### Pets.", "Dogs travel free on a lead."]


def test_bold_text_set_tight_in_a_scan_is_a_label_unless_the_layout_says_otherwise() -> None:
    """A scan has no bookmarks to tell labels from headings; print that is larger is a heading anyway."""
    facts = replace(FACTS, measured=True)
    below = line("It runs at noon.", 50, 312)
    bold, large = line("Ferry times", 50, 300, bold=True), line("Ferry times", 50, 298, size=14.0, bold=True)
    boxes: list[tuple[str, Box]] = [("text", (50, 285, 200, 302)), ("text", (50, 303, 200, 316))]
    assert written([bold, below], boxes, facts)[0] == "Ferry times"
    assert written([large, below], boxes, facts)[0] == "# Ferry times"
    assert written(
        [bold, line("It runs at noon.", 50, 330)], [boxes[0], ("text", (50, 320, 200, 333))], facts
    )[0].endswith("# Ferry times")
    said = [("section-header", boxes[0][1]), boxes[1]]
    assert written([bold, below], said, facts)[0] == "## Ferry times"
