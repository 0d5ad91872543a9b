"""PDF documents as they are, by PyMuPDF: checked, and decrypted where a password was needed.

PyMuPDF is imported inside the functions: it prints to file descriptor 1, and runs in worker processes only.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from drac.adapters.pymupdf_lines import plain_text
from drac.errors import CorruptDocument, EmptyDocument, EncryptedDocument, LimitExceeded
from drac.ports import PdfInfo

log = logging.getLogger(__name__)

_TAIL = 2_048
"""Bytes at the end in which `startxref` stands in a file that is whole (ISO 32000-1, 7.5.5)."""
_PLAIN = 2 | 4
"""Flags of MuPDF's text extraction: white space and ligatures as they are drawn; no images."""
_REFERENCE = re.compile(r"\b(\d+) \d+ R\b")


class PdfPassthrough:
    """`ports.PdfConverter` for PDF: the bytes stay as they are, unless a password was needed."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """PyMuPDF's version: it decrypts, and decides what is damaged."""
        return {"pymupdf": version("pymupdf"), "converter": "2"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Copy `source` to `target`, decrypted where it opens with `password` only.

        Raises EncryptedDocument, EmptyDocument (no pages) or CorruptDocument (also where pages or parts of
        them are missing that the file says it has). Damage that MuPDF repairs without loss passes.
        """
        with opened(source, password) as (document, locked):
            _check(source, document)
            if locked:
                _save_decrypted(document, target)
            else:
                shutil.copyfile(source, target)


def label_pages(pdf: Path, numbers: Sequence[int]) -> None:
    """Write into a PDF which numbers viewers show for its pages (ISO 32000-1, 12.4.2)."""
    import pymupdf

    starts = [n for n, number in enumerate(numbers) if n == 0 or number != numbers[n - 1] + 1]
    labels = [{"startpage": n, "prefix": "", "style": "D", "firstpagenum": numbers[n]} for n in starts]
    with pymupdf.open(pdf, filetype="pdf") as document:
        document.set_page_labels(labels)
        data = document.tobytes(no_new_id=True)
    pdf.write_bytes(data)


def page_labels(pdf: Path) -> tuple[int | str, ...]:
    """What viewers show as the number of each page, a text where that is none; empty where it is 1, 2, 3."""
    with opened(pdf) as (document, _):
        if not document.get_page_labels():
            return ()
        labels = [_label(document, at) or str(at + 1) for at in range(document.page_count)]
    shown = tuple(int(one) if one.isdecimal() else one for one in labels)
    return () if shown == tuple(range(1, len(shown) + 1)) else shown


def _label(document: Any, index: int) -> str:
    """What viewers show as the page's number; empty where there is none, or the page is damaged."""
    import pymupdf

    try:
        return str(document[index].get_label())
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return ""


def inspect(pdf: Path, password: str | None = None) -> PdfInfo:
    """Pages of a PDF and whether it needs a password; raises as `PdfPassthrough.convert` does."""
    with opened(pdf, password) as (document, locked):
        _check(pdf, document)
        return PdfInfo(pages=document.page_count, encrypted=locked)


def runs_over(pdf: bytes) -> bool:
    """Whether text of a PDF runs over the right edge of its page, where no reader sees it."""
    import pymupdf

    everything = pymupdf.INFINITE_RECT()
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return any(
            word[2] > page.rect.x1 + 1.0
            for page in document
            for word in page.get_text("words", clip=everything)
        )


def fonts_and_text(pdf: Path) -> tuple[tuple[str, ...], str]:
    """Font families that a PDF embeds or names, sorted, and its text, pages joined by form feeds."""
    with opened(pdf) as (document, _):
        names = {font[3] for page in range(document.page_count) for font in document.get_page_fonts(page)}
        text = "\f".join(plain_text(page, _PLAIN) for page in document)
    return tuple(sorted({_family(name) for name in names})), text


def _family(name: str) -> str:
    """`Carlito` of `BAAAAA+Carlito-Bold`."""
    plain = re.sub(r"^[A-Z]{6}\+", "", name)
    return re.split(r"[-,]", plain)[0]


@contextmanager
def opened(pdf: Path, password: str | None = None) -> Iterator[tuple[Any, bool]]:
    """The PDF as a `pymupdf.Document`, unlocked, and whether it was locked.

    Raises EmptyDocument, CorruptDocument or EncryptedDocument. Do not ask the document whether it
    `needs_pass`: MuPDF answers by trying the empty password, and every stream then decrypts to nothing.
    """
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(pdf, filetype="pdf") as document:
            yield document, _unlock(pdf, document, password)
    except pymupdf.EmptyFileError as error:
        raise EmptyDocument(f"{pdf}: an empty file of 0 bytes") from error
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        if "malloc" in str(error):
            raise LimitExceeded(f"{pdf}: it takes more memory than a worker may ask for ({error})") from error
        log.debug("%s", pdf, exc_info=error)
        raise CorruptDocument(f"{pdf}: damaged beyond repair; it cannot be read as a PDF") from error


def _unlock(pdf: Path, document: Any, password: str | None) -> bool:
    if not document.needs_pass:
        return False
    if password is None:
        raise EncryptedDocument(f"{pdf}: encrypted with a password")
    if not document.authenticate(password):
        raise EncryptedDocument(f"{pdf}: encrypted, and the password given does not open it")
    return True


def _save_decrypted(document: Any, target: Path) -> None:
    """Objects and numbering as they are and no new identifier: the same bytes every time."""
    import pymupdf

    document.save(target, encryption=pymupdf.PDF_ENCRYPT_NONE, no_new_id=True)


def _check(pdf: Path, document: Any) -> None:
    """Raise unless the document has pages, and all that it says it has."""
    if document.page_count == 0:
        if document.is_repaired:
            raise CorruptDocument(f"{pdf}: truncated or damaged; its list of pages is lost")
        raise EmptyDocument(f"{pdf}: a PDF without pages")
    if document.is_repaired:
        _check_repaired(pdf, document)


def _check_repaired(pdf: Path, document: Any) -> None:
    lost = [number for number in range(1, document.page_count + 1) if not _loads(document, number)]
    if lost:
        shown = ", ".join(map(str, lost[:10]))
        raise CorruptDocument(f"{pdf}: damaged; of {document.page_count} pages these are lost: {shown}")
    data = pdf.read_bytes()
    if b"startxref" in data[-_TAIL:]:
        return
    if _ends_within_object(data) or _lacks_objects(document):
        raise CorruptDocument(f"{pdf}: truncated; its pages refer to parts that are not there")


def _loads(document: Any, number: int) -> bool:
    import pymupdf

    try:
        document.load_page(number - 1)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return False
    return True


def _ends_within_object(data: bytes) -> bool:
    """Whether the file stops inside an object other than its cross-reference stream."""
    tail = data[data.rfind(b"endobj") + len(b"endobj") :]
    return re.search(rb"\d \d+ obj\b", tail) is not None and b"/XRef" not in tail[:_TAIL]


def _lacks_objects(document: Any) -> bool:
    """Whether an object of the file refers to one that is not in it."""
    texts = {number: document.xref_object(number) for number in range(1, document.xref_length())}
    there = {number for number, text in texts.items() if text != "null"}
    return any(int(found[1]) not in there for text in texts.values() for found in _REFERENCE.finditer(text))
