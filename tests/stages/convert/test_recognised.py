"""Tables of recognised lines: rows by how their cells wrap, cells cut where columns start."""

from drac.records import Box
from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, Word
from drac.stages.convert.recognised import as_drawn, torn
from drac.stages.convert.write import write_page

STEP, WIDE = 12.0, 5.0


def recognised(text: str, x: float, y: float, order: int) -> Line:
    words, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        starts = tuple(x + WIDE * at for at in range(place, place + len(word)))
        words.append(Word(word, (starts[0], y, starts[-1] + WIDE, y + 10), starts))
        place += len(word)
    return Line(tuple(words), (x, y, x + WIDE * len(text), y + 10), 10, order=order, run=order, raw=text)


def printed(rows: list[list[tuple[str, float]]], steps: list[float] | None = None) -> list[Line]:
    """Lines as OCR gives them, from top to bottom; each row is (text, x) of a line of print."""
    lines: list[Line] = []
    y = 100.0
    for place, row in enumerate(rows):
        lines += [recognised(text, x, y, len(lines) + at) for at, (text, x) in enumerate(row)]
        y += steps[place] if steps else STEP
    return lines


def read(lines: list[Line], columns: tuple[float, ...], rules: tuple[Box, ...] = ()) -> str:
    box = (90.0, 90.0, 500.0, max(line.box[3] for line in lines) + 10)
    boxes = (LayoutBox("table", box, columns),)
    view = PageView(600, 800, as_drawn(lines, boxes, rules), boxes, rules)
    return write_page(view, DocumentFacts()).markdown


def rule(y: float) -> Box:
    return (95.0, y, 480.0, y + 1)


HEAD = [("Centre", 100.0), ("Number", 200.0), ("Types", 300.0), ("Open", 420.0)]


def test_rows_without_rules_are_told_by_how_their_cells_wrap() -> None:
    lines = printed(
        [
            [("Centre", 100), ("Number", 160), ("Types", 300), ("Open", 420)],
            [("Bengaluru", 100), ("080-", 160), ("Smartphones and", 300), ("Yes", 420)],
            [("Kora-", 100), ("4633-", 160), ("tablets", 300)],
            [("mangala", 100), ("1278", 160)],
            [("Delhi", 100), ("011-", 160), ("All sorts", 300), ("No", 420)],
            [("Karol", 100), ("2391-", 160)],
            [("Bagh", 100), ("8830", 160)],
        ]
    )
    text = read(lines, (158.0, 298.0, 418.0), (rule(98), rule(111), rule(190)))
    assert text.split("\n\n") == [
        "Centre: Bengaluru Koramangala; Number: 080-4633-1278; Types: Smartphones and tablets; Open: Yes.",
        "Centre: Delhi Karol Bagh; Number: 011-2391-8830; Types: All sorts; Open: No.",
    ]


def test_a_word_that_had_fitted_above_starts_a_row() -> None:
    lines = printed(
        [
            [("Part", 100), ("Use", 200)],
            [("Rear axle", 100), ("Carries the load of the trailer", 200)],
            [("Axle", 100), ("Carries", 200)],
            [("Beam", 100), ("Holds", 200)],
        ]
    )
    text = read(lines, (198.0,), (rule(98), rule(111), rule(150)))
    assert len(text.split("\n\n")) == 3


def test_rows_that_stand_apart_are_told_by_their_distance() -> None:
    rows = [
        [("Part", 100), ("Use", 200)],
        [("Axle", 100), ("Holds the", 200)],
        [("rear", 100), ("wheels", 200)],
        [("Beam", 100), ("Holds", 200)],
        [("front", 100), ("the roof", 200)],
        [("Bolt", 100), ("Holds", 200)],
    ]
    lines = printed(rows, [20, 12, 20, 12, 20, 20])
    text = read(lines, (198.0,))
    assert "Axle rear" in text and "Beam front" in text and len(text.split("\n\n")) == 3


def test_two_cells_that_run_into_each_other_are_cut_at_the_column() -> None:
    lines = printed(
        [
            HEAD,
            [("Ahmedabad Gujaratregion080-11", 110), ("All", 300), ("Yes", 420)],
            [("Pune", 100), ("080-12", 225), ("Some", 300), ("No", 420)],
            [("Surat", 100), ("080-13", 225), ("Some", 300), ("No", 420)],
        ]
    )
    lines = [*lines[:1], recognised("Number", 225, 100, 1), *lines[2:]]
    text = read(lines, (222.0, 298.0, 418.0), (rule(98), rule(111), rule(150)))
    assert "Centre: Ahmedabad Gujaratregion; Number: 080-11; Types: All; Open: Yes." in text


def test_a_line_over_the_edge_of_a_column_is_to_be_read_again() -> None:
    lines = printed([HEAD, [("Smartphonesareß-5", 205), ("a", 300)], *[HEAD] * 3])
    box = LayoutBox("table", (90, 90, 500, 200), (198.0, 278.0, 418.0))
    over = [(line.text, round(x)) for line, x in torn(lines, [box], ())]
    assert over == []
    lines = printed([HEAD, [("Smartphones and cars,3-5", 205)], *[HEAD] * 3])
    box = LayoutBox("table", (90, 90, 500, 200), (198.0, 298.0, 418.0))
    assert [(line.text, round(x)) for line, x in torn(lines, [box], ())] == [
        ("Smartphones and cars,3-5", 300)
    ]


