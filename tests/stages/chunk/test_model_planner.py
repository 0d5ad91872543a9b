"""The planner that asks a model: every kind of reply, and what never gets lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_chunk_law import REPLIES, SHAPES, check_laws, make_elements, make_sections

from drac.config import PlanSettings, Prompt, StructureSettings, load_prompt
from drac.errors import BudgetReached, DracError, EngineUnavailable, ModelBusy, RequestRejected
from drac.ports import ChatReply, ChatRequest
from drac.records import Page, PageState, PageText
from drac.stages import structure
from drac.stages.chunk import ModelPlanner, PlanResult, Question, assemble, questions, run

PLAN = PlanSettings()
FOUR = "# A\n\nOne.\n\nTwo.\n\nThree."
ALL_FOUR = ("h1", "p1", "p2", "p3")
Answer = str | tuple[str, str] | DracError


class Model:
    """Plays a model: answers with a text, (text, stop reason) or an error, as `script` says."""

    def __init__(self, script: Callable[[ChatRequest], Answer]) -> None:
        self.script = script
        self.requests: list[ChatRequest] = []

    def ask(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        answer = self.script(request)
        if isinstance(answer, DracError):
            raise answer
        text, stop = (answer, "end_turn") if isinstance(answer, str) else answer
        return ChatReply(text, stop, stop == "end_turn", 1, 1, 0.0)

    def planner(self, plan: PlanSettings = PLAN) -> ModelPlanner:
        return ModelPlanner(self.ask, "some-model", plan, load_prompt("plan"))


def in_turn(*answers: Answer) -> Model:
    """One answer a request, the last one ever after."""
    left = list(answers)
    return Model(lambda _: left.pop(0) if len(left) > 1 else left[0])


def ids_in(request: ChatRequest) -> list[str]:
    text = str(request.parts[0])
    return re.findall(r"^(\w+): ", text[text.index("Blocks:") :], re.MULTILINE)


def honest(request: ChatRequest) -> str:
    ids = ids_in(request)
    groups = [ids[at : at + 5] for at in range(0, len(ids), 5)]
    return json.dumps(groups, separators=(",", ":"))


def structured(text: str) -> structure.Structure:
    return structure.run([PageText(Page("d", 1), PageState.OK, text, "fake")], StructureSettings())


def planned(text: str, model: Model) -> PlanResult:
    made = structured(text)
    result = run(made.elements, made.sections, PLAN, model.planner())
    check_laws(made.elements, made.sections, result)
    return result


def groups(result: PlanResult) -> list[tuple[tuple[str, ...], str]]:
    return [(plan.element_ids, plan.origin) for plan in result.plans]


def sixty_blocks() -> str:
    return "\n\n".join(f"## Part {n}\n\nText one of {n}.\n\nText two of {n}." for n in range(1, 21))


def test_one_request_a_section_with_the_prompt_and_the_settings() -> None:
    model = in_turn('[["h1","p1","p2"],["p3"]]')
    result = planned(FOUR, model)
    assert groups(result) == [(("h1", "p1", "p2"), "planner"), (("p3",), "planner")]
    (request,) = model.requests
    assert (request.purpose, request.model, request.system) == (
        "plan",
        "some-model",
        load_prompt("plan").text,
    )
    assert (request.temperature, request.max_output_tokens, request.schema) == (0.1, 16_384, "")
    assert ids_in(request) == list(ALL_FOUR)


@pytest.mark.parametrize(
    "text",
    [
        'The section falls in two [parts]:\n[["h1","p1"],["p2","p3"]]\nI hope this helps.',
        '```json\n[["h1", "p1"], ["p2", "p3"]]\n```',
        '[["h1","p1"],["p2","p3"]]\nor\n[["h1","p1","p2","p3"]]',
    ],
    ids=["prose and array", "fenced array", "two arrays"],
)
def test_f41_first_array_counts_whatever_stands_around_it(text: str) -> None:
    model = in_turn(text)
    result = planned(FOUR, model)
    assert groups(result) == [(("h1", "p1"), "planner"), (("p2", "p3"), "planner")]
    assert (len(model.requests), result.counts.unreadable) == (1, 0)


@pytest.mark.parametrize("text", ["The section has two parts.", "I can't help with that.", "[]", '[["x9"]]'])
def test_f41_prose_only_is_asked_again_once_then_falls_back_and_is_counted(text: str) -> None:
    model = in_turn(text)
    result = planned(FOUR, model)
    assert groups(result) == [(ALL_FOUR, "fallback")]
    assert (result.counts.left_out, result.counts.unreadable) == (3, 1)
    first, second = model.requests
    assert second.parts[: len(first.parts)] == first.parts
    assert second != first


def test_f41_second_reply_counts() -> None:
    result = planned(FOUR, in_turn("Surely!", '[["h1","p1","p2","p3"]]'))
    assert (groups(result), result.counts.unreadable) == ([(ALL_FOUR, "planner")], 0)


def test_f43_truncated_reply_is_asked_for_in_halves() -> None:
    cut_off = '[["h1","p1"],["h1","p'
    model = Model(lambda one: (cut_off, "max_tokens") if len(ids_in(one)) == 60 else honest(one))
    result = planned(sixty_blocks(), model)
    assert {plan.origin for plan in result.plans} == {"planner"}
    assert (result.counts.left_out, result.counts.unreadable) == (0, 0)
    whole, first, second = map(ids_in, model.requests)
    assert first + second == whole
    assert len(first) == 30


def test_f43_always_truncated_ends_soon_and_loses_nothing() -> None:
    model = in_turn(('[["h1","p1"],["h1","p', "max_tokens"))
    result = planned(sixty_blocks(), model)
    assert {plan.origin for plan in result.plans} == {"fallback"}
    assert (result.counts.left_out, result.counts.unreadable) == (40, 1)
    assert len(model.requests) == 7


@pytest.mark.parametrize("stop", ["max_tokens", "length", "content_filtered", "guardrail_intervened", "new"])
def test_f33_only_the_normal_end_is_believed(stop: str) -> None:
    result = planned(FOUR, in_turn(('[["h1","p1","p2","p3"]]', stop)))
    assert groups(result) == [(ALL_FOUR, "fallback")]


def test_halves_keep_headings_with_their_text_and_say_what_stands_above() -> None:
    text = "# Top\n\n" + "\n\n".join(f"Lead {n}." for n in range(8)) + "\n\n## Sub\n\n### Deep\n\n"
    text += "\n\n".join(f"Tail {n}." for n in range(9))
    model = Model(lambda one: ("", "max_tokens") if len(ids_in(one)) == 20 else honest(one))
    planned(text, model)
    _, first, second = model.requests
    assert ids_in(first) == ["h1", *(f"p{n}" for n in range(1, 9))]
    assert ids_in(second)[:3] == ["h2", "h3", "p9"]
    assert "Above:\n# Top\nBlocks:" in str(second.parts[0])


def test_junk_in_a_half_is_counted_like_any_other() -> None:
    def script(request: ChatRequest) -> Answer:
        ids = ids_in(request)
        if len(ids) == 60:
            return "", "max_tokens"
        return json.dumps([[*ids, None, 7, "p999"], "p1", [["h1"]]])

    counts = planned(sixty_blocks(), Model(script)).counts
    assert (counts.malformed, counts.unknown, counts.left_out) == (8, 2, 0)


def test_request_too_large_is_halved() -> None:
    too_large = RequestRejected("more tokens than the window", too_large=True)
    model = Model(lambda one: too_large if len(ids_in(one)) > 20 else honest(one))
    result = planned(sixty_blocks(), model)
    assert {plan.origin for plan in result.plans} == {"planner"}
    assert [len(ids_in(one)) for one in model.requests] == [60, 30, 15, 15, 30, 15, 15]


def test_rejected_section_falls_back_and_is_counted() -> None:
    model = in_turn(RequestRejected("the content filter"))
    result = planned(FOUR, model)
    assert (groups(result), result.counts.unreadable) == ([(ALL_FOUR, "fallback")], 1)
    assert len(model.requests) == 1


@pytest.mark.parametrize("error", [ModelBusy("503"), BudgetReached("$1"), EngineUnavailable("no account")])
def test_errors_that_may_pass_are_not_taken_for_a_plan(error: DracError) -> None:
    with pytest.raises(type(error)):
        planned(FOUR, in_turn(error))


@pytest.mark.parametrize("text", ["# A\n\nOne.\n\nTwo.", "One.", "# A\n\n## B\n\nOne."])
def test_what_can_only_be_one_chunk_is_not_asked_about(text: str) -> None:
    model = in_turn("never read")
    (plan,) = planned(text, model).plans
    assert (plan.origin, model.requests) == ("planner", [])


def test_fingerprint_names_model_prompt_and_server() -> None:
    def fingerprint(model: str = "m", prompt: str = "a", server: str = "s") -> dict[str, str]:
        made = ModelPlanner(Model(honest).ask, model, PLAN, Prompt("text", prompt), {"endpoint": server})
        return dict(made.fingerprint)

    assert fingerprint() == fingerprint()
    others = [fingerprint(model="n"), fingerprint(prompt="b"), fingerprint(server="t")]
    assert all(other != fingerprint() for other in others)


def test_same_plans_whatever_order_the_replies_come_in() -> None:
    made = structured("\n\n".join([sixty_blocks()] * 5))

    def backwards(ask: Callable[[Question], str], asked: Sequence[Question]) -> Iterable[str]:
        return reversed([ask(one) for one in reversed(asked)])

    one_by_one = run(made.elements, made.sections, PLAN, Model(honest).planner())
    assert len(made.sections) > 4
    assert run(made.elements, made.sections, PLAN, Model(honest).planner(), backwards) == one_by_one
    with ThreadPoolExecutor(4) as pool:
        assert run(made.elements, made.sections, PLAN, Model(honest).planner(), pool.map) == one_by_one


def test_sections_of_many_documents_can_be_asked_about_in_one_go() -> None:
    documents = [structured(sixty_blocks()), structured(FOUR), structured("# Only a heading\n\n# Another")]
    asked = [questions(one.elements, one.sections) for one in documents]
    planner = Model(honest).planner()
    with ThreadPoolExecutor(4) as pool:
        answers = [[pool.submit(planner.plan, q.elements, q.ancestors) for q in one] for one in asked]
    for made, mine, replies in zip(documents, asked, answers, strict=True):
        result = assemble(made.elements, mine, [one.result() for one in replies], PLAN)
        assert result == run(made.elements, made.sections, PLAN, planner)


def test_each_question_needs_its_answer() -> None:
    made = structured(FOUR)
    with pytest.raises(ValueError, match="shorter"):
        assemble(made.elements, questions(made.elements, made.sections), [], PLAN)


STOPS = st.sampled_from(["end_turn", "end_turn", "max_tokens", "unheard_of"])


@settings(max_examples=200, deadline=None)
@given(
    SHAPES, st.lists(st.tuples(REPLIES, STOPS), min_size=1, max_size=6), st.integers(1, 24), st.integers(1, 4)
)
def test_any_replies_leave_each_content_element_in_exactly_one_plan(
    shape: list[str], replies: list[tuple[str, str]], size: int, most: int
) -> None:
    elements = make_elements(shape)
    sections = make_sections(elements, size)
    model, plan = in_turn(*replies), PlanSettings(max_blocks=most)
    check_laws(elements, sections, run(elements, sections, plan, model.planner(plan)))
    assert len(model.requests) <= 4 * len(elements)
