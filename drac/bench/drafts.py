"""Drafts to chunks: identity, pages and spans of what a chunker proposes."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from drac.ports import Draft, ParsedDocument
from drac.records import Chunk, Span
from drac.stages.chunk.rebuild import chunk_name
from drac.stages.chunk.strategies.spans import text_at, trim


def chunks_of(doc_id: str, document: ParsedDocument, drafts: Sequence[Draft]) -> tuple[Chunk, ...]:
    """One chunk a draft, in their order; those that hold nothing but white space are left out.

    Pages and spans follow from the drafts' spans by the document's places, so a chunk that crosses pages
    has all of them. A parent that is left out is no parent.
    """
    seen: Counter[str] = Counter()
    made = [_chunk(doc_id, document, draft, seen) for draft in drafts]
    ids = [one.chunk_id if one else None for one in made]
    parents = [None if draft.parent is None else ids[draft.parent] for draft in drafts]
    return tuple(_under(one, parent) for one, parent in zip(made, parents, strict=True) if one)


def is_kept(document: ParsedDocument, draft: Draft) -> bool:
    """Whether a chunk is made of it."""
    return bool(_text(document, draft).strip())


def _text(document: ParsedDocument, draft: Draft) -> str:
    return text_at(document.text, draft.spans) if draft.text is None else draft.text


def _chunk(doc_id: str, document: ParsedDocument, draft: Draft, seen: Counter[str]) -> Chunk | None:
    text = _text(document, draft)
    if not text.strip():
        return None
    spans = tuple(span for one in draft.spans for span in page_spans(document, one))
    seen[text] += 1
    return Chunk(
        chunk_id=chunk_name(doc_id, text, seen[text]),
        doc_id=doc_id,
        collection=document.collection,
        source=document.source,
        pages=tuple(sorted({span.page for span in spans})),
        spans=spans,
        element_ids=(),
        breadcrumb=draft.breadcrumb,
        parent_id=None,
        body=text if not draft.spans else text_at(document.text, draft.spans),
        text=text,
    )


def _under(one: Chunk, parent: str | None) -> Chunk:
    return replace(one, parent_id=parent) if parent else one


def page_spans(document: ParsedDocument, stretch: tuple[int, int]) -> Iterator[Span]:
    """A stretch of the document's text on each page that it stands on, by code points of that page."""
    starts = [start for _, start, _ in document.places]
    for page, start, end in document.places[max(0, bisect_right(starts, stretch[0]) - 1) :]:
        if start >= stretch[1]:
            break
        low, high = trim(document.text, (max(start, stretch[0]), min(end, stretch[1])))
        if low < high:
            yield Span(page, low - start, high - start)
