"""Small page images with text-like lines, made without any PDF."""

from __future__ import annotations

import io
import random

from PIL import Image, ImageDraw

from tests.servers.pages import PageBook

WIDTH, HEIGHT = 850, 1100


def page_image(seed: int, *, lines: int = 40) -> Image.Image:
    """A white page with lines of words whose lengths depend on `seed`."""
    dice = random.Random(seed)
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(image)
    y = 80
    for _ in range(lines):
        y += dice.choice((22, 22, 22, 44))
        _line(pen, dice, y)
    return image


def _line(pen: ImageDraw.ImageDraw, dice: random.Random, y: int) -> None:
    x, end = 80, dice.randint(300, 770)
    while x < end and y < HEIGHT - 60:
        width = dice.randint(15, 80)
        pen.rectangle((x, y, min(x + width, end), y + 11), fill="black")
        x += width + 8


def encoded(image: Image.Image, kind: str = "PNG", **options: int) -> bytes:
    """PNG or JPEG bytes."""
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def text_of_page(document: str, number: int) -> str:
    """Six blocks that stand nowhere else."""
    body = "\n\n".join(f"Paragraph {k} of page {number} in {document}, word by word." for k in range(1, 6))
    return f"## Heading {number} of {document}\n\n{body}"


def drawn_book(pages: int, document: str = "drawn.pdf") -> tuple[PageBook, list[bytes]]:
    """A book of so many pages and their PNGs."""
    book, images = PageBook(), [encoded(page_image(number)) for number in range(1, pages + 1)]
    for number, image in enumerate(images, 1):
        book.add(document, number, image, text_of_page(document, number))
    return book, images
