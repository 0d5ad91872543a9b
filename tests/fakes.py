"""Fakes on the ports; each passes the contract suite of its port in tests/contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from drac.records import Attempt, Page, PageState, PageText, Region


class FakeReader:
    """Implements ports.PageReader: pages are parted by form feeds, a page `!` cannot be read."""

    name = "local"

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"fake": "1"}

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        try:
            sheets = pdf.read_text(encoding="utf-8").split("\f")
        except (OSError, UnicodeDecodeError) as error:
            return [self._failed(page, str(error)) for page in pages]
        return [self._page(sheets, page) for page in pages]

    def _page(self, sheets: Sequence[str], page: Page) -> PageText:
        if not 1 <= page.number <= len(sheets) or sheets[page.number - 1] == "!":
            return self._failed(page, "this page cannot be read")
        text = sheets[page.number - 1]
        if not text:
            return PageText(page, PageState.BLANK, "", self.name, attempts=(Attempt(self.name, "ok"),))
        regions = (Region(0, len(text), "paragraph"),)
        return PageText(
            page, PageState.OK, text, self.name, regions=regions, attempts=(Attempt(self.name, "ok"),)
        )

    def _failed(self, page: Page, reason: str) -> PageText:
        return PageText(page, PageState.FAILED, "", self.name, attempts=(Attempt(self.name, reason),))
