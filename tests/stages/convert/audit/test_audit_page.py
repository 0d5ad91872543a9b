"""What the audit says of a page, kind by kind, and what it says nothing of."""

from __future__ import annotations

import pytest
from readings import PAGE, TEMPLATES, Tell, box, in_the_row, reading, reply

from drac.audit_records import FindingKind, PageAudit
from drac.records import PageState, PageText
from drac.stages.convert.audit import EXACT, NOISY, audit_page

FARES = [
    ["Route", "Adult fare 2024", "Child fare 2025", "Boats"],
    ["Hessay", "12.40", "6.20", "Heron"],
    ["Ansel Quay", "9.40", "4.70", "Curlew"],
    ["Lower Isle", "17.20", "8.60", "Heron"],
    ["Skerry", "21.00", "10.50", "Gannet"],
]
TITLE = "## 3.1 Passenger fares"
RULES = "Children under five travel free with an adult who holds a ticket."
BOOKS = "Ten-journey books cost 75.20 and are valid for 18 months."
SIGNS = "The harbour office answers complaints within ten working days."
SEEN = reading(TITLE, RULES, FARES, BOOKS, SIGNS)


def found(written: PageText, reference: PageText = SEEN) -> PageAudit:
    audit = audit_page(written, reference, EXACT, reader="local text-layer")
    for one in audit.findings:
        assert one.start < 0 or written.markdown[one.start : one.end].strip() == one.text
    assert audit.flagged or not audit.findings
    return audit


def kinds(audit: PageAudit) -> set[FindingKind]:
    return {one.kind for one in audit.findings}


@pytest.mark.parametrize("tell", TEMPLATES)
def test_an_honest_reply_is_not_flagged_whatever_its_template(tell: Tell) -> None:
    audit = found(reply(TITLE, RULES, FARES, BOOKS, SIGNS, tell=tell))
    assert audit.findings == ()
    assert (audit.missing, audit.invented) == (0.0, 0.0)
    assert (audit.page, audit.reader, audit.action) == (PAGE, "local text-layer", "report")


@pytest.mark.parametrize(
    "written, seen",
    [
        ("“Fares” – the ofﬁce’s list", '"Fares" - the office\'s list'),
        ("An inter\u00adnational, inter-\nisland ferry", "An international, interisland ferry"),
        ("1\\. Board at 5\\*", "1. Board at 5*"),
        ("See [the *timetable*](https://x.test/a_(1).html?b=2) for 3 &amp; 4", "See the timetable for 3 & 4"),
        ("1. Buy a ticket\n2. Board", "Buy a ticket\n\nBoard"),
        ("A boat of 33 W and 1 000 kg", "A boat of 33W and 1000 kg"),
        ("The Ｆｅｒｒｙ of 12 m² and CO₂", "The Ferry of 12 m and CO"),
        ("A note<br>below<!-- Page 7 --> here", "A note below here"),
        ("Cafe\u0301 at quay 4", "Café at quay ٤"),
    ],
)
def test_other_signs_for_the_same_words_are_no_difference(written: str, seen: str) -> None:
    assert found(reply(written), reading(seen)).findings == ()


def test_running_headers_and_footers_may_be_in_either() -> None:
    edges = ("Harbour Board 2024", "Page 4 of 17")
    with_edges = reply("Harbour Board 2024", TITLE, RULES, "Page 4 of 17")
    assert not found(with_edges, reading(TITLE, RULES, furniture=edges)).flagged
    assert not found(reply(TITLE, RULES), reading(TITLE, RULES, furniture=edges)).flagged


def test_a_number_of_a_footer_excuses_no_number_of_the_text() -> None:
    seen = reading(TITLE, BOOKS, furniture=("Page 20 of 17",))
    audit = found(reply(TITLE, BOOKS.replace("18", "20")), seen)
    assert kinds(audit) == {FindingKind.DIGITS}
    assert BOOKS.replace("18", "20") in {one.text for one in audit.findings}


def test_single_words_lost_all_over_a_page_flag_it_together() -> None:
    seen = reading(TITLE, RULES, BOOKS, SIGNS)
    audit = found(reply(TITLE, *(one.rsplit(" ", 1)[0] for one in (RULES, BOOKS, SIGNS))), seen)
    assert audit.findings == ()
    assert audit.flagged
    assert audit.missing > EXACT.share


