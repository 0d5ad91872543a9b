"""Spreadsheets on pages: no column parted from its row's key, no cell cut off, nothing hidden, all named."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pymupdf
import pytest
from fakes_normalize import page_texts
from openpyxl.styles import Alignment, Border, Side

from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits
from drac.adapters.remarks import remarks_file
from drac.errors import EmptyDocument, LimitExceeded

Make = Callable[[Any], None]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    limits = OfficeLimits(90.0, max_cells=20_000)
    with LibreOfficeConverter(tmp_path_factory.mktemp("office"), limits) as converter:
        yield converter


@pytest.fixture(scope="module")
def revealing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    limits = OfficeLimits(90.0, hidden=True)
    with LibreOfficeConverter(tmp_path_factory.mktemp("office"), limits) as converter:
        yield converter


def _book(make: Make) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    make(book)
    book.save(out)
    return out.getvalue()


def _pages(office: LibreOfficeConverter, folder: Path, make: Make | bytes, name: str = "a.xlsx") -> list[str]:
    source = folder / name
    source.write_bytes(make if isinstance(make, bytes) else _book(make))
    office.convert(source, folder / "out.pdf", suffix=source.suffix)
    return [re.sub(r"\s+", " ", page) for page in page_texts(folder / "out.pdf")]


def _remarks(folder: Path) -> dict[str, list[str]]:
    return dict(json.loads(remarks_file(folder / "out.pdf").read_text()))


def test_a_wide_sheet_is_parted_by_columns_with_its_keys_and_headers(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    def make(book: Any) -> None:
        book.active.title = "Wide"
        book.active.append(["Site", *(f"head{n:03}" for n in range(300))])
        for row in range(30):
            book.active.append([f"site{row:02}", *(row * 1000 + n + 0.5 for n in range(300))])

    pages = _pages(office, tmp_path, make)
    for page in pages:
        columns = [int(n) for n in re.findall(r"head(\d{3})", page)]
        assert columns and "Wide" in page
        rows = re.findall(r"site(\d\d)", page)
        assert rows
        wanted = {f"{int(row) * 1000 + n + 0.5:g}" for row in rows for n in columns}
        assert wanted <= set(page.split())
    assert {n for page in pages for n in re.findall(r"head(\d{3})", page)} == {f"{n:03}" for n in range(300)}
    assert len(pages) < 40


def test_frozen_panes_say_which_rows_and_columns_are_repeated(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    def make(book: Any) -> None:
        sheet = book.active
        sheet.append(["Region", "Town", *(f"q{n}-figure-heading" for n in range(60))])
        sheet.append(["unit", "unit", *(f"unit{n}" for n in range(60))])
        for row in range(120):
            sheet.append([f"reg{row}", f"town{row}", *range(60)])
        sheet.freeze_panes = "C3"

    pages = _pages(office, tmp_path, make)
    assert len(pages) > 3
    for page in pages:
        assert "Region" in page and "Town" in page and page.count("unit ") == 2
        assert re.findall(r"reg(\d+)", page) == re.findall(r"town(\d+)", page)


def test_numbers_are_as_displayed_and_never_hashes(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        sheet = book.active
        sheet.append(["n", "amount", "date"])
        sheet.append([1, 1234567890.125, 45292])
        sheet["B2"].number_format, sheet["C2"].number_format = '#,##0.00 "EUR"', "yyyy-mm-dd"
        for column in "ABC":
            sheet.column_dimensions[column].width = 3

    (page,) = _pages(office, tmp_path, make)
    assert "#" not in page
    assert "1,234,567,890.13 EUR" in page and "2024-01-01" in page


@pytest.mark.parametrize("length", [300, 9_000])
def test_long_text_is_whole_beside_a_filled_neighbour(
    office: LibreOfficeConverter, tmp_path: Path, length: int
) -> None:
    words = [f"word{n}" for n in range(length // 8)]

    def make(book: Any) -> None:
        book.active.append(["key", " ".join(words), "neighbour"])
        book.active.append(["other", "short", "last"])

    pages = _pages(office, tmp_path, make)
    assert set(words) <= set(" ".join(pages).split())
    assert "neighbour" in " ".join(pages)


def test_long_text_is_whole_where_the_last_row_of_the_sheet_is_filled(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    def make(book: Any) -> None:
        book.active["A1"], book.active["A1048576"] = "first", "last"
        book.active["B2"] = " ".join(f"word{n}" for n in range(900))

    text = " ".join(_pages(office, tmp_path, make))
    assert re.findall(r"word\d+", text) == [f"word{n}" for n in range(900)]
    assert "first" in text and "last" in text


def test_long_text_in_merged_cells_is_whole(office: LibreOfficeConverter, tmp_path: Path) -> None:
    words = [f"merged{n}" for n in range(120)]

    def make(book: Any) -> None:
        sheet = book.active
        sheet["A1"] = " ".join(words)
        sheet["A1"].alignment = Alignment(horizontal="center", wrap_text=True)
        sheet.merge_cells("A1:F2")
        for row in range(4, 9):
            for column in range(1, 5):
                sheet.cell(row, column, f"c{row}{column}")

    (page,) = _pages(office, tmp_path, make)
    assert [word for word in page.split() if word.startswith("merged")] == words


def test_text_on_its_side_is_turned_and_whole(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        sheet = book.active
        sheet.append(["of which impairment", "of which restructuring"])
        sheet.append([1, 2])
        for cell in sheet[1]:
            cell.alignment = Alignment(textRotation=90, wrap_text=True)

    (page,) = _pages(office, tmp_path, make)
    assert "impairment" in page and "restructuring" in page


def test_cells_far_apart_stay_on_one_page_and_the_gap_is_said(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    def make(book: Any) -> None:
        sheet = book.active
        sheet.title = "Far"
        sheet["A1"], sheet["B1"], sheet["A2"], sheet["B2"] = "name", "value", "near", 1
        sheet["XFD1"], sheet["B900000"], sheet["XFD1048576"] = "right", "low", "corner"

    (page,) = _pages(office, tmp_path, make)
    assert all(word in page for word in ("near", "right", "low", "corner"))
    (remark,) = _remarks(tmp_path)["remarks"]
    assert "'Far'" in remark and "empty rows" in remark and "empty columns" in remark


def test_an_inflated_range_is_cut_to_its_content(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        sheet = book.active
        sheet.append(["name", "value"])
        for row in range(2, 3000):
            sheet.cell(row, 40).number_format = "0.00"

    (page,) = _pages(office, tmp_path, make)
    assert page.split() == ["Sheet", "name", "value"]


def _hiding(book: Any) -> None:
    sheet = book.active
    sheet.title = "Shown"
    for row in range(1, 6):
        for column in range(1, 5):
            sheet.cell(row, column, f"r{row}c{column}")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    sheet.print_area = "A1:A2"
    for state in ("hidden", "veryHidden"):
        other = book.create_sheet(f"Sheet {state}")
        other["A1"], other.sheet_state, other.print_area = f"text {state}", state, "A1:B2"


def test_f05_hidden_parts_are_left_out_and_print_areas_do_not_cut(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    (page,) = _pages(office, tmp_path, _hiding)
    seen = {f"r{row}c{column}" for row in (1, 2, 4, 5) for column in (1, 3, 4)}
    assert set(page.split()) == seen | {"Shown"}


def test_hidden_parts_are_shown_on_request(revealing: LibreOfficeConverter, tmp_path: Path) -> None:
    pages = _pages(revealing, tmp_path, _hiding)
    everything = {f"r{row}c{column}" for row in range(1, 6) for column in range(1, 5)}
    assert set(pages[0].split()) == everything | {"Shown"}
    assert [page.split()[-2:] for page in pages[1:]] == [["text", "hidden"], ["text", "veryHidden"]]


def test_each_page_names_its_sheet(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        book.active.title = "North & South"
        for row in range(150):
            book.active.append([f"north{row}", row])
        book.create_sheet("East")["A1"] = "east"

    pages = _pages(office, tmp_path, make)
    assert pages[0].startswith("North & South ") and "(continued)" not in pages[0]
    assert all("North & South (continued)" in page for page in pages[1:-1])
    assert pages[-1].split() == ["East", "east"]


def test_tables_without_lines_get_some_and_stay_apart(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        for row in (["a", "b"], [1, 2], [], [], [], ["c", "d"], [3, 4]):
            book.active.append(row)

    _pages(office, tmp_path, make)
    with pymupdf.open(tmp_path / "out.pdf") as document:
        lines = [path["rect"] for path in document[0].get_drawings()]
    flat = sorted({round(line.y0) for line in lines if line.width > 10})
    steep = {(round(line.y0), round(line.y1)) for line in lines if line.height > 10}
    assert len(flat) == 6
    assert all(end <= flat[2] + 1 or start >= flat[3] - 1 for start, end in steep)


def _partly_ruled(book: Any) -> None:
    """Horizontal rules only, a column and a row that only make room, a total below an empty row."""
    sheet = book.active
    sheet.append(["Millions", "Sales", "Gain", None, "Staff", "Stores"])
    sheet.append([])
    for place in range(4):
        sheet.append([f"zone{place}", place + 10, place + 20, None, place + 30, place + 40])
    sheet.append([])
    sheet.append(["Total", 46, 86, None, 126, 166])
    for row in (1, 3, 4, 8):
        for column in range(1, 7):
            sheet.cell(row, column).border = Border(bottom=Side("medium", color="FF0000"))


def test_tables_with_some_lines_keep_them_and_get_the_others(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    _pages(office, tmp_path, _partly_ruled)
    with pymupdf.open(tmp_path / "out.pdf") as document:
        page = document[0]
        (table,) = page.find_tables(strategy="lines_strict").tables
        rows = [row for row in table.extract() if any(row)]
        red = [path for path in page.get_drawings() if (path["fill"] or path["color"]) == (1.0, 0.0, 0.0)]
    assert rows[0] == ["Millions", "Sales", "Gain", "Staff", "Stores"]
    assert rows[1] == ["zone0", "10", "20", "30", "40"] and rows[-1] == ["Total", "46", "86", "126", "166"]
    assert red


def test_tables_beside_each_other_stay_apart(office: LibreOfficeConverter, tmp_path: Path) -> None:
    names = [["fruit", "sold", "", "tool", "price"], ["pear", "1", "", "saw", "2"]]
    rows = [*names, *([f"fruit{n}", str(n), "", f"tool{n}", str(n + 9)] for n in range(5))]

    def make(book: Any) -> None:
        for row in rows:
            book.active.append(row)

    _pages(office, tmp_path, make)
    with pymupdf.open(tmp_path / "out.pdf") as document:
        words = {word[4]: word[0] for word in document[0].get_text("words")}
        lines = [path["rect"] for path in document[0].get_drawings() if path["rect"].width > 10]
    assert lines
    assert all(line.x1 < words["tool"] - 1 or line.x0 > words["sold"] + 20 for line in lines)


def test_merged_texts_of_a_parted_sheet_are_whole_on_each_page(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    title, note = "a title over the whole of a wide sheet", "a remark that is longer than its narrow column"

    def make(book: Any) -> None:
        sheet = book.active
        sheet.append([title])
        sheet.append(["key", "figures of the one half"])
        sheet.append([None, *(f"heading-{n}-of-a-column" for n in range(40))])
        for row in range(3):
            sheet.append([f"k{row}", *(1000 * row + n for n in range(40))])
        sheet.append([])
        sheet.append([note])
        sheet["A1"].alignment = sheet["B2"].alignment = Alignment(horizontal="center")
        sheet.merge_cells("A1:AO1")
        sheet.merge_cells("B2:AO2")

    pages = _pages(office, tmp_path, make)
    assert len(pages) > 2 and title in pages[0] and note in pages[0]
    assert all("figures of the one half" in page for page in pages)
    assert all("title" not in page and "remark" not in page and "a re" not in page for page in pages[1:])


def test_a_sheet_from_right_to_left_is_whole(office: LibreOfficeConverter, tmp_path: Path) -> None:
    def make(book: Any) -> None:
        book.active.sheet_view.rightToLeft = True
        book.active.append(["first", "second", "third"])
        book.active.append([1, 22, 333])

    (page,) = _pages(office, tmp_path, make)
    assert {"first", "second", "third", "1", "22", "333"} <= set(page.split())
    with pymupdf.open(tmp_path / "out.pdf") as document:
        places = {word[4]: word[0] for word in document[0].get_text("words")}
    assert places["first"] > places["second"] > places["third"]


def test_formulas_keep_the_values_that_the_file_stores(office: LibreOfficeConverter, tmp_path: Path) -> None:
    cells = (
        b'<c r="A1"><f>TODAY()</f><v>40000</v></c><c r="B1"><f>A1*2</f><v>99</v></c>'
        b'<c r="C1" t="str"><f>VLOOKUP(1,[1]Other!A1:B2,2,0)</f><v>outside</v></c>'
        b'<c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="E1"><f>1+2</f></c>'
    )
    plain, out = _book(lambda book: book.active.append(["x"])), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            data = old.read(part)
            if part == "xl/worksheets/sheet1.xml":
                data = re.sub(rb"<c r=.*</c>", cells, data, flags=re.DOTALL)
            new.writestr(part, data)
    (page,) = _pages(office, tmp_path, out.getvalue())
    assert page.split() == ["Sheet", "40000", "99", "outside", "#DIV/0!", "3"]


def test_a_sheet_past_the_limit_is_named_and_the_others_stay(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    def make(book: Any) -> None:
        book.active.append(["small"])
        big = book.create_sheet("Big")
        for row in range(2_100):
            big.append([row] * 10)

    (page,) = _pages(office, tmp_path, make)
    assert page.split() == ["Sheet", "small"]
    assert _remarks(tmp_path)["left_out"] == ["sheet 'Big' has 21,000 cells, more than the limit of 20,000"]


def test_a_document_past_the_limit_or_without_a_value_is_an_error(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    with pytest.raises(LimitExceeded, match="21,000 cells"):
        _pages(office, tmp_path, lambda book: [book.active.append([1] * 10) for _ in range(2_100)])
    with pytest.raises(LimitExceeded, match="21,000 cells"):
        _pages(office, tmp_path, b"1,2,3,4,5,6,7,8,9,0\n" * 2_100, "a.csv")
    with pytest.raises(EmptyDocument):
        _pages(office, tmp_path, lambda book: None)


def test_comments_are_left_out_and_charts_keep_their_text(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    def make(book: Any) -> None:
        sheet = book.active
        for row in (["kind", "count"], ["apples", 3], ["pears", 5]):
            sheet.append(row)
        sheet["A2"].comment = Comment("secret remark", "me")
        chart = BarChart()
        chart.title = "Fruit sold"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        sheet.add_chart(chart, "H20")

    (page,) = _pages(office, tmp_path, make)
    assert "Fruit sold" in page and "apples 3" in page and "secret" not in page


def test_a_wide_delimited_table_is_parted_too(office: LibreOfficeConverter, tmp_path: Path) -> None:
    rows = [
        ["id", *(f"col{n}" for n in range(200))],
        *([f"id{r}", *(f"v{r}x{n}" for n in range(200))] for r in range(4)),
    ]
    pages = _pages(office, tmp_path, "\n".join(map(",".join, rows)).encode(), "a.csv")
    text = " ".join(pages)
    assert all(cell in text for row in rows for cell in row)
    assert len(pages) == 2 and text.count("id3") == 10


def test_the_widest_delimited_table_is_laid_out_in_bounded_time(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    columns = 6_000
    rows = [["id", *(f"c{n}" for n in range(columns))], ["key1", *map(str, range(columns))]]
    pages = _pages(office, tmp_path, "\n".join(map(",".join, rows)).encode(), "a.csv")
    words = " ".join(pages).split()
    assert set(rows[0]) | set(rows[1]) == set(words)
    assert words.count("key1") == words.count("id") > 200
