"""Chunkers that know a document's structure: D-RAC's own, and sentences under paragraphs and sections."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate

from drac.config import PlanSettings, StructureSettings
from drac.ports import Chunked, Draft, ParsedDocument, Planner
from drac.records import Chunk, Element, Section, Source, Span
from drac.sentences import Stretch
from drac.stages import chunk, structure
from drac.stages.chunk.rebuild import plain_heading
from drac.stages.chunk.strategies.metering import Ask, Meter
from drac.stages.chunk.strategies.spans import merged, trim
from drac.stages.chunk.strategies.telling import telling
from drac.stages.outline import heading_paths


@dataclass(frozen=True, slots=True)
class StructureChunker:
    """Implements ports.Chunker: structure, then a planner; text is the headings above and the body.

    Each document's usage is that of its own requests.
    """

    name: str
    """As tables call it."""
    structure: StructureSettings
    """How the Markdown is taken apart."""
    plan: PlanSettings
    """How chunks are planned."""
    planner: Callable[[Ask], Planner]
    """Makes the planner of one document; it asks by what it is given."""
    meter: Callable[[], Meter]
    """Makes a new meter."""
    at_once: int = 1
    """Documents that may be chunked beside each other."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of both stages, and the planner's."""
        stages = {"structure": str(structure.VERSION), "chunk": str(chunk.VERSION)}
        return {"strategy": "drac", **stages, **self.planner(self.meter().ask).fingerprint}

    def chunk(self, document: ParsedDocument) -> Chunked:
        """See ports.Chunker."""
        meter = self.meter()
        made = structure.run(document.pages, self.structure)
        planned = chunk.run(made.elements, made.sections, self.plan, self.planner(meter.ask))
        source = Source(document.collection, document.source, "", "")
        place = Places(document)
        drafts = (place.draft(one) for one in chunk.rebuild(source, made.elements, planned.plans))
        return Chunked(tuple(drafts), meter.usage, asdict(planned.counts))


@dataclass(frozen=True, slots=True)
class HierarchicalChunker:
    """Implements ports.Chunker: sentences to be found, their paragraphs and sections to be returned."""

    name: str
    """As tables call it."""
    structure: StructureSettings
    """How the Markdown is taken apart."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of the rules."""
        return {"strategy": "hierarchical", "structure": str(structure.VERSION), "rules": "1"}

    def chunk(self, document: ParsedDocument) -> Chunked:
        """Each section, then each of its blocks, then that block's sentences; a heading is in no block."""
        made = structure.run(document.pages, self.structure)
        tree = _Tree(document, made.elements)
        return Chunked(tuple(draft for one in made.sections for draft in tree.section(one)))


class _Tree:
    """Drafts of one document, numbered as they are made."""

    def __init__(self, document: ParsedDocument, elements: Sequence[Element]) -> None:
        self._place = Places(document)
        self._by_id = {one.id: one for one in elements}
        self._paths = heading_paths(elements)
        self._made = 0

    def section(self, section: Section) -> Iterator[Draft]:
        members = [self._by_id[one] for one in section.element_ids]
        content = [one for one in members if not one.level] or members
        spans = [span for one in members for span in self._place.spans(one.spans)]
        top = self._made
        yield self._numbered(Draft(merged(spans), None, self._breadcrumb(content[0])))
        for one in content:
            yield from self._block(one, top)

    def _block(self, element: Element, top: int) -> Iterator[Draft]:
        spans, above = self._place.spans(element.spans), self._breadcrumb(element)
        block = self._made
        yield self._numbered(Draft(spans, _if_over_pages(element.text, spans), above, top))
        for stretch in telling(element.text):
            if parts := _within(spans, trim(element.text, stretch)):
                text = element.text[slice(*trim(element.text, stretch))]
                yield self._numbered(Draft(parts, _if_over_pages(text, parts), above, block))

    def _numbered(self, draft: Draft) -> Draft:
        self._made += 1
        return draft

    def _breadcrumb(self, element: Element) -> tuple[str, ...]:
        return tuple(plain_heading(self._by_id[one].text) for one in self._paths[element.id])


class Places:
    """Where the stretches of pages stand in the document's text."""

    def __init__(self, document: ParsedDocument) -> None:
        self._starts = {page: start for page, start, _ in document.places}

    def spans(self, spans: Sequence[Span]) -> tuple[Stretch, ...]:
        """In the order given."""
        return tuple((self._starts[one.page] + one.start, self._starts[one.page] + one.end) for one in spans)

    def draft(self, made: Chunk) -> Draft:
        """A chunk that was rebuilt."""
        return Draft(merged(self.spans(made.spans)), made.text, made.breadcrumb)


def _if_over_pages(text: str, spans: Sequence[Stretch]) -> str | None:
    """One that runs over a page break is joined by a space, not by a blank line."""
    return text if len(spans) > 1 else None


def _within(spans: Sequence[Stretch], stretch: Stretch) -> tuple[Stretch, ...]:
    """A stretch of an element's text, whose parts are joined by one space, in the document's text."""
    lengths = [end - start + 1 for start, end in spans]
    begins = [0, *accumulate(lengths)][:-1]
    found = []
    for at in range(bisect_right(begins, stretch[0]) - 1, len(spans)):
        low, high = max(stretch[0], begins[at]), min(stretch[1], begins[at] + lengths[at] - 1)
        if low < high:
            found.append((spans[at][0] + low - begins[at], spans[at][0] + high - begins[at]))
    return tuple(found)
