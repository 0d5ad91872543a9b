"""Journal, limiter, budget, retries: nothing paid twice, nothing past the limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from drac.errors import BudgetReached, DiskFull, EngineUnavailable, Interrupted, ModelBusy, RequestRejected
from drac.pipeline.asking import Asker, Prices
from drac.pipeline.budget import Budget
from drac.pipeline.limiter import Limiter
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.store.journal import Journal

REPLY = ChatReply("text", "end_turn", True, 100, 10, 0.1)


class Scripted:
    """A ChatModel that does what the script says, then replies."""

    engine, endpoint = "openai", "http://127.0.0.1:1/v1"
    reply = REPLY

    def __init__(self, *script: BaseException, simulated: bool = False, delay: float = 0.0) -> None:
        self.script, self.simulated, self.delay = list(script), simulated, delay
        self.asked: list[ChatRequest] = []
        self.flying = self.most = 0
        self.lock = threading.Lock()

    def ask(self, request: ChatRequest) -> ChatReply:
        with self.lock:
            self.asked.append(request)
            self.flying += 1
            self.most = max(self.most, self.flying)
            error = self.script.pop(0) if self.script else None
        time.sleep(self.delay)
        with self.lock:
            self.flying -= 1
        if error:
            raise error
        return self.reply


def request(text: str = "Page 1") -> ChatRequest:
    return ChatRequest("convert", "m", "system", (text, ImagePart(b"png", "image/png")), 0.1, 1000)


def asker(
    place: Path, model: Scripted, *, limit: float | None = None, concurrency: int = 5,
    price: Callable[[int, int], float | None] = lambda i, o: (i + o) / 1000,
) -> tuple[Asker, list[float]]:  # fmt: skip
    slept: list[float] = []
    made = Asker(
        model,
        Journal(place, model),
        Limiter(concurrency),
        Budget(limit),
        Prices(256, price),
        sleep=slept.append,
    )
    return made, slept


def test_a_reply_on_disk_is_never_asked_for_again(tmp_path: Path) -> None:
    first = Scripted()
    asker(tmp_path, first)[0].ask(request())
    second = Scripted()
    again, _ = asker(tmp_path, second)
    assert again.ask(request()) == REPLY
    assert (len(first.asked), len(second.asked), again.spending.reused) == (1, 0, 1)


def test_another_attempt_prompt_or_image_is_another_reply(tmp_path: Path) -> None:
    model = Scripted()
    one, _ = asker(tmp_path, model)
    session = one.session()
    session.ask(request())
    session.ask(request())
    session.ask(request("Page 2"))
    assert len(model.asked) == 3
    replay = asker(tmp_path, model)[0].session()
    for text in ("Page 1", "Page 1", "Page 2"):
        replay.ask(request(text))
    assert len(model.asked) == 3


def test_simulated_replies_never_answer_for_a_real_model(tmp_path: Path) -> None:
    asker(tmp_path, Scripted(simulated=True))[0].ask(request())
    real = Scripted()
    asker(tmp_path, real)[0].ask(request())
    assert len(real.asked) == 1
    assert len(list((tmp_path / "replies" / "simulated").glob("*.json"))) == 1


def test_the_reply_is_on_disk_before_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    one, _ = asker(tmp_path, Scripted())
    monkeypatch.setattr(Journal, "put", full)
    with pytest.raises(OSError):
        one.ask(request())


def test_f56_nothing_more_is_paid_for_where_a_reply_could_not_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DiskFull("replies: no space left on this disk")

    model = Scripted()
    one, _ = asker(tmp_path, model)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "put", full)
        with pytest.raises(DiskFull):
            one.ask(request())
    with pytest.raises(DiskFull):
        one.ask(request("Page 2"))
    assert len(model.asked) == 1


def test_damaged_reply_is_asked_for_again(tmp_path: Path) -> None:
    asker(tmp_path, Scripted())[0].ask(request())
    path = next((tmp_path / "replies").glob("*.json"))
    path.write_bytes(path.read_bytes()[:50])
    model = Scripted()
    asker(tmp_path, model)[0].ask(request())
    assert len(model.asked) == 1


def test_f29_passing_failures_are_tried_three_times_by_one_owner(tmp_path: Path) -> None:
    model = Scripted(*[ModelBusy("503")] * 5)
    one, slept = asker(tmp_path, model)
    with pytest.raises(ModelBusy):
        one.ask(request())
    assert (len(model.asked), len(slept), one.spending.requests) == (3, 2, 3)


def test_a_server_that_is_gone_stops_the_run(tmp_path: Path) -> None:
    gone = [ModelBusy("connection refused") for _ in range(3 * 10)]
    one, _ = asker(tmp_path, Scripted(*gone))
    for number in range(9):
        with pytest.raises(ModelBusy):
            one.ask(request(f"Page {number}"))
    with pytest.raises(EngineUnavailable, match="connection refused") as raised:
        one.ask(request("Page 10"))
    assert "run again" in raised.value.remedy


def test_a_reply_in_between_shows_that_the_server_lives(tmp_path: Path) -> None:
    one, _ = asker(tmp_path, model := Scripted())
    for number in range(30):
        model.script = [ModelBusy("503")] * 3 if number % 9 else []
        if number % 9:
            with pytest.raises(ModelBusy):
                one.ask(request(f"Page {number}"))
        else:
            one.ask(request(f"Page {number}"))


def test_f29_waits_have_jitter_and_honour_retry_after(tmp_path: Path) -> None:
    waits = set()
    for number in range(8):
        one, slept = asker(
            tmp_path / str(number), Scripted(ModelBusy("429", throttled=True, retry_after=7.0))
        )
        one.ask(request())
        assert slept[0] >= 7.0
        waits.add(round(slept[0], 6))
    assert len(waits) > 4


def test_a_server_that_asks_to_wait_for_hours_stops_the_run(tmp_path: Path) -> None:
    one, slept = asker(tmp_path, Scripted(ModelBusy("429", throttled=True, retry_after=100_000.0)))
    with pytest.raises(EngineUnavailable, match="100,000 s"):
        one.ask(request())
    assert slept == []


@pytest.mark.parametrize(("sent", "received"), [(0, 0), (-5_000_000, -1)])
def test_a_reply_whose_tokens_are_not_told_is_estimated_for_the_budget(
    tmp_path: Path, sent: int, received: int
) -> None:
    model = Scripted()
    model.reply = replace(REPLY, text="word " * 300, input_tokens=sent, output_tokens=received)
    one, _ = asker(tmp_path, model)
    reply = one.ask(request())
    assert reply.output_tokens == 500
    assert reply.input_tokens > 256
    assert one.spending.usd == pytest.approx((reply.input_tokens + 500) / 1000)


def test_half_a_character_in_a_reply_does_not_end_the_run(tmp_path: Path) -> None:
    model = Scripted()
    model.reply = replace(REPLY, text="a\ud800b \ud83d\ude00")
    one, _ = asker(tmp_path, model)
    assert one.ask(request()).text == "a\ufffdb \U0001f600"
    again, _ = asker(tmp_path, Scripted())
    assert again.ask(request()).text == "a\ufffdb \U0001f600"


@pytest.mark.parametrize("error", [RequestRejected("too large"), EngineUnavailable("no credentials")])
def test_permanent_errors_are_sent_once(tmp_path: Path, error: Exception) -> None:
    model = Scripted(error, error)
    one, slept = asker(tmp_path, model)
    with pytest.raises(type(error)):
        one.ask(request())
    assert (len(model.asked), slept) == (1, [])


def test_throttling_halves_what_is_in_flight_and_success_raises_it_again() -> None:
    now = [0.0]
    limiter = Limiter(16, clock=lambda: now[0])
    limiter.throttled()
    limiter.throttled()
    assert limiter.allowed == 8
    now[0] = 5.0
    limiter.throttled()
    assert limiter.allowed == 4
    for _ in range(200):
        limiter.succeeded()
    assert limiter.allowed == 16


def test_requests_a_minute_are_kept() -> None:
    limiter = Limiter(5, requests_per_minute=2, clock=lambda: 100.0)
    for _ in range(2):
        with limiter.slot(10):
            pass
    assert limiter._wait_for(10) == pytest.approx(60.0)


def test_concurrency_is_never_passed(tmp_path: Path) -> None:
    model = Scripted(delay=0.02)
    one, _ = asker(tmp_path, model, concurrency=4)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(one.ask, [request(f"Page {n}") for n in range(24)]))
    assert (model.most, len(model.asked)) == (4, 24)


def test_the_same_request_from_two_threads_is_sent_once(tmp_path: Path) -> None:
    model = Scripted(delay=0.05)
    one, _ = asker(tmp_path, model)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one.ask, [request()] * 6))
    assert len(model.asked) == 1


def test_budget_is_never_passed_however_many_are_in_flight(tmp_path: Path) -> None:
    model = Scripted(delay=0.01)
    one, _ = asker(tmp_path, model, limit=5.0, concurrency=8)

    def ask(number: int) -> bool:
        try:
            one.ask(request(f"Page {number}"))
        except BudgetReached:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(ask, range(100)))
    assert 0 < sum(done) < 100
    assert one.spending.usd + one.spending.usd_maybe <= 5.0


def test_a_request_that_timed_out_counts_as_possibly_billed(tmp_path: Path) -> None:
    one, _ = asker(tmp_path, Scripted(ModelBusy("read timeout", maybe_billed=True)), limit=100.0)
    one.ask(request())
    assert one.spending.usd_maybe > 1.0
    assert one._budget.spent == pytest.approx(one.spending.usd + one.spending.usd_maybe)


def test_without_a_price_the_budget_counts_nothing(tmp_path: Path) -> None:
    one, _ = asker(tmp_path, Scripted(), price=lambda i, o: None)
    one.ask(request())
    assert one.spending.usd == 0.0


def test_stop_ends_waiting_and_sending(tmp_path: Path) -> None:
    model = Scripted()
    one, _ = asker(tmp_path, model)
    one.stop()
    with pytest.raises(Interrupted):
        one.ask(request())
    assert model.asked == []


def test_a_gone_server_is_waited_for_and_then_stops_the_run(tmp_path: Path) -> None:
    model = Scripted(*[ModelBusy("connection refused", gone=True)] * 8)
    one, slept = asker(tmp_path, model)
    with pytest.raises(EngineUnavailable, match="gone"):
        one.ask(request())
    assert (len(model.asked), len(slept)) == (8, 7)
    back, _ = asker(tmp_path / "back", Scripted(*[ModelBusy("connection refused", gone=True)] * 6))
    assert back.ask(request()) == REPLY


def test_another_requests_reply_in_a_file_is_not_used(tmp_path: Path) -> None:
    one, _ = asker(tmp_path, Scripted())
    one.ask(request())
    (kept,) = (tmp_path / "replies").glob("*.json")
    name = Journal(tmp_path, Scripted()).digest(request("Page 2"), 0)
    (tmp_path / "replies" / f"{name}.json").write_bytes(kept.read_bytes())
    asked = Scripted()
    asker(tmp_path, asked)[0].ask(request("Page 2"))
    assert len(asked.asked) == 1


@pytest.mark.parametrize("damage", ["null", "{}", None])
def test_a_damaged_reply_file_is_as_not_there(tmp_path: Path, damage: str | None) -> None:
    one, _ = asker(tmp_path, Scripted())
    one.ask(request())
    (kept,) = (tmp_path / "replies").glob("*.json")
    text = kept.read_text()
    kept.write_text(text.replace('"text": "text"', '"text": null') if damage is None else damage)
    asked = Scripted()
    assert asker(tmp_path, asked)[0].ask(request()) == REPLY
    assert len(asked.asked) == 1


def test_what_waits_for_its_turn_is_not_sent_after_the_stop(tmp_path: Path) -> None:
    model = Scripted(delay=0.3)
    one, _ = asker(tmp_path, model, concurrency=1)
    with ThreadPoolExecutor(3) as threads:
        futures = [threads.submit(one.ask, request(f"Page {n}")) for n in range(3)]
        time.sleep(0.1)
        one.stop()
    stopped = [future for future in futures if isinstance(future.exception(), Interrupted)]
    assert (len(model.asked), len(stopped)) == (1, 2)