def test_a_dropped_paragraph_is_missing_with_its_place_on_the_page() -> None:
    audit = found(reply(TITLE, RULES, FARES, SIGNS))
    (one,) = audit.findings
    assert (one.kind, one.text, one.start, one.end) == (FindingKind.MISSING, BOOKS, -1, -1)
    assert one.boxes == (box(3),)
    assert 0 < audit.missing < 0.3


def test_a_paragraph_of_elsewhere_is_invented_though_its_words_are_common() -> None:
    elsewhere = "An adult ticket for the office is valid for five days and ten children."
    (one,) = found(reply(TITLE, RULES, FARES, BOOKS, elsewhere, SIGNS)).findings
    assert (one.kind, one.text) == (FindingKind.INVENTED, elsewhere)


def test_f20_text_on_a_page_without_any_is_invented() -> None:
    blank = PageText(PAGE, PageState.BLANK, "", "local")
    audit = found(reply("It was the best of times, it was the worst of times."), blank)
    assert kinds(audit) == {FindingKind.INVENTED}
    assert audit.invented == 1.0


@pytest.mark.parametrize(
    "block, old, new",
    [
        (BOOKS, "75", "76"),
        (BOOKS, "18", "20"),
        (BOOKS, "18", "75"),
        (TITLE, "3.1", "3.2"),
    ],
)
def test_a_changed_number_is_named_with_its_sentence(block: str, old: str, new: str) -> None:
    blocks = [one.replace(old, new) if one == block else one for one in (TITLE, RULES, BOOKS, SIGNS)]
    audit = found(reply(*blocks), reading(TITLE, RULES, BOOKS, SIGNS))
    assert kinds(audit) == {FindingKind.DIGITS}
    wrong = [one for one in audit.findings if one.start >= 0]
    assert [one.text for one in wrong] == [block.replace(old, new)]
    assert wrong[0].what == new.rsplit(".", maxsplit=1)[-1]


@pytest.mark.parametrize("tell", TEMPLATES)
@pytest.mark.parametrize("new", ["12.60", "12.20", "9.40", "2024"])
def test_a_number_of_another_row_or_header_is_not_in_this_row(tell: Tell, new: str) -> None:
    wrong = [[cell if cell != "12.40" else new for cell in row] for row in FARES]
    audit = found(reply(TITLE, RULES, wrong, BOOKS, SIGNS, tell=tell))
    assert FindingKind.DIGITS in kinds(audit)
    assert all("Hessay" in one.text for one in audit.findings)


def test_a_number_changed_in_one_copy_of_a_header_is_named() -> None:
    written = reply(TITLE, RULES, FARES, BOOKS, SIGNS)
    place = written.markdown.index("2024", written.markdown.index("Lower Isle"))
    text = written.markdown[:place] + "2025" + written.markdown[place + 4 :]
    audit = found(PageText(PAGE, PageState.OK, text, "model"))
    assert kinds(audit) == {FindingKind.DIGITS}
    assert "Lower Isle" in audit.findings[0].text


@pytest.mark.parametrize("tell", TEMPLATES)
@pytest.mark.parametrize("row", range(1, 5))
def test_a_dropped_row_is_missing(tell: Tell, row: int) -> None:
    fewer = [line for at, line in enumerate(FARES) if at != row]
    audit = found(reply(TITLE, RULES, fewer, BOOKS, SIGNS, tell=tell))
    (one,) = audit.findings
    assert one.kind == FindingKind.ROW_MISSING
    assert one.text == " | ".join(FARES[row])
    assert one.boxes == (box(200 + row),)


@pytest.mark.parametrize("tell", TEMPLATES)
def test_two_rows_in_one_line_are_merged(tell: Tell) -> None:
    line = f"{tell(FARES[0], FARES[2])} {tell(FARES[0], FARES[3])}"
    rows = [FARES[0], FARES[1], FARES[4]]
    audit = found(reply(TITLE, RULES, line, rows, BOOKS, SIGNS, tell=tell))
    (one,) = [one for one in audit.findings if one.kind == FindingKind.ROWS_MERGED]
    assert one.text == line


def test_two_rows_under_one_header_are_merged() -> None:
    both = [f"{a} {b}" for a, b in zip(FARES[2], FARES[3], strict=True)]
    audit = found(reply(TITLE, RULES, [FARES[0], FARES[1], both, FARES[4]], BOOKS, SIGNS))
    assert FindingKind.ROWS_MERGED in kinds(audit)


