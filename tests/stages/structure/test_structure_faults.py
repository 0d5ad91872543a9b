"""Markdown that public reports say is misread; the numbers are those of the project's fault list."""

from __future__ import annotations

import pytest

from drac.config import StructureSettings
from drac.records import Element, ElementKind, Page, PageState, PageText
from drac.stages.convert.text import escape, escape_heading
from drac.stages.structure import run
from drac.stages.tokens import estimate_tokens


def elements_of(*pages: str) -> tuple[Element, ...]:
    texts = [PageText(Page("d", n), PageState.OK, text, "fake") for n, text in enumerate(pages, start=1)]
    return run(texts, StructureSettings()).elements


def kinds_and_texts(*pages: str) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in elements_of(*pages)]


def test_f24_unclosed_fence_swallows_nothing() -> None:
    found = kinds_and_texts("Before.\n\n```python\nx = 1\n\n# After\n\nText.", "# Next page")
    assert found == [
        ("paragraph", "Before."),
        ("paragraph", "```python"),
        ("paragraph", "x = 1"),
        ("heading", "# After"),
        ("paragraph", "Text."),
        ("heading", "# Next page"),
    ]


def test_f24_closed_fence_is_code() -> None:
    found = kinds_and_texts("~~~\n# no heading\n\n```\n~~~\n\n# Heading")
    assert found == [("code", "~~~\n# no heading\n\n```\n~~~"), ("heading", "# Heading")]


@pytest.mark.parametrize("rule", ["---", "-", "==="])
def test_f39_line_above_a_rule_is_no_heading(rule: str) -> None:
    found = elements_of(f"Total 5\n{rule}\nmore")
    assert all(one.kind is ElementKind.PARAGRAPH for one in found)
    assert "".join("".join(one.text.split()) for one in found) == f"Total5{rule}more"


def test_f39_number_at_a_lines_start_stays_in_the_text() -> None:
    assert [one.text for one in elements_of("1986. A year to keep.")] == ["1986. A year to keep."]


def test_f40_heading_after_a_marker_on_one_line() -> None:
    assert kinds_and_texts("<!-- Page 2 --> # Title\ntext") == [("heading", "# Title"), ("paragraph", "text")]


def test_f40_marker_after_text_before_a_heading() -> None:
    found = kinds_and_texts("The end. <!-- Page 2 --> ## Title\n\ntext")
    assert found == [("paragraph", "The end."), ("heading", "## Title"), ("paragraph", "text")]


def test_f40_indented_marker_is_no_code() -> None:
    found = kinds_and_texts("One.\n\n    <!-- Page 2 -->\n\nTwo.")
    assert found == [("paragraph", "One."), ("paragraph", "Two.")]


def test_f40_marker_within_a_sentence_leaves_the_sentence_whole() -> None:
    text = "The words <!-- Page 2 --> go on."
    assert kinds_and_texts(text) == [("paragraph", text)]


def test_f40_a_documents_own_words_are_no_marker() -> None:
    text = escape("<!-- Page 3 --> and <!-- page 4 --> ## no heading <!-- Page 5 -->")
    assert kinds_and_texts(f"{text}\n\nTwo.") == [("paragraph", text), ("paragraph", "Two.")]
    title = f"# {escape_heading('How <!-- Page 1 --> works')}"
    assert kinds_and_texts(f"{title}\n\nText") == [("heading", title), ("paragraph", "Text")]


def test_f40_unclosed_comment_eats_nothing() -> None:
    found = kinds_and_texts("One.\n\n<!-- Page 3\n# Title\n\nTwo.")
    assert found == [
        ("paragraph", "One."),
        ("paragraph", "<!-- Page 3"),
        ("heading", "# Title"),
        ("paragraph", "Two."),
    ]


def test_f40_html_block_does_not_hide_a_heading() -> None:
    found = kinds_and_texts("<details>\n<summary>More</summary>\n# Title\n</details>")
    assert ("heading", "# Title") in found


def test_f47_long_text_is_split_at_sentences_and_keeps_its_last_one() -> None:
    sentences = [f"Sentence number {n} says a few plain words about nothing at all." for n in range(58)]
    text = " ".join([*sentences, "The answer is forty two."])
    found = elements_of(text)
    assert len(found) > 3
    assert all(estimate_tokens(one.text) <= 256 and one.text.endswith(".") for one in found)
    assert " ".join(one.text for one in found) == text


def test_f47_chinese_without_spaces_is_split() -> None:
    text = "数" * 1500
    found = elements_of(text)
    assert all(estimate_tokens(one.text) <= 256 for one in found)
    assert "".join(one.text for one in found) == text


def test_f47_chinese_is_split_after_its_full_stops() -> None:
    text = "这是第一句话,它说明了一些事情。" * 60
    found = elements_of(text)
    assert len(found) > 1
    assert all(one.text.endswith("。") for one in found)


def test_link_references_stay() -> None:
    assert kinds_and_texts("[a]: http://b.example\n\nText.")[0] == ("paragraph", "[a]: http://b.example")
