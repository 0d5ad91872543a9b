"""Makes the documents of the sample corpus that are no plain text; each the same bytes every time.

Their words are in `texts/`; how they look is here. The HTML, Markdown and plain text files of the corpus were
written by hand and are not made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from skerrow.office import sheets, slides, word
from skerrow.pdf import A5, Style, printed
from skerrow.scans import black_tiff, grey_pdf, grey_png

FARES = Style(family="sans", footer="Skerrow Line, 4 Customs Quay, Port Ansel – page {page} of {pages}")
STUDY = Style(columns=2, body=11, margin=54, header="Skerrow Line   Engineering paper 17", footer="{page}")
MANUAL = Style(
    size=A5,
    body=11,
    margin=44,
    header="Skerrow Line   Safety Management Manual   MV Kittiwake",
    footer="Issue 7, 1 February 2026   Page {page} of {pages}",
)
CHARTER = Style(family="typed", body=11, margin=70, footer="Charter of MV Dunlin          Sheet {page}")
LOG = Style(family="typed", body=11, margin=70)
SLIPWAY = Style(body=12, margin=70)

SCANNED: dict[str, Callable[[], bytes]] = {
    "archive/charter-agreement-1987.pdf": partial(printed, "charter-agreement", CHARTER),
    "archive/keepers-log-1962.tif": partial(printed, "keepers-log", LOG),
    "archive/slipway-inspection-2024.png": partial(printed, "slipway-inspection", SLIPWAY),
}
"""Path of each scan -> the PDF, with text, that is drawn: what a perfect OCR would read."""


def _charter() -> bytes:
    return grey_pdf(SCANNED["archive/charter-agreement-1987.pdf"](), seed=1987, angles=(0.5, -0.4))


def _log() -> bytes:
    return black_tiff(SCANNED["archive/keepers-log-1962.tif"](), seed=1962, angles=(0.3, 0.7, -0.5))


def _slipway() -> bytes:
    return grey_png(SCANNED["archive/slipway-inspection-2024.png"](), seed=2024, angle=-0.6)


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "archive/charter-agreement-1987.pdf": _charter,
    "archive/keepers-log-1962.tif": _log,
    "archive/slipway-inspection-2024.png": _slipway,
    "board/winter-service-review.pptx": partial(slides, "winter-service-review"),
    "crew/handbook.docx": partial(word, "crew-handbook"),
    "crew/safety-management-manual.pdf": partial(printed, "safety-management-manual", MANUAL),
    "engineering/hybrid-refit-study.pdf": partial(printed, "hybrid-refit-study", STUDY),
    "fares/Freight & Livestock Tariff 2026.xlsx": partial(sheets, "freight-and-livestock"),
    "fares/passenger-and-vehicle-fares-2026.pdf": partial(printed, "fares", FARES),
    "passengers/handbook.docx": partial(word, "passenger-handbook"),
}
"""Path of each document -> what makes its bytes."""
