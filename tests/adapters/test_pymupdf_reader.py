"""The `local` engine on small PDFs made here."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf
import pytest
from fakes_normalize import damaged_page_of_three

from drac.adapters.pymupdf_facts import SAMPLE, sample
from drac.adapters.pymupdf_pdf import page_labels
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.pymupdf_text import page_content, shown_page
from drac.config import ConvertSettings
from drac.records import Page, PageState, PageText

Draw = Callable[[pymupdf.Document], object]
BODY = "The quick brown fox jumps over the lazy dog and then has a long rest under the old tree."


@pytest.fixture(scope="module")
def reader() -> LocalReader:
    return LocalReader(ConvertSettings())


@pytest.fixture
def read(reader: LocalReader, tmp_path: Path) -> Callable[[Draw], list[PageText]]:
    """Draw a document and read all its pages."""

    def run(draw: Draw) -> list[PageText]:
        path = tmp_path / "made.pdf"
        with pymupdf.open() as document:
            draw(document)
            count = document.page_count
            document.save(path)
        return list(reader.read(path, [Page(str(tmp_path), number) for number in range(1, count + 1)]))

    return run


Read = Callable[[Draw], list[PageText]]


def test_f16_text_that_cannot_be_seen_is_no_content(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((72, 200), "BLACK words are here")
        page.insert_text((72, 300), "UNSEEN by render mode", render_mode=3)
        page.insert_text((72, 400), "WHITE on white", color=(1, 1, 1))
        page.insert_text((72, 500), "CLEAR without opacity", fill_opacity=0)

    (text,) = read(draw)
    assert text.markdown == "BLACK words are here"
    (note,) = text.notes
    assert all(word in note for word in ("UNSEEN", "WHITE", "CLEAR"))


def test_f16_white_text_on_a_dark_ground_is_content(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.draw_rect((60, 180, 400, 220), fill=(0, 0, 0.4))
        page.insert_text((72, 205), "WHITE on blue", color=(1, 1, 1))

    (text,) = read(draw)
    assert "WHITE on blue" in text.markdown
    assert text.notes == ()


def test_f16_a_font_without_unicode_is_read_from_the_image(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=300, height=200)
        page.insert_text((40, 100), "Readable 417", fontsize=18)
        garble(document, page)

    (text,) = read(draw)
    assert text.method == "ocr"
    assert "Readable 417" in text.markdown


def garble(document: pymupdf.Document, page: pymupdf.Page) -> None:
    """Give the page's font a map to private code points, as fonts without a usable map end up."""
    font = page.get_fonts()[0][0]
    pairs = "\n".join(f"<{code:02x}> <{0xE000 + code:04x}>" for code in range(32, 127))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"95 beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, cmap.encode())
    document.xref_set_key(font, "ToUnicode", f"{stream} 0 R")


def scan(document: pymupdf.Document, *texts: str) -> pymupdf.Page:
    """A page that is one picture of the texts."""
    with pymupdf.open() as sheet:
        drawn = sheet.new_page(width=400, height=300)
        for place, text in enumerate(texts):
            drawn.insert_text((40, 60 + 40 * place), text, fontsize=14)
        pixels = drawn.get_pixmap(dpi=150)
    page = document.new_page(width=400, height=300)
    page.insert_image(page.rect, pixmap=pixels)
    return page


