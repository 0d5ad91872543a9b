"""Model profiles: what a model takes and what it costs, as data.

The figures stand in profiles.toml, each with its date and source. A user adds or corrects some under
`[models."id"]` of the settings file, with the fields of `ModelFacts`. The defaults of `ModelFacts` are the
careful ones: they hold for a model that nobody described, which then has no price.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

_REGION = re.compile(r"^(?:global|us-gov|us|eu|apac|jp|au|ca|sa|me|af|in)\.")
_VERSION = re.compile(r":\d+(?::\d+k)?$")
_PER_MILLION = 1_000_000
_OWN = "the settings file"


class ImageRule(BaseModel):
    """How many input tokens an image becomes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Literal["fixed", "tiles", "pixels"]
    """`fixed`: `tokens` an image. `tiles`: `base`, and `tokens` a tile. `pixels`: by the image's area."""
    tokens: int = Field(0, ge=0)
    """Tokens of an image (`fixed`) or of a tile (`tiles`)."""
    base: int = Field(0, ge=0)
    """Tokens of an image beside its tiles."""
    side: int = Field(0, ge=0)
    """Pixels of a tile's side."""
    fit: int = Field(0, ge=0)
    """Pixels of the square that an image is first scaled down into; 0: none."""
    short_side: int = Field(0, ge=0)
    """Pixels that the shorter side is then scaled down to; 0: none."""
    small: int = Field(0, ge=0)
    """An image with no side over this many pixels is one tile; 0: no such rule."""
    pixels_per_token: float = Field(0, ge=0)
    """Pixels that make one token."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        need = {"fixed": self.tokens, "tiles": self.tokens and self.side, "pixels": self.pixels_per_token}
        if not need[self.rule]:
            raise ValueError(f"image rule {self.rule!r} lacks its figures")
        return self

    def count(self, width: int, height: int) -> int:
        """Tokens of an image of `width` x `height` pixels."""
        if self.rule == "fixed":
            return self.tokens
        if self.rule == "pixels":
            return math.ceil(width * height / self.pixels_per_token)
        return self.base + self.tokens * self._tiles(width, height)

    def _tiles(self, width: int, height: int) -> int:
        if max(width, height) <= self.small:
            return 1
        scale = min(1.0, self.fit / max(width, height)) if self.fit else 1.0
        if self.short_side:
            scale *= min(1.0, self.short_side / (min(width, height) * scale))
        across, down = (math.ceil(round(length * scale, 3) / self.side) for length in (width, height))
        return max(1, across) * max(1, down)


class ModelFacts(BaseModel):
    """One entry under `[models."id"]`; a figure that is not given keeps the built-in or careful value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images_per_request: int = Field(1, ge=1)
    """Images in one request at most. Careful: servers exist that take one (vllm-project/vllm#13397)."""
    image_bytes: int = Field(3_750_000, ge=1)
    """Encoded bytes of one image at most. Careful: the strictest documented, Amazon Bedrock's."""
    image_side: int = Field(2048, ge=1)
    """Pixels of an image's longer side at most."""
    image_formats: tuple[Literal["image/png", "image/jpeg"], ...] = ("image/png", "image/jpeg")
    """Media types taken."""
    output_tokens: int = Field(4096, ge=1)
    """Tokens of a reply at most."""
    context_tokens: int = Field(8192, ge=1)
    """Tokens of request and reply together at most."""
    system_prompt: bool = False
    """Whether a system text is taken; where not, it goes before the user's text."""
    json_schema: bool = False
    """Whether a reply can be held to a JSON schema."""
    tools: bool = False
    """Whether tools can be called."""
    temperature: bool = True
    """Whether a temperature may be set; some reasoning models refuse every one."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    """Where a chat completion gives the output allowance; None: by the server, see adapters/openai.py."""
    image_rule: ImageRule = ImageRule(rule="pixels", pixels_per_token=750)
    """Tokens of an image. Careful: the densest rule known, a token for 750 pixels."""
    price_input: float | None = Field(None, ge=0)
    """US dollars a million input tokens; None: not known."""
    price_output: float | None = Field(None, ge=0)
    """US dollars a million output tokens; None: not known."""
    price_search: float | None = Field(None, ge=0)
    """US dollars a thousand searches of a reranker, each of up to 100 texts; None: not known."""
    price_date: str = ""
    """When the price was read: `YYYY-MM` or `YYYY-MM-DD`."""
    price_source: str = ""
    """Where the price was read."""
    verified: bool = False
    """Whether the price was read at the seller's own page, or is the user's own."""
    sources: dict[str, str] = {}
    """Figure -> where it is from and when it was read; `unverified` stands there where it is secondary."""


class ModelProfile(ModelFacts):
    """What is known of one model."""

    id: str
    """Model id as it was asked for."""
    known: bool = False
    """Whether anybody described the model; else all figures are the careful defaults."""

    def image_tokens(self, width: int, height: int) -> int:
        """Input tokens of an image of `width` x `height` pixels, by the model's rule."""
        return self.image_rule.count(width, height)

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """US dollars for one request; None where the price is not known."""
        if self.price_input is None or self.price_output is None:
            return None
        return (input_tokens * self.price_input + output_tokens * self.price_output) / _PER_MILLION

    def search_cost(self, _input_tokens: int, searches: int) -> float | None:
        """US dollars for one request to a reranker, billed by the search; None where no price is known."""
        return None if self.price_search is None else searches * self.price_search / 1000


