"""What the ladder stands on: a model that is asked, and a look at the pages themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from drac.errors import ModelError
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.records import Box, Page, PageText, Usage


def count_tokens(outcome: ChatReply | ModelError) -> Usage:
    """Tokens of a reply without a price; a failed request counts as one request."""
    if isinstance(outcome, ModelError):
        return Usage(requests=1)
    return Usage(outcome.input_tokens, outcome.output_tokens, 0.0, 1)


@dataclass(frozen=True, slots=True)
class ReadingModel:
    """A model and how it is asked."""

    engine: str
    """`bedrock` or `openai`."""
    model: str
    """Model id as the engine knows it."""
    prompt: str
    """Text of prompts/convert.md."""
    ask: Callable[[ChatRequest], ChatReply]
    """Sends a request. ModelBusy (after its own retries) and RequestRejected concern this request and
    lead down the ladder; every other error ends the batch at once."""
    cost: Callable[[ChatReply | ModelError], Usage] = count_tokens
    """What a reply, or a request that failed, cost."""
    images_per_request: int = 20
    """Images that one request may hold, by the model's profile."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One of the pieces that a page is sent in whose print would be too small to read in one image.

    Tiles of a page come row by row from the top, each row from the left; neighbours overlap by some lines.
    """

    row: int
    """From 0."""
    column: int
    """From 0."""
    box: Box
    """Where it stands, in page points."""
    image: ImagePart
    """As it is sent."""
    text_layer: str = ""
    """The text layer in the box; empty where there is none."""
    shared: str = ""
    """The text layer in what the tile on the left also shows."""

    @property
    def name(self) -> str:
        """`2.1` for the second row's first."""
        return f"{self.row + 1}.{self.column + 1}"


class Look(Protocol):
    """A page's own pixels and text; a DocumentError raised here concerns that page only."""

    def ink(self, page: Page) -> bool:
        """Whether anything is drawn on the page; decided from pixels."""

    def image(self, page: Page) -> ImagePart:
        """The page as it is sent."""

    def smaller(self, page: Page) -> ImagePart:
        """The page in fewer bytes, for a server that says too large."""

    def halves(self, page: Page) -> tuple[ImagePart, ImagePart]:
        """Top and bottom half, overlapping by a few lines."""

    def tiles(self, page: Page) -> tuple[Tile, ...]:
        """The page in pieces, where its print is too small to be sent in one; empty where it is not."""

    def text_layer(self, page: Page) -> str:
        """The text layer as extracted, lines parted; empty where there is none."""

    def local(self, page: Page) -> PageText:
        """The page read by the engine `local`."""

    def header_before(self, page: Page) -> str:
        """The last header row of a table on the page before, cells parted by `; `; empty if none."""


def share(usage: Usage, parts: int) -> list[Usage]:
    """A request's usage over the pages in it; the counts, and `math.fsum` of the dollars, add up exactly."""
    usd = [usage.usd / parts] * (parts - 1)
    usd.append(math.fsum((usage.usd, *(-one for one in usd))))
    counts = zip(
        _split(usage.input_tokens, parts),
        _split(usage.output_tokens, parts),
        usd,
        _split(usage.requests, parts),
        strict=True,
    )
    return [Usage(*one) for one in counts]


def _split(total: int, parts: int) -> list[int]:
    """As equal as whole numbers go, the larger ones first."""
    each, rest = divmod(total, parts)
    return [each + (index < rest) for index in range(parts)]


def total(usages: Iterable[Usage]) -> Usage:
    """Their sum."""
    all_of = list(usages)
    return Usage(
        sum(one.input_tokens for one in all_of),
        sum(one.output_tokens for one in all_of),
        math.fsum(one.usd for one in all_of),
        sum(one.requests for one in all_of),
    )