def test_a_scan_is_read_by_ocr_even_under_an_unseen_layer(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        scan(document, "Contract 8821", "signed in Oslo").insert_text((40, 60), "wr0ng lay3r", render_mode=3)

    (text,) = read(draw)
    assert (text.state, text.method) == (PageState.OK, "ocr")
    assert "Contract 8821" in text.markdown
    assert "signed in Oslo" in text.markdown
    assert "wr0ng" not in text.markdown
    x0, y0, x1, y1 = text.regions[0].boxes[0]
    assert 30 < x0 < 50 and 40 < y0 < 60 and x1 < 200 and y1 < 120


def test_a_scan_with_a_long_stamp_in_its_margin_is_read_by_ocr(read: Read) -> None:
    stamp = "Case 2:18-cv-12857-DML-RSW   ECF No. 1   filed 09/13/18   PageID.2   Page 2 of 16"

    def add(document: pymupdf.Document) -> None:
        scan(document, "Contract 8821", "signed in Oslo").insert_text((40, 20), stamp, fontsize=9)

    (text,) = read(add)
    assert text.method == "ocr"
    assert "Contract 8821" in text.markdown


def test_ocr_can_be_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    with pymupdf.open() as document:
        scan(document, "Contract 8821")
        document.save(path)
    (text,) = LocalReader(ConvertSettings(ocr="never")).read(path, [Page("scan", 1)])
    assert (text.state, text.method, text.markdown) == (PageState.OK, "text-layer", "")


def test_headings_lists_and_furniture_of_a_document(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number in range(1, 5):
            page = document.new_page()
            page.insert_text((72, 40), "Handbook of Acme", fontsize=8)
            page.insert_text((72, 110), f"Chapter {'ABCD'[number - 1]}", fontsize=20, fontname="hebo")
            page.insert_textbox((72, 140, 520, 260), BODY * 3, fontsize=11)
            page.insert_text((290, 810), f"{number}", fontsize=9)

    texts = read(draw)
    for text, letter in zip(texts, "ABCD", strict=True):
        assert text.markdown.startswith(f"# Chapter {letter}\n\nThe quick brown fox")
        assert set(text.furniture) == {"Handbook of Acme", str(text.page.number)}


def draw_grid(page: pymupdf.Page, rows: Sequence[Sequence[str]]) -> None:
    """A ruled table, 200 points a column."""
    bottom, right = 100 + 20 * len(rows), 60 + 200 * len(rows[0])
    for x in range(60, right + 1, 200):
        page.draw_line((x, 100), (x, bottom))
    for y in range(100, bottom + 1, 20):
        page.draw_line((60, y), (right, y))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            page.insert_text((65 + 200 * column, 114 + 20 * row), text, fontsize=11)


def test_f36_a_pipe_in_a_cell_is_no_border(read: Read) -> None:
    rows = [("Pattern", "Count"), ("x|y", "3"), ("a | b", "4"), ("||", "5")]

    def draw(document: pymupdf.Document) -> None:
        draw_grid(document.new_page(), rows)

    [text] = read(draw)
    [table] = text.tables
    assert (table.rows, table.columns, table.header_rows) == (4, 2, 1)
    assert [cell.text for cell in table.cells] == [one for row in rows for one in row]
    assert text.markdown.split("\n\n") == [
        "Pattern: x|y; Count: 3.", "Pattern: a | b; Count: 4.", "Pattern: ||; Count: 5.",
    ]  # fmt: skip


def test_a_clause_that_is_repeated_on_the_page_is_no_footer(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number in range(3):
            page = document.new_page()
            page.insert_text((72, 60), "Agreement of Acme", fontsize=8)
            for place, y in enumerate((150, 350, 780)):
                page.insert_text(
                    (72, y - 30), f"{3 * number + place + 1}. Terms", fontname="hebo", fontsize=14
                )
                page.insert_text((72, y), "This clause is the same wherever it stands.")

    for text in read(draw):
        assert text.markdown.count("This clause is the same wherever it stands.") == 3
        assert text.furniture == ("Agreement of Acme",)


def test_the_chapters_title_beside_the_pages_number_is_furniture(read: Read) -> None:
    chapters = ["Fares", "Fares", "Pets", "Lost property", "Parking"]

    def draw(document: pymupdf.Document) -> None:
        for number, chapter in enumerate(chapters, 4):
            page = document.new_page()
            page.insert_text((60, 40), chapter, fontsize=9)
            page.insert_text((520, 40), str(number), fontsize=9)
            if number == 6:
                page.insert_text((60, 100), "Parking", fontsize=16)
            page.insert_textbox((60, 130, 540, 300), "The ferry carries what it can. " * 20, fontsize=11)

    for text, chapter in zip(read(draw), chapters, strict=True):
        kept = chapter == "Parking"
        assert set(" ".join(text.furniture).split()) == {
            *chapter.split() * (not kept),
            str(text.page.number + 3),
        }
        assert ("# Parking" in text.markdown) == (text.page.number == 3)


def test_numbers_that_do_not_run_with_the_page_are_content(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number in (40, 7, 19, 23):
            page = document.new_page()
            page.insert_text((72, 60), f"Room {number}", fontsize=11)
            page.insert_textbox((72, 140, 520, 260), BODY * 3, fontsize=11)
            page.insert_text((72, 810), f"Acme, sheet {page.number + 1}", fontsize=9)

    for text, number in zip(read(draw), (40, 7, 19, 23), strict=True):
        assert f"Room {number}" in text.markdown
        assert text.furniture == (f"Acme, sheet {text.page.number}",)


def draw_everything(document: pymupdf.Document) -> None:
    """Two pages with a running header, a ruled table with a head on its side, labels and a page number."""
    for number in (1, 2):
        page = document.new_page()
        page.insert_text((72, 40), "Report of Acme", fontsize=9)
        page.insert_text((72, 90), f"Part {'AB'[number - 1]}", fontsize=18, fontname="hebo")
        page.insert_textbox((72, 120, 520, 200), BODY * 2, fontsize=11)
        for row in range(5):
            page.draw_line((72, 300 + 15 * row), (272, 300 + 15 * row))
        for column in range(3):
            page.draw_line((72 + 100 * column, 300), (72 + 100 * column, 360))
            page.insert_text((80 + 100 * column, 290), f"slant{column}", rotate=90, fontsize=9)
        for row in range(4):
            page.insert_text((76, 311 + 15 * row), f"key{row}", fontsize=9)
            page.insert_text((176, 311 + 15 * row), f"{row * 11}", fontsize=9)
        page.insert_text((400, 500), "margin", rotate=270, fontsize=9)
        page.insert_text((290, 820), str(number), fontsize=9)


def lost(pdf: Path, texts: Sequence[PageText]) -> dict[int, str]:
    """Characters of each page's visible text layer that are neither in its Markdown nor its furniture."""
    missing = {}
    with pymupdf.open(pdf) as document:
        for text in texts:
            if text.method == "text-layer":
                content = page_content(shown_page(document, text.page.number - 1))
                seen = Counter(c for line in content.lines for c in line.text if c.isalnum())
                seen.subtract(c for part in (text.markdown, *text.furniture) for c in part)
                missing[text.page.number] = "".join(sorted((+seen).elements()))
    return {number: left for number, left in missing.items() if left}


def test_every_visible_word_is_in_the_text_or_the_furniture(read: Read, tmp_path: Path) -> None:
    texts = read(draw_everything)
    assert lost(tmp_path / "made.pdf", texts) == {}
    for text in texts:
        words = f"{text.markdown} {' '.join(text.furniture)}"
        assert all(one in words for one in ("slant0", "slant2", "margin", "Report of Acme"))
        assert "key1: 11.\n\nkey2: 22." in text.markdown


@pytest.mark.parametrize(
    "name",
    ["redp5110_sampled.pdf", "list-item-example.pdf", "all-number-table.pdf", "korean-text-with-tables.pdf"],
)
def test_every_visible_word_of_real_pages_is_kept(reader: LocalReader, corpora: Path, name: str) -> None:
    pdf = corpora / "documents" / "pdf" / name
    if not pdf.exists():
        pytest.skip(f"DRAC_CORPORA holds no documents/pdf/{name}")
    with pymupdf.open(pdf) as document:
        pages = [Page(name, number) for number in range(1, document.page_count + 1)][-9:]
    texts = reader.read(pdf, pages)
    assert all(text.state != PageState.FAILED for text in texts)
    assert lost(pdf, texts) == {}


def test_rotated_and_cropped_pages_have_boxes_as_shown(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=400, height=600)
        page.insert_text((100, 300), "sideways", rotate=90, fontsize=12)
        page.set_rotation(90)

    (text,) = read(draw)
    assert text.markdown == "sideways"
    (x0, y0, x1, y1) = text.regions[0].boxes[0]
    assert x1 - x0 > y1 - y0
    assert 0 <= x0 <= x1 <= 600 and 0 <= y0 <= y1 <= 400


def test_a_page_without_ink_is_blank_and_a_picture_is_not(read: Read) -> None:
    def draw(document: pymupdf.Document) -> None:
        document.new_page()
        document.new_page().draw_circle((200, 200), 90, fill=(0.2, 0.5, 0.2))

    blank, picture = read(draw)
    assert blank.state == PageState.BLANK
    assert (picture.state, picture.markdown) == (PageState.OK, "")
    assert "OCR found no text" in picture.notes


def test_batches_of_a_document_give_the_same_text_as_one_call(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    with pymupdf.open() as document:
        for number in range(6):
            page = document.new_page()
            page.insert_text((72, 110), f"Part {number}", fontsize=16)
            page.insert_textbox((72, 140, 520, 260), BODY, fontsize=11)
        document.save(path)
    pages = [Page("long", number) for number in range(1, 7)]
    whole = list(LocalReader(ConvertSettings()).read(path, pages))
    pieces = LocalReader(ConvertSettings())
    assert [text for page in reversed(pages) for text in pieces.read(path, [page])] == whole[::-1]


def test_a_long_document_is_sampled_in_pairs() -> None:
    assert sample(5) == [0, 1, 2, 3, 4]
    chosen = sample(1000)
    assert len(chosen) == SAMPLE
    assert {0, 1, 998, 999} <= set(chosen)
    assert all(index + 1 in chosen or index - 1 in chosen for index in chosen)


def test_stdout_of_a_process_that_reads_stays_clean(tmp_path: Path) -> None:
    path = tmp_path / "one.pdf"
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 300), "clean")
        document.save(path)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from drac.adapters.pymupdf_reader import LocalReader\n"
        "from drac.config import ConvertSettings\n"
        "from drac.records import Page\n"
        "reader = LocalReader(ConvertSettings())\n"
        "texts = reader.read(Path(sys.argv[1]), [Page('one', 1)])\n"
        "print(texts[0].markdown)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "clean\n"
    assert done.stderr == ""


def test_tables_of_the_corpus_become_whole_rows(reader: LocalReader, rag_multi_corpus: Path) -> None:
    pdf = rag_multi_corpus / "datasets" / "Velvera Technologies" / "pdf" / "store_locations.pdf"
    (text,) = reader.read(pdf, [Page("store_locations", 1)])
    assert (
        "Store ID: VL-001; Store Name: Velvera Experience Center; City: Bengaluru; State/UT: Karnataka; "
        "Address: 12 MG Road, Trinity Circle, Bengaluru 560001; Contact Number: 080-46620013; "
        "Opening Hours: 10 AM - 8 PM, Mon-Sun; Manager Name: Shreya Narayan; Email: mgroad.blr@velvera.com."
    ) in text.markdown.split("\n\n")
    assert text.furniture == ("1",)


def test_the_value_of_a_form_field_on_a_rotated_page_is_whole(read: Read) -> None:
    value = "the value of a field that is as wide as its text"

    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((100, 700), BODY, rotate=90)
        field = pymupdf.Widget()
        field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "note"
        field.rect, field.field_value = pymupdf.Rect(72, 200, 360, 222), value
        field.text_fontsize = 8
        page.add_widget(field)
        page.set_rotation(90)

    [text] = read(draw)
    assert text.markdown.count(value) == 1


@pytest.mark.parametrize("catalog", [b"", b"/AcroForm<</Fields[8 0 R]>>", b"/PageLabels<</Nums[0<</S/r>>]>>"])
def test_a_damaged_page_costs_no_other(reader: LocalReader, tmp_path: Path, catalog: bytes) -> None:
    path = tmp_path / "made.pdf"
    path.write_bytes(damaged_page_of_three(catalog))
    assert page_labels(path) == (("i", 2, "iii") if b"Labels" in catalog else ())
    texts = reader.read(path, [Page("digest" + str(catalog), number) for number in (1, 2, 3)])
    assert [one.state for one in texts] == [PageState.OK, PageState.FAILED, PageState.OK]
    assert texts[1].attempts[0].outcome == "damaged: cycle in page tree"


def test_the_first_slides_title_stands_above_those_of_the_others(tmp_path: Path) -> None:
    titles = ("Safety at sea", "Boats", "Rafts")
    for program, levels in (("Impress", [1, 2, 2]), ("Writer", [1, 1, 1])):
        path = tmp_path / f"{program}.pdf"
        with pymupdf.open() as document:
            for title in titles:
                page = document.new_page(width=720, height=405)
                page.insert_text((60, 60), title, fontsize=30)
                page.insert_text((60, 120), "There are enough for all who are aboard.", fontsize=18)
            document.set_toc([[1, title, n] for n, title in enumerate(titles, 1)])
            document.set_metadata({"creator": program})
            document.save(path)
        read = LocalReader(ConvertSettings(ocr="never")).read(path, [Page(program, n) for n in (1, 2, 3)])
        heads = [one.markdown.split(" ")[0] for one in read]
        assert [len(head) for head in heads] == levels, [one.markdown for one in read]
