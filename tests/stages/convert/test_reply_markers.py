"""Markers and fences of a reply against the pages asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_pages import honest, layer, reply, said

from drac.ports import ChatReply
from drac.stages.convert.reply import Fault, PageFacts, PageVerdict, check_reply
from drac.stages.convert.reply_markers import marker_faults


def judge(text: str, *numbers: int, stop: str = "end_turn", lenient: bool = False) -> dict[int, PageVerdict]:
    """Verdicts without text layers, by page."""
    verdict = check_reply(reply(text, stop), [PageFacts(number) for number in numbers], lenient=lenient)
    assert tuple(page.number for page in verdict.pages) == numbers
    return {page.number: page for page in verdict.pages}


def good(verdicts: dict[int, PageVerdict]) -> list[int]:
    return [number for number, verdict in verdicts.items() if verdict.fault is None]


def test_right_markers() -> None:
    verdicts = judge(said({6: "# A", 7: "b", 8: "c"}), 6, 7, 8)
    assert [verdict.markdown for verdict in verdicts.values()] == ["# A", "b", "c"]


@pytest.mark.parametrize(
    ("numbers", "kept", "fault_of_2"),
    [
        ((1, 2, 3), [1, 2, 3], None),
        ((1, 3), [], Fault.MISSING),
        ((1, 2), [1], Fault.MISSING),
        ((2, 3), [], Fault.MISSING),
        ((1, 2, 2, 3), [1], Fault.REPEATED),
        ((1, 2, 3, 4), [1, 2], None),
        ((1, 2, 3, 1), [2], None),
        ((1, 2, 9, 3), [1], Fault.EXTRA),
        ((1, 3, 2), [], Fault.ORDER),
        ((2, 1, 3), [], Fault.ORDER),
        ((3, 2, 1), [], Fault.ORDER),
        ((6, 7, 8), [], Fault.EXTRA),
    ],
)
def test_wrong_markers(numbers: tuple[int, ...], kept: list[int], fault_of_2: Fault | None) -> None:
    text = "\n\n".join(f"<!-- Page {number} -->\n\nText {place}" for place, number in enumerate(numbers))
    verdicts = judge(text, 1, 2, 3)
    assert good(verdicts) == kept
    assert verdicts[2].fault == fault_of_2


def test_a_page_after_a_missing_marker_counts_only_if_its_text_layer_confirms_it() -> None:
    text = said({number: honest(number) for number in (1, 2, 4, 5)})
    facts = [PageFacts(number, True, layer(number)) for number in range(1, 6)]
    verdict = check_reply(reply(text), facts)
    assert [page.number for page in verdict.good] == [1, 4, 5]
    assert good(judge(text, 1, 2, 3, 4, 5)) == [1]
    shifted = said({1: honest(1), 2: honest(2), 4: honest(3), 5: honest(4)})
    assert [page.number for page in check_reply(reply(shifted), facts).good] == [1]


def test_pages_that_are_nearly_equal_are_told_apart_by_their_own_words() -> None:
    form = " ".join(f"Field {number} of the form is to be filled in by hand" for number in range(20))
    texts = {number: f"{form}. Owner {name}." for number, name in enumerate(["Ann", "Bo", "Cy", "Di"], 1)}
    facts = [PageFacts(number, True, text) for number, text in texts.items()]
    shifted = said({1: texts[1], 3: texts[2], 4: texts[3]})
    assert check_reply(reply(shifted), facts).good == ()
    right = said({1: texts[1], 3: texts[3], 4: texts[4]})
    assert [page.number for page in check_reply(reply(right), facts).good] == [3, 4]


@given(st.lists(st.integers(1, 6), max_size=8), st.integers(1, 6))
def test_a_place_is_believed_only_with_all_markers_before_and_the_one_after(
    numbers: list[int], count: int
) -> None:
    expected = list(range(1, count + 1))
    for number, fault in marker_faults(numbers, expected).items():
        if fault is None:
            wanted = expected[: number + 1]
            assert numbers[: number + 1] == wanted
            assert number < count or len(numbers) == count


def test_f40_a_marker_with_text_on_its_line() -> None:
    verdicts = judge("<!-- Page 1 --> # Title\n\ntext\n<!-- Page 2 --> # Next\n", 1, 2)
    assert verdicts[1].markdown == "# Title\n\ntext"
    assert verdicts[2].markdown == "# Next"


def test_f40_an_indented_marker() -> None:
    verdicts = judge("<!-- Page 1 -->\n- a\n    <!-- Page 2 -->\nb", 1, 2)
    assert (verdicts[1].markdown, verdicts[2].markdown) == ("- a", "b")


def test_f40_a_marker_in_a_sentence() -> None:
    verdicts = judge("<!-- Page 1 -->\nsee <!-- Page 2 --> below\n<!-- Page 2 -->\nb", 1, 2)
    assert verdicts[1].fault is Fault.STRAY
    assert verdicts[2].markdown == "b"
    assert judge("<!-- Page 1 -->\na <!-- Page 2 -->\nb", 1, 2)[2].fault is Fault.MISSING


def test_f40_a_marker_without_an_end() -> None:
    verdicts = judge("<!-- Page 1 -->\na\n<!-- Page 2 -->\nb\n<!-- Page 3\nc", 1, 2, 3)
    assert verdicts[1].markdown == "a"
    assert verdicts[2].fault is not None
    assert verdicts[3].fault is Fault.MISSING


def test_f24_an_inner_fence_does_not_close_the_wrapper() -> None:
    inner = "# A\n\n```python\nprint(1)\n```\n\n## After\n\ntext"
    verdicts = judge(f"```markdown\n<!-- Page 1 -->\n\n{inner}\n\n<!-- Page 2 -->\n\nb\n```", 1, 2)
    assert verdicts[1].markdown == inner
    assert verdicts[2].markdown == "b"
    assert judge(f"```markdown\n{inner}\n```", 1)[1].markdown == inner
    assert judge(f"<!-- Page 1 -->\n```md\n{inner}\n```\n", 1)[1].markdown == inner


def test_f24_a_wrapper_with_words_around_it() -> None:
    page = "<!-- Page 1 -->\n\n```sh\nls\n```"
    text = f"Here is the Markdown:\n\n```\n{page}\n```\n\nLet me know if more is needed."
    assert judge(text, 1)[1].markdown == "```sh\nls\n```"


def test_f24_a_wrapper_around_each_page() -> None:
    code = "```sh\nls\n```"
    text = "\n\n".join(f"```markdown\n<!-- Page {n} -->\n\n{code}\n\nText {n}\n```" for n in (1, 2, 3))
    assert [one.markdown for one in judge(text, 1, 2, 3).values()] == [
        f"{code}\n\nText {number}" for number in (1, 2, 3)
    ]


def test_f24_words_after_the_wrapper_that_are_no_chatter_are_not_lost() -> None:
    assert judge("```\n<!-- Page 1 -->\n\na\n```\n\n1) Footnote of the page.", 1)[1].fault is Fault.FENCE


def test_f24_an_unclosed_fence_does_not_swallow_the_next_page() -> None:
    verdicts = judge("<!-- Page 1 -->\n```python\nx = 1\n\n<!-- Page 2 -->\n\n# B", 1, 2)
    assert verdicts[1].fault is Fault.FENCE
    assert verdicts[2].markdown == "# B"


def test_f24_a_wrapper_whose_inside_is_not_balanced_is_asked_for_again() -> None:
    assert judge("```markdown\nA\n```\ntext\n```", 1)[1].fault is Fault.FENCE


def test_f24_a_page_of_code_keeps_its_fence() -> None:
    code = "```\na = 1\n```\n\ntext\n\n```\nb = 2\n```"
    assert judge(f"<!-- Page 1 -->\n\n{code}", 1)[1].markdown == code
    assert judge(code, 1)[1].markdown == code


def test_f21_a_cut_reply_keeps_what_a_next_marker_closes() -> None:
    text = said({1: "one", 2: "two", 3: "thr"})
    verdicts = judge(text, 1, 2, 3, 4, 5, stop="max_tokens")
    assert good(verdicts) == [1, 2]
    assert {verdicts[number].outcome for number in (3, 4, 5)} == {"stopped: max_tokens"}


@pytest.mark.parametrize(
    "stop", ["guardrail_intervened", "content_filtered", "stop_sequence", "tool_use", "", "a_reason_of_2031"]
)
def test_f33_after_any_other_stop_nothing_is_believed(stop: str) -> None:
    verdicts = judge(said({1: "one", 2: "two"}), 1, 2, stop=stop)
    assert [verdict.fault for verdict in verdicts.values()] == [Fault.STOPPED, Fault.STOPPED]
    assert stop in verdicts[1].outcome


def test_f33_finished_is_the_adapters_word_not_the_name() -> None:
    odd = ChatReply(said({1: "one"}), "end_turn", False, 1, 1, 0.1)
    assert check_reply(odd, [PageFacts(1)]).pages[0].fault is Fault.STOPPED


def test_a_single_page_needs_no_marker_but_the_number_must_not_be_wrong() -> None:
    assert judge("Only text.", 7)[7].notes == ("the reply has no page marker",)
    assert judge("Only text.", 7, 8)[7].fault is Fault.MISSING
    assert judge(said({12: "x"}), 7)[7].fault is Fault.MISMATCH
    assert judge(said({12: "x"}), 7, lenient=True)[7].markdown == "x"
    assert judge(said({7: "x", 8: "invented"}), 7, lenient=True)[7].fault is Fault.EXTRA


def test_text_before_the_first_marker_is_chatter_or_a_fault() -> None:
    verdicts = judge("Sure! Here are the pages as Markdown:\n\n" + said({1: "a", 2: "b"}), 1, 2)
    assert [verdict.markdown for verdict in verdicts.values()] == ["a", "b"]
    assert "Sure!" in verdicts[1].notes[0]
    assert judge("The harbour fees.\n\n" + said({1: "a", 2: "b"}), 1, 2)[2].fault is Fault.OUTSIDE


@given(st.text(max_size=300), st.integers(1, 4), st.sampled_from(["end_turn", "max_tokens", "other"]))
def test_any_reply_gives_one_verdict_a_page(text: str, count: int, stop: str) -> None:
    judge(text, *range(1, count + 1), stop=stop)
    judge(f"<!-- Page 1 -->{text}", *range(1, count + 1), stop=stop)
