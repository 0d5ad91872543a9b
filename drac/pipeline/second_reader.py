"""Who is the second reader of a page: always one of another kind than the one that wrote its text.

- text by a model: the text layer where it is usable, else OCR. Words that a text layer lacks may stand in a
  picture, so OCR is asked too before they count as invented.
- text by `local` from a text layer: OCR of the page's image, by sample.
- text by `local` by OCR: the text layer where there is one, else OCR at another scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drac.config import ConvertSettings
from drac.records import PageState, PageText

_SCALE = 1.5
"""Times the dots per inch of the first OCR that a second one reads at."""
_MOST_DPI = 400
"""Dots per inch beyond which the second scale is a smaller one instead."""


def second_readers(written: PageText, recipe: Mapping[str, Any]) -> tuple[ConvertSettings, ...]:
    """Settings of the engine `local` in the order in which it is asked; `recipe` is the page's own.

    Empty for a page without text of its own: blank and failed ones.
    """
    if written.state in (PageState.BLANK, PageState.FAILED):
        return ()
    dpi = int(recipe["settings"].get("ocr_dpi", 200))
    layer = ConvertSettings(ocr="auto", ocr_dpi=dpi)
    image = ConvertSettings(ocr="always", ocr_dpi=dpi)
    if written.method == "image":
        return (layer, image)
    if written.method == "text-layer":
        return (image,)
    other = ConvertSettings(ocr="always", ocr_dpi=_other_dpi(dpi))
    is_scan = recipe["settings"]["engine"] == "local" and recipe["settings"].get("ocr") == "auto"
    return (other,) if is_scan else (layer, other)


def _other_dpi(dpi: int) -> int:
    return round(dpi * _SCALE) if dpi * _SCALE <= _MOST_DPI else round(dpi / _SCALE)


def is_sampled(written: PageText, page_digest: str, share: float) -> bool:
    """Whether the page is compared: always where a model or OCR wrote it, else by its digest.

    A page that is in a smaller sample is in each larger one.
    """
    if written.method != "text-layer":
        return True
    return int(page_digest[:13], 16) < share * 16**13
