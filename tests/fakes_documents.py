"""Parsed documents for tests of chunkers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from drac.ports import Chunked, Draft, ParsedDocument
from drac.records import Page, PageState, PageText

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
ODD = st.lists(
    st.one_of(
        st.sampled_from([
            "", " ", "\n\n", " \n\t\n", "汉字没有空格。也不会断行",
            "😀👩‍👩‍👧‍👦🇩🇪", "é" * 3, "\u00a0", "\x00", "\r\n\r\n",
            "A sentence. Another one! A third?", "# A heading\n\n", "- one\n- two\n", LONG_WORD * 3, "\ud800",
            "The rate is 4.5 %. ", "ﬁrst ﬂoor", "İstanbul", "\u2028", "~~~\ncode\n", "[UNK] [CLS]",
        ]),
        st.text(max_size=40),
    ),
    max_size=8,
).map("".join)  # fmt: skip
"""Texts of which each kind has broken some chunker."""
DOCUMENTS = st.lists(ODD, max_size=3).map(lambda pages: parsed(*pages))
"""Documents of such pages."""


def parsed(*pages: str, source: str = "a.pdf") -> ParsedDocument:
    """A document of these pages, from 1; one without text is blank."""
    read = tuple(
        PageText(Page("0" * 64, number), PageState.OK if text else PageState.BLANK, text, "local")
        for number, text in enumerate(pages, start=1)
    )
    text, places = "", []
    for page in read:
        if page.markdown:
            text += "\n\n" if text else ""
            places.append((page.page.number, len(text), len(text) + len(page.markdown)))
            text += page.markdown
    return ParsedDocument("c", source, read, text, tuple(places))


def texts(document: ParsedDocument, chunked: Chunked) -> list[str]:
    """The text of each draft."""
    return [text_of(document, one) for one in chunked.drafts]


def text_of(document: ParsedDocument, draft: Draft) -> str:
    """What is embedded."""
    stretches = [document.text[start:end] for start, end in draft.spans]
    return draft.text if draft.text is not None else "\n\n".join(stretches)


def covered(document: ParsedDocument, drafts: Sequence[Draft]) -> set[int]:
    """Places of the document's text, white space left out, that some draft holds."""
    held = {at for one in drafts for start, end in one.spans for at in range(start, end)}
    return {at for at in held if not document.text[at].isspace()}


def inked(document: ParsedDocument) -> set[int]:
    """All places that are not white space."""
    return {at for at, one in enumerate(document.text) if not one.isspace()}


def faults(document: ParsedDocument, drafts: Sequence[Draft]) -> Iterator[str]:
    """What is wrong with the drafts' spans by ports.Draft."""
    for draft in drafts:
        ends = 0
        for start, end in draft.spans:
            if not ends <= start < end <= len(document.text):
                yield f"{draft.spans} in {len(document.text)}"
            ends = end
        if draft.parent is not None and not 0 <= draft.parent < len(drafts):
            yield f"parent {draft.parent}"