RUN_INTO: list[list[tuple[str, float]]] = [
    [("Name", 100), ("Battery Display", 200), ("Open", 420)],
    *[
        row
        for n in (51, 62, 73)
        for row in (
            [(f"Core {n}", 100), (f"{n}00mAl{n}.5", 200), ("Yes", 420)],
            [("Max", 100), ("HD+", 240), ("No", 420)],
        )
    ],
]
"""A column whose text runs on over the next; the header's words stand close, one over each."""


def test_a_column_that_the_one_before_runs_into_is_found_by_its_other_lines() -> None:
    lines, box = printed(RUN_INTO), LayoutBox("table", (90, 90, 500, 300), (198.0, 418.0))
    over = [(line.text, round(x)) for line, x in torn(lines, [box], (rule(98), rule(111), rule(300)))]
    assert over == [("5100mAl51.5", 240), ("6200mAl62.5", 240), ("7300mAl73.5", 240)]
    apart = [[part for text, x in row for part in halves(text, x)] for row in RUN_INTO]
    text = read(printed(apart), (198.0, 418.0), (rule(98), rule(111), rule(300)))
    assert "Battery: 6200mAl; Display: 62.5 HD+; Open: Yes No." in text


def halves(text: str, x: float) -> list[tuple[str, float]]:
    return [(text[:7], x), (text[7:], 240)] if "mAl" in text else [(text, x)]


def test_numbers_under_the_second_word_of_a_header_are_one_column() -> None:
    rows: list[list[tuple[str, float]]] = [
        RUN_INTO[0],
        *[[("Core", 100), (f"{n}.5", 240), ("Yes", 420)] for n in (51, 62, 73, 84)],
    ]
    text = read(printed(rows), (198.0, 418.0), (rule(98), rule(111), rule(300)))
    assert "Name: Core; Battery Display: 62.5; Open: Yes." in text


def test_a_column_that_the_layout_missed_is_found_by_its_header() -> None:
    rows = [HEAD, *[[("Axle", 100), (str(n), 200), ("A b", 300), ("Yes", 420)] for n in (11, 12, 13)]]
    text = read(printed(rows), (198.0, 298.0), (rule(98), rule(111), rule(150)))
    assert "Centre: Axle; Number: 12; Types: A b; Open: Yes." in text


def test_a_border_amid_a_part_of_the_header_is_none() -> None:
    head = [("Part", 100), ("Price in lakh", 200), ("Open", 420)]
    rows = [head, *[[("Axle", 100), (f"{n} - {n + 1}", 200), ("Yes", 420)] for n in (11, 12, 13)]]
    text = read(printed(rows), (198.0, 232.0, 418.0), (rule(98), rule(111), rule(150)))
    assert "Part: Axle; Price in lakh: 12 - 13; Open: Yes." in text


def test_lines_outside_tables_keep_their_order() -> None:
    lines = printed([[("One", 100)], [("Two", 100)], [("Three", 100)]])
    assert [line.text for line in as_drawn(lines, (), ())] == ["One", "Two", "Three"]


def test_rows_under_one_name_start_without_a_first_cell() -> None:
    lines = printed(
        [
            [("Boat", 100), ("Class", 200), ("Fare", 260), ("Included", 320)],
            [("Grey", 100), ("Deck", 200), ("16.50", 260), ("A bench, and a map", 320)],
            [("Heron", 100)],
            [("Saloon", 200), ("17.00", 260), ("A chair, tea and the", 320)],
            [("papers", 320)],
            [("Cabin", 200), ("17.50", 260), ("A bunk", 320)],
            [("Curlew", 100), ("Deck", 200), ("22.00", 260), ("A bench", 320)],
        ]
    )
    text = read(lines, (198.0, 258.0, 318.0), (rule(98), rule(111), rule(190)))
    assert text.split("\n\n") == [
        "Boat: Grey Heron; Class: Deck; Fare: 16.50; Included: A bench, and a map.",
        "Class: Saloon; Fare: 17.00; Included: A chair, tea and the papers.",
        "Class: Cabin; Fare: 17.50; Included: A bunk.",
        "Boat: Curlew; Class: Deck; Fare: 22.00; Included: A bench.",
    ]


def test_cells_that_go_on_together_without_a_first_one_start_no_row() -> None:
    lines = printed(
        [
            [("Boat", 100), ("Crew", 200), ("Included", 300)],
            [("Heron", 100), ("A mate and", 200), ("A bench, a map and", 300)],
            [("two hands", 200), ("a lantern", 300)],
            [("Curlew", 100), ("A mate", 200), ("A bench", 300)],
        ]
    )
    text = read(lines, (198.0, 298.0), (rule(98), rule(111), rule(160)))
    assert text.split("\n\n")[0] == (
        "Boat: Heron; Crew: A mate and two hands; Included: A bench, a map and a lantern."
    )
