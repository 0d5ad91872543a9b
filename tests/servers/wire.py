"""What the two protocols have in common: a request that was asked, an answer or an error to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Api = Literal["converse", "openai", "cohere"]
SIMULATED = {"x-drac-simulated": "1"}
"""Header of every reply, errors included."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a request."""

    data: bytes
    """Encoded bytes."""
    format: str
    """`png`, `jpeg`, `gif` or `webp`, as the client said."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, whatever its protocol."""

    api: Api
    """Protocol."""
    model: str
    """Model id, profile or ARN, decoded."""
    system: str
    """System text; empty: none."""
    parts: tuple[str | Image, ...]
    """Texts and images of the messages, in order."""
    temperature: float | None
    """Sampling temperature; None: not given."""
    max_tokens: int | None
    """Tokens that the reply may have; None: not given."""
    schema: Mapping[str, Any] | None = None
    """JSON schema that the reply must follow; None: free text."""

    embeds: bool = False
    """Whether vectors of the texts are asked for."""
    dimensions: int | None = None
    """Numbers of a vector; None: not given."""
    reranks: bool = False
    """Whether texts are to be ranked: the first is the question."""

    @property
    def images(self) -> tuple[Image, ...]:
        """The images, in order."""
        return tuple(part for part in self.parts if isinstance(part, Image))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the messages, without the system text."""
        return tuple(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply of the model."""

    text: str
    """Its text."""
    stop: str = ""
    """Stop reason as it goes over the wire; empty: the protocol's normal end."""
    tool: bool = False
    """Whether the reply is a tool call instead of a text."""
    input_tokens: int = 0
    """Tokens of the request."""
    output_tokens: int = 0
    """Tokens of the reply."""


@dataclass(eq=False)
class WireError(Exception):
    """An error reply, in the terms of Converse; the OpenAI protocol has its own words for each."""

    code: str
    """Name of the exception, e.g. `ThrottlingException`."""
    message: str
    """What went wrong."""
    status: int = 400
    """HTTP status where the protocol does not fix it."""
    retry_after: float | None = None
    """Seconds that the client should wait; None: not said."""
    openai_code: str | None = None
    """`error.code` in the OpenAI protocol."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes over the wire."""

    status: int
    """HTTP status."""
    body: bytes
    """The body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers beyond the usual ones."""
    content_type: str = "application/json"
    """Type of the body."""
