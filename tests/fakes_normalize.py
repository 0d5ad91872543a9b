"""A converter for tests, and small documents of every kind, made in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from drac.errors import CorruptDocument, EmptyDocument, EncryptedDocument


class FakePdfConverter:
    """`ports.PdfConverter` for files whose first line says what happens; each further line is a page."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"converter": "fake"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        data = source.read_bytes()
        if not data:
            raise EmptyDocument(f"{source}: an empty file of 0 bytes")
        lines = data.decode("utf-8", "replace").splitlines()
        if lines[0] == "locked" and password != "open":
            raise EncryptedDocument(f"{source}: encrypted with a password")
        if lines[0] not in ("pages", "locked"):
            raise CorruptDocument(f"{source}: damaged")
        target.write_bytes(pdf_of(*lines[1:]))


def pdf_of(*texts: str, pages: int | None = None) -> bytes:
    """A PDF with a page for each text, written by hand; `pages` sets the declared count.

    The pages come first, then what is drawn on them, as in files that are made for the web.
    """
    count = len(texts)
    kids = " ".join(f"{4 + at} 0 R" for at in range(count))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {count if pages is None else pages}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    objects += [
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]"
        b"/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>" % (4 + count + at)
        for at in range(count)
    ]
    for text in texts:
        drawing = f"BT /F 24 Tf 72 720 Td ({text}) Tj ET".encode()
        objects.append(b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawing), drawing))
    return _file(objects)


def damaged_page_of_three(catalog: bytes = b"", side: int = 800) -> bytes:
    """A PDF whose second page cannot be loaded; `catalog` has more entries, object 8 is a form field."""
    sheet = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Resources<</Font<</F 6 0 R>>>>/Contents 7 0 R>>"
        % (side, side)
    )
    drawing = b"BT /F 7 Tf 72 720 Td (Small print of a page that is whole) Tj ET"
    return _file([
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>",
        sheet,
        b"<</Type/Pages/Kids[2 0 R]/Count 1/Parent 2 0 R>>",
        sheet,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[0 0 50 50]>>",
    ])  # fmt: skip


def _file(objects: list[bytes]) -> bytes:
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, text in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, text))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return out.getvalue()


def docx_of(*paragraphs: str) -> bytes:
    """A Word document of plain paragraphs."""
    from docx import Document

    document, out = Document(), io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(out)
    return out.getvalue()


def pptx_of(*titles: str) -> bytes:
    """A presentation with a slide for each title."""
    from pptx import Presentation

    deck, out = Presentation(), io.BytesIO()
    for title in titles:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    deck.save(out)
    return out.getvalue()


def xlsx_of(*rows: tuple[object, ...]) -> bytes:
    """A workbook of one sheet."""
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def zip_of(parts: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return out.getvalue()


def encrypted_docx(password: str, *paragraphs: str) -> bytes:
    """A Word document under a password."""
    from msoffcrypto.format.ooxml import OOXMLFile

    out = io.BytesIO()
    OOXMLFile(io.BytesIO(docx_of(*paragraphs))).encrypt(password, out)
    return out.getvalue()


def encrypted_pdf(*texts: str, user: str = "", owner: str = "owner") -> bytes:
    """A PDF under a user's or an owner's password."""
    import pymupdf

    with pymupdf.open(stream=pdf_of(*texts), filetype="pdf") as document:
        return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw=owner))


def page_texts(pdf: Path) -> list[str]:
    """The text of each page."""
    import pymupdf

    with pymupdf.open(pdf) as document:
        return [page.get_text().strip() for page in document]
