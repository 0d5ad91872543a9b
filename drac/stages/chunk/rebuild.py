"""Plans back to text: bodies verbatim, under the headings above them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from drac.records import Chunk, ChunkPlan, Element, Source
from drac.stages.chunk.coverage import Outline, common_path, make_outline

_HASHES = re.compile(r"\A\s*#{1,6}[ \t]+|[ \t]+#+\s*\Z")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1|(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def rebuild(source: Source, elements: Sequence[Element], plans: Sequence[ChunkPlan]) -> tuple[Chunk, ...]:
    """One chunk a plan, in the order of the plans; `elements` are the whole document in reading order.

    A body is its elements' texts, byte for byte, a blank line between; `text` puts the headings above
    it that it does not hold, one a line and without marks, and a blank line before it.
    """
    by_id = {one.id: one for one in elements}
    outline = make_outline(elements)
    seen: Counter[str] = Counter()
    return tuple(_chunk(source, by_id, plan, outline, seen) for plan in plans)


def _chunk(
    source: Source, by_id: Mapping[str, Element], plan: ChunkPlan, outline: Outline, seen: Counter[str]
) -> Chunk:
    members = [by_id[one] for one in plan.element_ids]
    path = common_path(plan.element_ids, outline)
    body = "\n\n".join(one.text for one in members)
    above = [plain_heading(by_id[one].text) for one in path if one not in plan.element_ids]
    text = "\n".join(above) + "\n\n" + body if above else body
    spans = tuple(span for one in members for span in one.spans)
    seen[text] += 1
    return Chunk(
        chunk_id=chunk_name(source.doc_id, text, seen[text]),
        doc_id=source.doc_id,
        collection=source.collection,
        source=source.path,
        pages=tuple(sorted({span.page for span in spans})),
        spans=spans,
        element_ids=plan.element_ids,
        breadcrumb=tuple(plain_heading(by_id[one].text) for one in path),
        parent_id=None,
        body=body,
        text=text,
    )


def plain_heading(text: str) -> str:
    """A heading's text without `#`, emphasis, link targets and backslash escapes, on one line."""
    plain = _LINK.sub(r"\1", _HASHES.sub("", text))
    while (shorter := _EMPHASIS.sub(r"\2\3", plain)) != plain:
        plain = shorter
    return " ".join(_ESCAPE.sub(r"\1", plain).split())


def chunk_name(doc_id: str, text: str, occurrence: int) -> str:
    """A chunk's id: 16 hexadecimal digits made of its document, its text, and how often it came so far."""
    content = f"{doc_id}\n{occurrence}\n{text}".encode(errors="surrogatepass")
    return sha256(content).hexdigest()[:16]
