"""Gives a sheet its page, with the sheet's name in the header.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

from typing import Any


class PageStyle:
    """The page of one sheet, with its name in the header."""

    def __init__(self, document: Any, name: str, layout: Any) -> None:
        self._layout, self._name = layout, name
        styles = document.getStyleFamilies().getByName("PageStyles")
        self._style = document.createInstance("com.sun.star.style.PageStyle")
        styles.insertByName(name, self._style)

    def give(self, sheet: Any, page: Any, title: str) -> None:
        """Set the sheet's page; `title` is empty for a sheet without a name."""
        style, margin = self._style, self._layout.MARGIN
        style.IsLandscape = page.landscape
        style.Width, style.Height = (29_700, 21_000) if page.landscape else (21_000, 29_700)
        style.LeftMargin = style.RightMargin = style.TopMargin = style.BottomMargin = margin
        style.PageScale = page.percent
        style.PrintDownFirst = True
        style.PrintAnnotations = style.PrintGrid = style.PrintHeaders = style.PrintFormulas = False
        style.FooterIsOn = False
        style.HeaderIsOn = bool(title)
        if title:
            self._head(title)
        sheet.PageStyle = self._name

    def _head(self, title: str) -> None:
        """The name as a heading on the first page, and small on those that go on."""
        style = self._style
        style.HeaderIsShared, style.FirstPageHeaderIsShared = True, False
        style.HeaderIsDynamicHeight, style.HeaderBodyDistance = True, 300
        for side, text, size in (
            ("FirstPageHeaderContent", title, 16.0),
            ("RightPageHeaderContent", f"{title} (continued)", 8.0),
        ):
            content = getattr(style, side)
            content.LeftText.setString(text)
            content.CenterText.setString("")
            content.RightText.setString("")
            cursor = content.LeftText.createTextCursor()
            cursor.gotoEnd(True)
            cursor.CharHeight, cursor.CharWeight = size, 150.0 if size > 10 else 100.0
            setattr(style, side, content)
