"""Slides are whole in the PDF, and their pages keep the numbers of the file."""

from __future__ import annotations

import inspect
import io
import json
import re
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymupdf
import pytest
from fakes_normalize import page_texts

from drac.adapters.libreoffice import LibreOfficeConverter, numbers_file
from drac.adapters.libreoffice_slides import SlideFitter, places_in_lists
from drac.adapters.pymupdf_pdf import label_pages
from drac.adapters.pymupdf_reader import LocalReader
from drac.config import ConvertSettings
from drac.records import Page


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    with LibreOfficeConverter(tmp_path_factory.mktemp("office")) as converter:
        yield converter


def _slides(*fill: Callable[[Any], None]) -> bytes:
    """A presentation with a titled slide for each of `fill`, which is given the slide."""
    from pptx import Presentation

    presentation, out = Presentation(), io.BytesIO()
    for number, one in enumerate(fill, 1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Title{number}"
        one(slide)
    presentation.save(out)
    return out.getvalue()


def _lines(count: int) -> Callable[[Any], None]:
    def fill(slide: Any) -> None:
        slide.placeholders[1].text = "\n".join(f"line{n} has some words" for n in range(count))

    return fill


def _hidden(slide: Any) -> None:
    _lines(2)(slide)
    slide._element.set("show", "0")


def _table(rows: int) -> Callable[[Any], None]:
    def fill(slide: Any) -> None:
        from pptx.util import Inches

        slide.placeholders[1]._element.getparent().remove(slide.placeholders[1]._element)
        shape = slide.shapes.add_table(rows, 3, Inches(0.5), Inches(1.5), Inches(9), Inches(1))
        for row in range(rows):
            for column, text in enumerate(("Identifier", f"row{row}", "a somewhat longer remark")):
                shape.table.cell(row, column).text = text if row else f"head{column}"
        shape.table.columns[0].width = Inches(0.3)

    return fill


def _convert(
    office: LibreOfficeConverter, folder: Path, *fill: Callable[[Any], None]
) -> tuple[list[str], list[int]]:
    """Text of each page inside its edges, and the slide that each page is of."""
    source, target = folder / "a.pptx", folder / "out.pdf"
    source.write_bytes(_slides(*fill))
    office.convert(source, target, suffix=".pptx")
    texts = page_texts(target)
    numbers = numbers_file(target)
    return texts, json.loads(numbers.read_text()) if numbers.exists() else list(range(1, len(texts) + 1))


def test_slides_that_fit_stay_as_they_are(office: LibreOfficeConverter, tmp_path: Path) -> None:
    texts, numbers = _convert(office, tmp_path, _lines(5), _lines(3))
    assert numbers == [1, 2]
    with pymupdf.open(tmp_path / "out.pdf") as document:
        sizes = {round(span["size"]) for block in document[0].get_text("dict")["blocks"][1:]
                 for line in block.get("lines", ()) for span in line["spans"]}  # fmt: skip
    assert sizes == {32}
    assert "line4" in texts[0]


def test_a_little_too_much_text_is_shrunk(office: LibreOfficeConverter, tmp_path: Path) -> None:
    texts, numbers = _convert(office, tmp_path, _lines(13))
    assert numbers == [1]
    assert all(f"line{n} has" in texts[0] for n in range(13))


def test_much_more_text_goes_on_under_the_title_and_the_number(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    texts, numbers = _convert(office, tmp_path, _lines(70), _lines(2))
    assert len(texts) == len(numbers) > 2
    assert numbers == [1] * (len(numbers) - 1) + [2]
    assert all("Title1" in text for text in texts[:-1]) and "Title2" in texts[-1]
    words = [word for text in texts[:-1] for word in text.split() if word.startswith("line")]
    assert words == [f"line{n}" for n in range(70)]


def test_a_title_is_read_once_though_its_slide_goes_on(office: LibreOfficeConverter, tmp_path: Path) -> None:
    texts, numbers = _convert(office, tmp_path, _lines(70), _lines(2), _lines(2))
    pdf, count = tmp_path / "out.pdf", len(texts)
    label_pages(pdf, numbers)
    read = LocalReader(ConvertSettings(ocr="never")).read(pdf, [Page("slides", n + 1) for n in range(count)])
    headings = [line for one in read for line in one.markdown.splitlines() if line.startswith("#")]
    assert headings == ["# Title1", "## Title2", "## Title3"]
    assert [one.furniture for one in read[1 : count - 2]] == [("Title1",)] * (count - 3)


def test_both_columns_of_a_slide_go_on(office: LibreOfficeConverter, tmp_path: Path) -> None:
    from pptx import Presentation

    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[3])
    slide.shapes.title.text = "Title1"
    for number, name in ((1, "left"), (2, "right")):
        slide.placeholders[number].text = "\n".join(f"{name}{n} of it" for n in range(40))
    last = presentation.slides.add_slide(presentation.slide_layouts[1])
    last.shapes.title.text = "Title2"
    presentation.save(tmp_path / "a.pptx")
    office.convert(tmp_path / "a.pptx", tmp_path / "out.pdf", suffix=".pptx")
    texts = page_texts(tmp_path / "out.pdf")
    words = " ".join(texts).split()
    for name in ("left", "right"):
        found = [word for word in words if word.startswith(name)]
        assert found == [f"{name}{n}" for n in range(40)]
    assert json.loads(numbers_file(tmp_path / "out.pdf").read_text()) == [1] * (len(texts) - 1) + [2]


def test_a_long_table_goes_on_with_its_header(office: LibreOfficeConverter, tmp_path: Path) -> None:
    texts, numbers = _convert(office, tmp_path, _table(60))
    assert len(texts) > 1 and set(numbers) == {1}
    assert all("head1" in text for text in texts)
    rows = [word for text in texts for word in text.split() if word.startswith("row")]
    assert rows == [f"row{n}" for n in range(1, 60)]
    assert all("Identifier" in text for text in texts), "the narrow column was widened"


def test_texts_off_the_edges_and_in_groups_are_brought_in(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    from pptx import Presentation
    from pptx.enum.text import MSO_ANCHOR
    from pptx.util import Inches

    def box(shapes: Any, place: tuple[float, float, float], text: str) -> Any:
        frame = shapes.add_textbox(*map(Inches, place), Inches(0.5)).text_frame
        frame.word_wrap, frame.text = True, text
        return frame

    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    box(slide.shapes.add_group_shape().shapes, (1, 5, 4), "\n".join(f"grouped{n}" for n in range(40)))
    middle = box(slide.shapes, (6, 0.2, 3), "\n".join(f"middle{n}" for n in range(20)))
    middle.vertical_anchor = MSO_ANCHOR.MIDDLE
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    table = slide.shapes.add_table(1, 4, Inches(7), Inches(1), Inches(9), Inches(1)).table
    for column in range(4):
        table.cell(0, column).text = f"cell{column}"
    box(slide.shapes, (6, 4, 7), " ".join(f"wide{n}" for n in range(30)))
    box(slide.shapes, (12, 4, 2), "beside")
    presentation.save(tmp_path / "a.pptx")
    office.convert(tmp_path / "a.pptx", tmp_path / "out.pdf", suffix=".pptx")
    words = Counter(" ".join(page_texts(tmp_path / "out.pdf")).split())
    wanted = {"grouped": 40, "middle": 20, "cell": 4, "wide": 30}
    assert words == Counter(f"{name}{n}" for name, count in wanted.items() for n in range(count))


def test_hidden_slides_are_left_out_and_counted(office: LibreOfficeConverter, tmp_path: Path) -> None:
    texts, numbers = _convert(office, tmp_path, _lines(1), _hidden, _lines(1))
    assert ["Title1" in texts[0], "Title3" in texts[1]] == [True, True]
    assert (len(texts), numbers) == (2, [1, 3])


def test_labels_say_the_numbers_of_the_original(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for _ in range(4):
            document.new_page()
        document.save(tmp_path / "a.pdf")
    label_pages(tmp_path / "a.pdf", (1, 1, 3, 4))
    once = (tmp_path / "a.pdf").read_bytes()
    with pymupdf.open(tmp_path / "a.pdf") as document:
        assert [page.get_label() for page in document] == ["1", "1", "3", "4"]
    label_pages(tmp_path / "a.pdf", (1, 1, 3, 4))
    assert len((tmp_path / "a.pdf").read_bytes()) == pytest.approx(len(once), abs=200)


def _numbered(count: int) -> Callable[[Any], None]:
    def fill(slide: Any) -> None:
        from lxml import etree

        slide.placeholders[1].text = "Intro\n" + "\n".join(f"item{n} in a list" for n in range(1, count + 1))
        space = "http://schemas.openxmlformats.org/drawingml/2006/main"
        for paragraph in slide.placeholders[1].text_frame.paragraphs[1:]:
            etree.SubElement(paragraph._p.get_or_add_pPr(), f"{{{space}}}buAutoNum", type="arabicPeriod")

    return fill


def test_numbered_items_keep_their_numbers_on_a_continuation(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    texts, _ = _convert(office, tmp_path, _numbered(60))
    assert len(texts) > 2
    shown = re.findall(r"(\d+)\.\s*item(\d+)", " ".join(texts))
    assert shown == [(str(n), str(n)) for n in range(1, 61)]
    assert "•" not in texts[1]


def test_places_in_lists() -> None:
    assert places_in_lists([None, 0, 0, 1, 1, 0, 1]) == [
        (None, 0), (1, 0), (1, 1), (3, 0), (3, 1), (1, 2), (6, 0),
    ]  # fmt: skip


class _Page:
    """A slide of one text that is too long, which may refuse to be cut."""

    Height, Width, Visible = 1000, 1000, True

    def __init__(self, pages: _Pages) -> None:
        self.pages = pages

    def getCount(self) -> int:
        return 1

    def getByIndex(self, index: int) -> Any:
        return self.pages.shape


class _Pages:
    """A document, and its own list of slides."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.pages = [_Page(self)]

    def getDrawPages(self) -> _Pages:
        return self

    def getCount(self) -> int:
        return len(self.pages)

    def getByIndex(self, index: int) -> _Page:
        return self.pages[index]

    def duplicate(self, page: _Page) -> _Page:
        self.pages.insert(self.pages.index(page) + 1, _Page(self))
        return self.pages[self.pages.index(page) + 1]

    def remove(self, page: _Page) -> None:
        self.pages.remove(page)


class _Stubborn:
    """A shape whose text cannot be cut."""

    ShapeType = "text"
    TextAutoGrowHeight = False

    def __init__(self) -> None:
        self.Position, self.Size = SimpleNamespace(Y=0), SimpleNamespace(Height=9000)

    def getString(self) -> str:
        return "text"

    def supportsService(self, name: str) -> bool:
        return False

    def setSize(self, size: Any) -> None:
        size.Height = 9000

    def setPosition(self, place: Any) -> None:
        pass

    def createEnumeration(self) -> Any:
        if self.Size.Height == 9000 and "_cut_text" in {frame.function for frame in inspect.stack()}:
            raise RuntimeError("cannot be cut")
        return SimpleNamespace(hasMoreElements=lambda: False)


def test_a_slide_that_cannot_be_parted_is_left_whole_once() -> None:
    document = _Pages(_Stubborn())
    tables = SimpleNamespace(longest_word=len, fit=lambda widths, least: None)
    shapes = SimpleNamespace(bring_in=lambda page: None, may_run_off=lambda shape, room: True)
    assert SlideFitter(document, tables, shapes).run() == [1]
    assert len(document.pages) == 1


def test_shapes_are_referenced_to_the_end_as_one_that_is_made_anew_may_be_flat() -> None:
    """As LibreOffice does, a UNO object is made when it is asked for and none is alive."""
    alive: weakref.WeakValueDictionary[int, _Stubborn] = weakref.WeakValueDictionary()
    made = []

    class Page(_Page):
        def getByIndex(self, index: int) -> Any:
            if id(self) not in alive:
                made.append(self)
            shape = alive[id(self)] = alive.get(id(self)) or _Stubborn()
            return shape

    document = _Pages(_Stubborn())
    document.pages = [Page(document), Page(document)]
    tables = SimpleNamespace(longest_word=len, fit=lambda widths, least: None)
    shapes = SimpleNamespace(bring_in=lambda page: page.getByIndex(0), may_run_off=lambda shape, room: False)
    fitter = SlideFitter(document, tables, shapes)
    assert fitter.run() == [1, 2]
    assert made == document.pages