@pytest.mark.parametrize("tell", TEMPLATES)
@pytest.mark.parametrize("columns", [(0, 1), (1, 2), (0, 3), (2, 3)])
def test_values_under_each_others_headers_are_swapped(tell: Tell, columns: tuple[int, int]) -> None:
    a, b = columns
    swapped = [FARES[0]]
    for row in FARES[1:]:
        line = list(row)
        line[a], line[b] = line[b], line[a]
        swapped.append(line)
    audit = found(reply(TITLE, RULES, swapped, BOOKS, SIGNS, tell=tell))
    assert kinds(audit) == {FindingKind.COLUMNS_SWAPPED}
    assert len(audit.findings) == len(FARES) - 1


def test_columns_in_another_order_with_their_headers_are_no_swap() -> None:
    turned = [[row[2], row[0], row[3], row[1]] for row in FARES]
    assert not found(reply(TITLE, RULES, turned, BOOKS, SIGNS)).flagged


def test_f25_headers_that_the_second_half_of_a_table_lost_are_missing() -> None:
    bare = [", ".join(row) + "." for row in FARES[1:]]
    audit = found(reply(TITLE, RULES, *bare, BOOKS, SIGNS))
    assert kinds(audit) == {FindingKind.MISSING}
    assert {one.text for one in audit.findings} >= {"Adult fare 2024", "Child fare 2025"}


def test_f25_headers_of_the_page_before_are_no_invention() -> None:
    second_half = reading(TITLE, FARES[1:], headers=0)
    assert not found(reply(TITLE, FARES), second_half).flagged


def test_blocks_in_another_order_are_named() -> None:
    audit = found(reply(TITLE, SIGNS, FARES, BOOKS, RULES))
    assert kinds(audit) == {FindingKind.ORDER}
    assert {one.text for one in audit.findings} <= {SIGNS, BOOKS, RULES}


@pytest.mark.parametrize("times", [2, 9])
def test_a_block_that_comes_again_is_repeated(times: int) -> None:
    audit = found(reply(TITLE, RULES, FARES, *[BOOKS] * times, SIGNS))
    assert kinds(audit) == {FindingKind.REPEATED}
    assert len(audit.findings) == times - 1


def test_a_row_that_comes_again_is_repeated() -> None:
    audit = found(reply(TITLE, RULES, [*FARES, FARES[2]], BOOKS, SIGNS))
    assert kinds(audit) == {FindingKind.REPEATED}


def test_ocr_that_misreads_letters_joins_words_and_takes_o_for_0_is_no_alarm() -> None:
    seen = reading(
        "Passenqer fares ofthe harbour", "Ten-joumey books cost 75.2O and are valid for l8 months."
    )
    written = reply("Passenger fares of the harbour", BOOKS)
    assert not audit_page(written, seen, NOISY, reader="local ocr").flagged
    assert audit_page(written, seen, EXACT, reader="local ocr").flagged


@pytest.mark.parametrize("new", ["16", "81", "1"])
def test_a_changed_number_shows_beside_noisy_ocr_too(new: str) -> None:
    seen = reading(
        "Passenqer fares ofthe harbour", "Ten-joumey books cost 75.2O and are valid for l8 months."
    )
    written = reply("Passenger fares of the harbour", BOOKS.replace("18", new))
    audit = audit_page(written, seen, NOISY, reader="local ocr")
    assert kinds(audit) == {FindingKind.DIGITS}


def test_a_reply_that_says_where_it_stands_has_its_own_boxes() -> None:
    written = reading(TITLE, RULES, "Nobody ever wrote these invented words here.")
    (one,) = found(written, reading(TITLE, RULES)).findings
    assert (one.kind, one.boxes) == (FindingKind.INVENTED, (box(2),))


def test_rows_in_other_words_may_leave_a_wrapped_cell_to_two_rows_of_the_reader() -> None:
    wrapped = [FARES[0], *FARES[1:4], ["Skerry", "21.00", "10.50", "Gannet or"], ["", "", "", "Heron II"]]
    whole = [*FARES[:4], ["Skerry", "21.00", "10.50", "Gannet or Heron II"]]
    assert not found(reply(TITLE, whole, tell=in_the_row), reading(TITLE, wrapped)).flagged
