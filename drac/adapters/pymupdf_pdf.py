"""PDF documents as they are, by PyMuPDF: checked, and decrypted where a password was needed.

PyMuPDF is imported inside the functions: it prints to file descriptor 1, and runs in worker processes only.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from drac.errors import CorruptDocument, EmptyDocument, EncryptedDocument
from drac.ports import PdfInfo

_TAIL = 2_048
"""Bytes at the end in which the mark of a whole file stands (ISO 32000-1, annex H.3, note 18: 1,024)."""
_DECLARED = re.compile(rb"/Count\s+(\d+)")


class PdfPassthrough:
    """`ports.PdfConverter` for PDF: the bytes stay as they are, unless a password was needed."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """PyMuPDF's version: it decrypts, and decides what is damaged."""
        return {"pymupdf": version("pymupdf"), "converter": "1"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Copy `source` to `target`, decrypted where it opens with `password` only.

        Raises EncryptedDocument, EmptyDocument (no pages) or CorruptDocument (also when pages are missing
        that the file says it has).
        """
        with opened(source, password) as document:
            check_whole(source, document)
            if not document.needs_pass:
                shutil.copyfile(source, target)
                return
            # Streams and numbering as they are, no new identifier: the same bytes every time.
            document.save(target, encryption=_keep_nothing(), no_new_id=True)


def inspect(pdf: Path, password: str | None = None) -> PdfInfo:
    """Pages of a PDF and whether it needs a password; raises as `PdfPassthrough.convert` does."""
    with opened(pdf, password) as document:
        return PdfInfo(pages=check_whole(pdf, document), encrypted=bool(document.needs_pass))


@contextmanager
def opened(pdf: Path, password: str | None) -> Iterator[Any]:
    """The PDF as a `pymupdf.Document`, unlocked; raises CorruptDocument or EncryptedDocument."""
    document = _open(pdf)
    with document:
        if document.needs_pass and not _unlocks(document, password):
            what = "and the password given does not open it" if password else "with a password"
            raise EncryptedDocument(f"{pdf}: encrypted {what}".replace("encrypted and", "encrypted, and"))
        yield document
