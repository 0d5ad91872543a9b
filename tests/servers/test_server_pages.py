"""The server knows a page again, whatever the client made of its image."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.servers.drawn import encoded, page_image, text_of_page
from tests.servers.library import book_of, local_markdown, text_layer
from tests.servers.pages import WHOLE, PageBook, Sheet, blocks_of

PAGES = 12


@pytest.fixture(scope="module")
def drawn() -> list[Image.Image]:
    return [page_image(seed) for seed in range(1, PAGES + 1)]


@pytest.fixture(scope="module")
def book(drawn: list[Image.Image]) -> PageBook:
    made = PageBook()
    for number, image in enumerate(drawn, 1):
        made.add("a.pdf", number, encoded(image), text_of_page("a", number))
    return made


def _top(image: Image.Image, share: float) -> Image.Image:
    return image.crop((0, 0, image.width, round(image.height * share)))


def _bottom(image: Image.Image, share: float) -> Image.Image:
    return image.crop((0, round(image.height * (1 - share)), image.width, image.height))


CHANGES: dict[str, tuple[Callable[[Image.Image], bytes], tuple[float, float]]] = {
    "jpeg": (lambda image: encoded(image, "JPEG", quality=50), WHOLE),
    "small": (lambda image: encoded(image.resize((425, 550))), WHOLE),
    "square": (lambda image: encoded(image.resize((896, 896)), "JPEG"), WHOLE),
    "top half": (lambda image: encoded(_top(image, 0.5)), (0.0, 0.5)),
    "bottom half": (lambda image: encoded(_bottom(image, 0.5)), (0.5, 1.0)),
    "top and some": (lambda image: encoded(_top(image, 0.55), "JPEG"), (0.0, 0.55)),
    "bottom, enlarged": (lambda image: encoded(_bottom(image, 0.55).resize((1700, 1210))), (0.45, 1.0)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_image_finds_its_page_and_part(name: str, book: PageBook, drawn: list[Image.Image]) -> None:
    change, part = CHANGES[name]
    for number, image in enumerate(drawn, 1):
        (found,) = book.find(change(image))
        assert found.sheet is not None
        assert found.sheet.number == number
        assert found.part == pytest.approx(part, abs=0.02)
        assert not found.exact


def test_the_same_bytes_are_found_exactly(book: PageBook, drawn: list[Image.Image]) -> None:
    (found,) = book.find(encoded(drawn[3]))
    assert found.exact
    assert found.text == text_of_page("a", 4)


def test_other_pages_are_unknown_and_white_ones_plain(book: PageBook) -> None:
    (stranger,) = book.find(encoded(page_image(999)))
    (white,) = book.find(encoded(Image.new("RGB", (850, 550), "white")))
    assert stranger.sheet is None
    assert not stranger.plain
    assert white.plain


def test_pages_that_look_the_same_are_all_found() -> None:
    book, image = PageBook(), encoded(page_image(1))
    book.add("a.pdf", 1, image, "one")
    book.add("b.pdf", 7, image, "two")
    assert [found.sheet.document for found in book.find(image) if found.sheet] == ["a.pdf", "b.pdf"]


@pytest.mark.parametrize("cut", [0.2, 0.37, 0.5, 0.81])
@pytest.mark.parametrize("blocks", [2, 3, 10])
def test_two_tiles_that_meet_say_every_block_once(cut: float, blocks: int) -> None:
    markdown = "\n\n".join(f"Block {k} " + "x" * k * 7 for k in range(blocks))
    sheet = Sheet("a", 1, markdown, "", 1.0, b"")
    tiles = (sheet.say((0.0, cut)), sheet.say((cut, 1.0)))
    assert "\n\n".join(tile for tile in tiles if tile) == markdown


def test_a_lone_block_is_cut_at_a_sentence() -> None:
    assert blocks_of("One sentence. Another sentence. A third.") == [
        "One sentence.", "Another sentence. A third.",
    ]  # fmt: skip


def test_a_saved_book_is_the_same(book: PageBook, tmp_path: Path) -> None:
    book.save(tmp_path / "book.jsonl")
    assert PageBook.load(tmp_path / "book.jsonl").sheets == book.sheets


def test_a_book_of_a_pdf_says_its_text(repository: Path) -> None:
    pdf = min(
        (repository / "corpora" / "sample" / "documents").rglob("*.pdf"), key=lambda one: one.stat().st_size
    )
    book = book_of({"sample": pdf}, text_layer)
    assert [sheet.number for sheet in book.sheets] == list(range(1, len(book.sheets) + 1))
    words = book.page("sample", 1).markdown.split()
    local = set(local_markdown(pdf, 1).replace("#", " ").split())
    assert len(words) > 20
    assert sum(word in local for word in words) / len(words) > 0.5
