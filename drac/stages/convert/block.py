"""Lines of a page that belong together."""

from __future__ import annotations

from dataclasses import dataclass

from drac.records import Box
from drac.stages.convert.page import LayoutBox, Line, union
from drac.stages.convert.ruled import Mesh


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together."""

    kind: str
    """heading, paragraph, list-item, table, caption, footnote or furniture."""
    lines: tuple[Line, ...]
    """In content order, at least one."""
    layout: LayoutBox | None = None
    """The layout box that claimed the lines, if any."""
    mesh: Mesh | None = None
    """The rules that part a ruled table's cells."""
    level: int = 0
    """A heading's level where the document's bookmarks tell it; 0 where they do not."""
    run_in: bool = False
    """Whether a heading's line goes on with text."""

    @property
    def box(self) -> Box:
        """The smallest box around its lines."""
        return union(line.box for line in self.lines)
