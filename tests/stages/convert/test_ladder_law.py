"""Laws of the ladder against a model that lies at random."""

from __future__ import annotations

import math
import random

from hypothesis import given, settings
from hypothesis import strategies as st
from model_pages import Asked, Pages, honest, layer, pages, read, reply, said

from drac.errors import ModelBusy, RequestRejected
from drac.ports import ChatReply
from drac.records import PageState
from drac.stages.convert.model_reading import total

LIES = [
    "honest", "cut", "filtered", "unknown stop", "refusal", "empty", "no markers", "missing", "repeated",
    "extra", "shifted", "turned", "swapped text", "fenced", "chatter", "table", "loop", "blank", "unclosed",
    "same line", "indented", "busy", "rejected", "too large", "outside",
]  # fmt: skip


def lie(kind: str, asked: Asked, dice: random.Random) -> ChatReply | str:
    """A reply with one thing wrong, or an error; never a plausible wrong text on a right page."""
    numbers = list(asked.numbers)
    texts = {number: honest(number) for number in numbers}
    one = dice.choice(numbers)
    true = said(texts)
    if kind == "cut":
        return reply(true[: dice.randrange(len(true))], "max_tokens")
    if kind in ("filtered", "unknown stop"):
        return reply(true, {"filtered": "content_filtered"}.get(kind, "because"))
    if kind == "busy":
        raise ModelBusy("try later")
    if kind in ("rejected", "too large"):
        raise RequestRejected("not like this", too_large=kind == "too large")
    if kind == "missing":
        return true.replace(f"<!-- Page {one} -->\n\n", "") if len(numbers) > 1 else true
    if kind == "shifted":
        return said({number + 1: text for number, text in texts.items()})
    if kind == "turned":
        return said(dict(reversed(texts.items())))
    if kind == "swapped text":
        return said(dict(zip(numbers, reversed(texts.values()), strict=True)))
    if kind == "unclosed":
        return true.replace(f"<!-- Page {one} -->", f"<!-- Page {one} ")
    pieces = {
        "refusal": "I'm sorry, but I can't help with that.",
        "empty": "",
        "no markers": "\n\n".join(texts.values()) if len(numbers) > 1 else texts[one],
        "repeated": f"{true}\n\n<!-- Page {one} -->\n\nInvented.",
        "extra": f"{true}\n\n<!-- Page {max(numbers) + 1} -->\n\nInvented.",
        "fenced": f"```markdown\n{true}\n```",
        "chatter": f"Sure! Here is the Markdown:\n\n{true}",
        "table": true + "\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "loop": true + "\n\n" + "and so on it went " * 30,
        "blank": said(texts | {one: "[blank page]"}),
        "same line": true.replace("-->\n\n", "--> "),
        "indented": true.replace("<!--", "    <!--"),
        "outside": f"A stray sentence.\n\n{true}",
    }
    return pieces.get(kind, true)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=12, unique=True).map(sorted),
    st.integers(0, 2**32),
    st.floats(0, 1),
    st.booleans(),
    st.integers(1, 6),
)
def test_n_pages_in_n_texts_out_in_order_and_none_ok_that_is_wrong(
    numbers: list[int], seed: int, rate: float, layers: bool, images: int
) -> None:
    dice = random.Random(seed)
    lies = LIES if layers else [kind for kind in LIES if kind != "swapped text"]

    def script(asked: Asked) -> ChatReply | str:
        kind = dice.choice(lies) if dice.random() < rate else "honest"
        return lie(kind, asked, dice)

    blank = frozenset(number for number in numbers if number % 7 == 0)
    broken = frozenset(number for number in numbers if number % 11 == 0) - blank
    look = Pages(
        60, blank, broken,
        {number: layer(number) for number in numbers} if layers else {},
        {number: f"local {number}" for number in numbers if number % 3},
    )  # fmt: skip
    texts, server = read(script, pages(*numbers), look, images=images)

    assert [text.page.number for text in texts] == numbers
    for text in texts:
        number = text.page.number
        if number in blank:
            assert (text.state, text.markdown, text.attempts) == (PageState.BLANK, "", ())
        elif text.state is PageState.OK:
            assert text.markdown == honest(number)
            assert text.attempts[-1].outcome == "ok"
        elif text.state is PageState.FALLBACK:
            assert text.markdown == f"local {number}"
        else:
            assert (text.state, text.markdown) == (PageState.FAILED, "")
            assert "ok" not in {attempt.outcome for attempt in text.attempts}
        assert text.usage == total(attempt.usage for attempt in text.attempts)
    assert all(len(one.numbers) <= images for one in server.log)
    assert not {number for one in server.log for number in one.numbers} & (blank | broken)
    bill, mine = total(server.bill), total(text.usage for text in texts)
    assert (bill.input_tokens, bill.output_tokens) == (mine.input_tokens, mine.output_tokens)
    assert bill.requests == mine.requests
    assert math.isclose(bill.usd, mine.usd, rel_tol=1e-12, abs_tol=1e-12)
    assert len(server.log) <= 7 * len(numbers) + 3


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_an_honest_server_at_a_fifth_of_faults_gives_nearly_all_pages(seed: int) -> None:
    dice = random.Random(seed)

    def script(asked: Asked) -> ChatReply | str:
        kind = dice.choice(LIES[:-1]) if dice.random() < 0.2 else "honest"
        return lie(kind, asked, dice)

    numbers = list(range(1, 51))
    look = Pages(50, layers={number: layer(number) for number in numbers})
    texts, _ = read(script, pages(*numbers), look)
    assert sum(text.state is PageState.OK for text in texts) >= 40
