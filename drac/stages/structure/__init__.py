"""Stage 3: pages of Markdown to elements with an identity, and sections to plan together.

```
PageText* ──blocks──▶ Block* ──joins──▶ Block* ──split──▶ Block* ──identify──▶ Element* ──section──▶ Section*
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drac.config import StructureSettings
from drac.records import Element, PageText, Section
from drac.stages.structure.blocks import read_page
from drac.stages.structure.identify import identify
from drac.stages.structure.joins import join_over_pages
from drac.stages.structure.section import make_sections
from drac.stages.structure.split import split_oversize

NAME = "structure"
VERSION = 3

__all__ = ["NAME", "VERSION", "Structure", "run"]


@dataclass(frozen=True, slots=True)
class Structure:
    """One document as elements and sections."""

    elements: tuple[Element, ...]
    """All of them, in reading order."""
    sections: tuple[Section, ...]
    """A partition of the elements, in reading order."""


def run(pages: Sequence[PageText], settings: StructureSettings) -> Structure:
    """Structure one document, given its pages in order.

    Every character of the pages' Markdown that is not white space, left-over page markers
    (`<!-- Page N -->` at either end of a line) excepted, stands in exactly one span of one element.
    """
    texts = {page.page.number: page.markdown for page in pages}
    joined = join_over_pages(pages, [read_page(page) for page in pages])
    blocks = [piece for block in joined for piece in split_oversize(block, texts, settings.window_tokens)]
    elements = identify(blocks, pages)
    return Structure(elements, make_sections(elements, settings.section_elements))
