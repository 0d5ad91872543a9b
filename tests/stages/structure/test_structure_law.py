"""Laws of the stage: nothing vanishes, texts are slices, sections partition the elements."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from drac.config import StructureSettings
from drac.records import Page, PageState, PageText, Region, Table
from drac.stages.structure import Structure, run

LINES = [
    *("# Title", "## Sub #", "####### no", "text goes on", "Ends here.", "#", "##", "\\# no"),
    *("- item", "- ", "  - nested", "3. three", "4. four", "1986. A year", "+ plus", "1) one"),
    *("---", "***", "===", "-", "* * *", "```", "```py", "~~~", "~~~~~ x", "> quote"),
    *("    indented", "\tcode", "<div>", "</div>", "<!-- open", "-->", "[ref]: http://x.example 'y'"),
    *("| a | b |", "|--|--|", "", "", "数字。很长", "word " * 90, "x" * 700),
    *("\u00a0", "\u2028sep", "a\x0bb\x0c", "\x00nul", "<!-- Pag 3 -->", "👩‍👩‍👧"),
]
ENDS = ["\n", "\n", "\n\n", "\r\n", "\r", " "]
MARKDOWN = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)), max_size=14).map(
    lambda pairs: "".join(line + end for line, end in pairs)
)
ANY = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


@st.composite
def pages(draw: st.DrawFn) -> list[PageText]:
    made = []
    for number, text in enumerate(draw(st.lists(MARKDOWN | ANY, max_size=4)), start=1):
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
        spans = tuple((row, *cuts[row : row + 2]) for row in range(len(cuts) - 1))
        table = Table((0, 0, 1, 1), 1, 1, 0, (), sentences=spans) if draw(st.booleans()) else None
        regions = (Region(0, len(text) // 2, "paragraph", ((0, 0, 9, 9),)),)
        state = draw(st.sampled_from([PageState.OK, PageState.BLANK, PageState.FAILED]))
        made.append(
            PageText(
                Page("d", number), state, text, "fake", regions=regions, tables=(table,) if table else ()
            )
        )
    return made


def structured(texts: list[PageText], window: int = 32, limit: int = 3) -> Structure:
    return run(texts, StructureSettings(window_tokens=window, section_elements=limit))


@settings(max_examples=250, deadline=None)
@given(pages())
def test_every_character_stands_in_exactly_one_span(texts: list[PageText]) -> None:
    seen = {page.page.number: [0] * len(page.markdown) for page in texts}
    for element in structured(texts).elements:
        for span in element.spans:
            assert span.start < span.end
            for at in range(span.start, span.end):
                seen[span.page][at] += 1
    for page in texts:
        for char, count in zip(page.markdown, seen[page.page.number], strict=True):
            assert count == 1 or (count == 0 and char.isspace()), (page.markdown, char, count)


@settings(max_examples=150, deadline=None)
@given(pages())
def test_text_is_its_slices_joined_by_one_space(texts: list[PageText]) -> None:
    by_number = {page.page.number: page.markdown for page in texts}
    for element in structured(texts).elements:
        slices = [by_number[span.page][span.start : span.end] for span in element.spans]
        assert element.text == " ".join(slices)
        assert [span.page for span in element.spans] == sorted({span.page for span in element.spans})


@settings(max_examples=100, deadline=None)
@given(pages(), st.integers(1, 7))
def test_sections_partition_the_elements(texts: list[PageText], limit: int) -> None:
    found = structured(texts, limit=limit)
    assert [one for section in found.sections for one in section.element_ids] == [
        one.id for one in found.elements
    ]
    assert all(0 < len(section.element_ids) <= limit for section in found.sections)
    assert (
        len({one.id for one in found.elements})
        == len({one.key for one in found.elements})
        == len(found.elements)
    )


@settings(max_examples=50, deadline=None)
@given(pages())
def test_same_pages_give_same_structure(texts: list[PageText]) -> None:
    assert structured(texts) == structured(texts)
