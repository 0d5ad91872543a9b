"""A scripted model and pages to look at, for the tests of the ladder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from drac.config import ModelReadSettings
from drac.errors import ModelError, PageError
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.records import Attempt, Page, PageState, PageText, Usage
from drac.stages.convert.ladder import read_batch
from drac.stages.convert.model_reading import ReadingModel, Tile

DIGEST = "d" * 64


def pages(*numbers: int) -> list[Page]:
    """Pages of one document."""
    return [Page(DIGEST, number) for number in numbers]


def reply(text: str, stop: str = "end_turn", *, tokens: int = 0) -> ChatReply:
    """A reply that costs a token for each four characters."""
    return ChatReply(text, stop, stop in {"end_turn", "stop"}, 100, tokens or 1 + len(text) // 4, 0.5)


def said(texts: Mapping[int, str]) -> str:
    """What an honest model writes."""
    return "\n\n".join(f"<!-- Page {number} -->\n\n{text}" for number, text in texts.items())


def honest(number: int) -> str:
    """The true text of a page: a heading, a paragraph, two rows."""
    return (
        f"## Part {number}\n\nOn day {number} a ferry sailed with {number * 7} guests and {number} cars.\n\n"
        f"Port: Skerrow {number}; Fare: {number}.50.\n\nPort: Holm {number}; Fare: {number}.75."
    )


def layer(number: int) -> str:
    """The text layer of that page."""
    return re.sub(r"[#;]", "", honest(number))


@dataclass
class Pages:
    """Implements Look; image bytes name the page and the view."""

    count: int
    blank: frozenset[int] = frozenset()
    broken: frozenset[int] = frozenset()
    layers: Mapping[int, str] = field(default_factory=dict)
    local_texts: Mapping[int, str] = field(default_factory=dict)
    headers: Mapping[int, str] = field(default_factory=dict)
    tiled: Mapping[int, tuple[Tile, ...]] = field(default_factory=dict)
    asked_local: list[int] = field(default_factory=list)

    def ink(self, page: Page) -> bool:
        return page.number not in self.blank

    def image(self, page: Page) -> ImagePart:
        if page.number in self.broken:
            raise PageError(f"page {page.number} cannot be drawn")
        return ImagePart(f"{page.number} whole".encode(), "image/png")

    def smaller(self, page: Page) -> ImagePart:
        return ImagePart(f"{page.number} small".encode(), "image/jpeg")

    def halves(self, page: Page) -> tuple[ImagePart, ImagePart]:
        top, bottom = (f"{page.number} {half}".encode() for half in ("top", "bottom"))
        return ImagePart(top, "image/png"), ImagePart(bottom, "image/png")

    def tiles(self, page: Page) -> tuple[Tile, ...]:
        return self.tiled.get(page.number, ())

    def text_layer(self, page: Page) -> str:
        return self.layers.get(page.number, "")

    def local(self, page: Page) -> PageText:
        self.asked_local.append(page.number)
        text = self.local_texts.get(page.number)
        state = PageState.FAILED if text is None else PageState.OK
        outcome = "cannot read it" if text is None else "ok"
        return PageText(page, state, text or "", "local", "ocr", attempts=(Attempt("local", outcome),))

    def header_before(self, page: Page) -> str:
        return self.headers.get(page.number - 1, "")


@dataclass(frozen=True)
class Asked:
    """A request as the fake server sees it."""

    numbers: tuple[int, ...]
    views: tuple[str, ...]
    texts: str
    temperature: float
    hinted: bool


def read_request(request: ChatRequest) -> Asked:
    """Numbers from the `Page N` right before each image, which must agree with the image."""
    numbers, views = [], []
    for before, part in zip(request.parts, request.parts[1:], strict=False):
        if isinstance(part, ImagePart):
            assert isinstance(before, str)
            match = re.fullmatch(r"Page (\d+)", before)
            assert match, before
            number, view = part.data.decode().split()
            assert int(match[1]) == int(number)
            numbers.append(int(number))
            views.append(view)
    texts = "\n".join(part for part in request.parts if isinstance(part, str))
    return Asked(tuple(numbers), tuple(views), texts, request.temperature, "The text layer of" in texts)


Script = Callable[[Asked], ChatReply | str]


@dataclass
class Server:
    """Answers from a script, and keeps the bill."""

    script: Script
    log: list[Asked] = field(default_factory=list)
    bill: list[Usage] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> ChatReply:
        asked = read_request(request)
        self.log.append(asked)
        answer = self.script(asked)
        return reply(answer) if isinstance(answer, str) else answer

    def cost(self, outcome: ChatReply | ModelError) -> Usage:
        usage = Usage(50, 0, 0.0, 3)
        if isinstance(outcome, ChatReply):
            usage = Usage(outcome.input_tokens, outcome.output_tokens, outcome.output_tokens * 0.1, 1)
        self.bill.append(usage)
        return usage

    def sent(self) -> list[tuple[int, ...]]:
        """Page numbers of each request."""
        return [one.numbers for one in self.log]


def read(
    script: Script,
    wanted: Sequence[Page],
    look: Pages,
    *,
    images: int = 20,
    **settings: object,
) -> tuple[list[PageText], Server]:
    """Run the ladder against a script."""
    server = Server(script)
    model = ReadingModel("bedrock", "a-model", "PROMPT", server.ask, server.cost, images)
    return read_batch(wanted, model, look, ModelReadSettings.model_validate(settings)), server


def answer_truly(asked: Asked) -> str:
    """An honest reply; a half page gets all of the page's text."""
    return said({number: honest(number) for number in asked.numbers})
