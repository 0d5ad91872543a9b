"""The text layer of a PDF as PyMuPDF gives it, without layout: what the simplest pipelines chunk."""

from __future__ import annotations

from pathlib import Path

from drac.adapters.pymupdf_pdf import opened


def plain_pages(pdf: Path, password: str | None = None) -> list[str]:
    """Text of each physical page, from page 1; raises a DocumentError where the PDF cannot be read."""
    with opened(pdf, password) as (document, _):
        return [str(page.get_text()) for page in document]
