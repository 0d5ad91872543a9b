"""The documents of the sample corpus: a ferry line that we made up, whose papers agree with each other."""

from __future__ import annotations

from collections.abc import Callable

from skerrow import native, office, plain, scans

DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "archive/charter-agreement-1987.pdf": scans.charter,
    "archive/keepers-log-1962.tif": scans.log,
    "archive/slipway-inspection-2024.png": scans.slipway,
    "board/winter-service-review.pptx": office.review,
    "crew/handbook.docx": office.crew_handbook,
    "crew/safety-management-manual.pdf": native.manual,
    "engineering/hybrid-refit-study.pdf": native.study,
    "fares/Freight & Livestock Tariff 2026.xlsx": office.tariff,
    "fares/passenger-and-vehicle-fares-2026.pdf": native.fares,
    "passengers/accessibility.html": plain.accessibility,
    "passengers/contacts.txt": plain.contacts,
    "passengers/handbook.docx": office.passenger_handbook,
    "passengers/summer-timetable-2026.md": plain.timetable,
}
"""Path of each document -> what makes its bytes; the same bytes at every call."""

SCANNED: dict[str, Callable[[], bytes]] = {
    "archive/charter-agreement-1987.pdf": scans.charter_pages,
    "archive/keepers-log-1962.tif": scans.log_pages,
    "archive/slipway-inspection-2024.png": scans.slipway_pages,
}
"""Path of each scan -> the PDF, with text, that was drawn: what a perfect OCR would read."""