def find_profile(model: str, user: Mapping[str, ModelFacts] | None = None) -> ModelProfile:
    """The profile of a model id, inference profile or ARN: `user`'s figures over the built-in ones.

    Each side is searched by the id as given, then by what it stands for: an ARN's last part, without
    `models/`, without a region's prefix (`us.`, `eu.`, `global.`), without the version (`:0`).
    A regional profile may cost more than the model it stands for; give its own price where it does.
    An opaque id, such as an application inference profile's, is not known.
    """
    built_in = _first(model, built_in_facts())
    own = _first(model, user or {})
    figures = _over(_given(built_in), _given(own))
    return ModelProfile(**{**figures, "id": model, "known": bool(built_in or own)})


@cache
def built_in_facts() -> Mapping[str, ModelFacts]:
    """Model id -> figures of profiles.toml."""
    tables = tomllib.loads(files("drac").joinpath("profiles.toml").read_text(encoding="utf-8"))
    origins = {name: _origin(**one) for name, one in tables["sources"].items()}
    facts: dict[str, ModelFacts] = {}
    for model, entry in tables["models"].items():
        aliases = entry.pop("aliases", [])
        one = _resolved(_inherited(entry, tables["models"]), origins)
        facts |= dict.fromkeys([model, *aliases], ModelFacts(**one))
    return facts


def _inherited(entry: dict[str, Any], models: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    parent = models.get(entry.pop("like", ""), {})
    origins = {**parent.get("sources", {}), **entry.get("sources", {})}
    return {**parent, **entry, "sources": origins}


def _resolved(entry: dict[str, Any], origins: Mapping[str, str]) -> dict[str, Any]:
    sources = {figure: origins[name] for figure, name in entry["sources"].items()}
    return {**entry, "sources": sources}


def _origin(what: str, read: str, verified: bool, url: str = "") -> str:
    return ", ".join(filter(None, (what, url, read, "" if verified else "unverified")))


def _first(model: str, facts: Mapping[str, ModelFacts]) -> ModelFacts | None:
    return next((facts[name] for name in _names(model) if name in facts), None)


def _names(model: str) -> Iterator[str]:
    yield model
    name = model.rpartition("/")[2] if model.startswith("arn:") else model.removeprefix("models/")
    yield name
    yield _VERSION.sub("", name)
    name = _REGION.sub("", name)
    yield name
    yield _VERSION.sub("", name)


def _given(facts: ModelFacts | None) -> dict[str, Any]:
    return {name: getattr(facts, name) for name in facts.model_fields_set} if facts else {}


def _over(built_in: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The user's figures over the built-in ones, each with its own source: none vouches for another's."""
    sources = {**built_in.get("sources", {}), **dict.fromkeys(own, _OWN), **own.get("sources", {})}
    sources.pop("sources", None)
    prices = own.keys() & {"price_input", "price_output", "price_search"}
    whole = "price_search" in prices or len(prices) == 2
    mark = {"price_source": _OWN, "price_date": "", "verified": whole} if prices else {}
    return {**built_in, **mark, **own, "sources": sources}
