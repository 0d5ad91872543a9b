"""What a run would read, ask and cost, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from drac.profiles import ModelProfile
from drac.stages.normalize import CONTAINERS

OUTPUT_TOKENS_A_PAGE = (200, 450, 1500)
"""Tokens that a model writes for a page: low, expected, high. RAG-Multi-Corpus has about 310 a page."""
PLAN_TOKENS_A_PAGE = (365, 27)
"""Tokens a page that planning sends and gets: scripts/bench_planning on RAG-Multi-Corpus, its 15.5 output
tokens raised by 1.73, the ratio of billed to counted tokens in that corpus's reference plans."""
EMBED_TOKENS_A_PAGE = (250, 350, 600)
"""Tokens of the chunks of a page, headings included: low, expected, high. RAG-Multi-Corpus has 343, and with
passages of 250 characters beside them 696."""
TEXTS_A_PAGE = 3.5
"""Chunks of a page; RAG-Multi-Corpus has 3.4, and with passages 10.4 texts."""
_WITH_PASSAGES = (2, 3)
"""Times as many tokens, and texts, where passages are embedded too."""
_RETRIES = (1.0, 1.05, 1.3)
"""Requests over those of a run in which every reply is good: low, expected, high."""
_CHARACTERS_A_TOKEN = 4
_FLAGGED = 0.05
"""Share of a model's pages expected to be flagged; our choice: how often a model errs is its own."""
_HINT = 2500
"""Characters of a page's text that goes with its image; RAG-Multi-Corpus has about 1,500 a page."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One document, counted."""

    name: str
    """Collection and path."""
    type: str
    """Short type name."""
    pages: int | None
    """Pages to read; None where only normalizing will tell."""
    finished: int = 0
    """Pages of these that are on disk already."""
    native: bool = False
    """Whether it is read as it stands, whoever reads the others."""
    tiled: int = 0
    """Of the pages, those whose print is too small for one image."""
    tiles: int = 0
    """Images of these pages, each a request of its own."""

    @property
    def left(self) -> int:
        """Pages still to read."""
        return (self.pages or 0) - self.finished

    @property
    def sent(self) -> tuple[int, int]:
        """Whole pages and tiles to send; of finished pages it is not known which were tiled."""
        share = self.left / self.pages if self.pages else 0.0
        tiled = round(self.tiled * share)
        return self.left - tiled, round(self.tiles * share)


@dataclass(frozen=True, slots=True)
class Convert:
    """How pages would be read by a model."""

    profile: ModelProfile
    """The model's figures."""
    batch_pages: int
    """Pages of one document in a request."""
    image_side: int
    """Pixels of an image's longer side; pages are taken to be A4 upright."""
    prompt: str
    """The prompt's text."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Pages by a model that are on disk, of which the audit would ask for the flagged ones again."""

    pages: int
    """All that may be asked for."""
    flagged: int
    """Those of them that are known to be flagged."""


@dataclass(frozen=True, slots=True)
class Embed:
    """How chunks would be embedded by a model that is asked."""

    profile: ModelProfile
    """The model's figures."""
    texts: int
    """Of a request at most."""
    passages: bool
    """Whether passages are embedded beside whole chunks."""


def estimate(
    documents: Sequence[Counted],
    problems: Sequence[str],
    convert: Convert | None,
    plan: ModelProfile | None,
    again: AskAgain | None = None,
    embed: Embed | None = None,
) -> dict[str, Any]:
    """Documents, pages, requests, tokens and dollars; `convert`, `plan` and `embed` are None where local.

    `again`: the pages are audited and repaired by the model that reads them.
    """
    known = [one for one in documents if one.pages is not None]
    left = [one for one in known if not one.native]
    record: dict[str, Any] = {
        "documents": len(documents),
        "types": _count([one.type for one in documents]),
        "pages": sum(one.pages or 0 for one in known),
        "pages_finished_already": sum(one.finished for one in known),
        "pages_to_read": sum(one.left for one in left),
        "documents_whose_pages_normalizing_will_tell": len(documents) - len(known),
        "containers_whose_parts_are_not_counted": sum(one.type in CONTAINERS for one in documents),
        "problems": list(problems),
    }
    parts = [_reading(convert, left)] if convert else []
    parts += [asking_again(convert, again, left)] if convert and again else []
    parts += [_planning(plan, record["pages"])] if plan else []
    parts += [_embedding(embed, record["pages"])] if embed else []
    return record | {"requests": 0, "usd": 0.0, "usd_range": [0.0, 0.0]} | _together(parts)


def _reading(convert: Convert, left: Sequence[Counted]) -> dict[str, Any]:
    pages, tiles = sum(one.left for one in left), sum(one.sent[1] for one in left)
    requests = tiles + sum(math.ceil(one.sent[0] / convert.batch_pages) for one in left)
    images = tiles + sum(one.sent[0] for one in left)
    image = convert.profile.image_tokens(round(convert.image_side / math.sqrt(2)), convert.image_side)
    sent = images * image + requests * len(convert.prompt) // _CHARACTERS_A_TOKEN
    tokens = [
        (round(sent * more), round(pages * each * more))
        for each, more in zip(OUTPUT_TOKENS_A_PAGE, _RETRIES, strict=True)
    ]
    return {
        "what": "convert", "model": convert.profile.id, "requests": requests, "pages": pages, "tiles": tiles,
        "image_tokens_a_page": image, "assumed_output_tokens_a_page": list(OUTPUT_TOKENS_A_PAGE),
        **_priced(convert.profile.cost, tokens), **_price_note(convert.profile),
    }  # fmt: skip


def asking_again(convert: Convert, again: AskAgain, left: Sequence[Counted] = ()) -> dict[str, Any]:
    """What the audit's asking for flagged pages would cost, of those on disk and of those `left` to read."""
    unread, images = sum(one.left for one in left), sum(sum(one.sent) for one in left)
    share = images / unread if unread else 1.0
    image = convert.profile.image_tokens(round(convert.image_side / math.sqrt(2)), convert.image_side)
    sent = share * (image + (len(convert.prompt) + _HINT) / _CHARACTERS_A_TOKEN)
    counts = (again.flagged, again.flagged + math.ceil(_FLAGGED * unread), again.pages + unread)
    tokens = [
        (round(count * sent * more), round(count * each * more))
        for count, each, more in zip(counts, OUTPUT_TOKENS_A_PAGE, _RETRIES, strict=True)
    ]
    return {
        "what": "audit", "model": convert.profile.id, "requests": math.ceil(counts[1] * share),
        "requests_at_most": math.ceil(counts[2] * share), "pages": counts[2],
        **_priced(convert.profile.cost, tokens), **_price_note(convert.profile),
    }  # fmt: skip


def _planning(profile: ModelProfile, pages: int) -> dict[str, Any]:
    sent, got = PLAN_TOKENS_A_PAGE
    tokens = [(round(pages * sent * more), round(pages * got * more)) for more in (0.7, 1.0, 1.5)]
    return {
        "what": "plan", "model": profile.id, "requests": math.ceil(pages / 3), "pages": pages,
        **_priced(profile.cost, tokens), **_price_note(profile),
    }  # fmt: skip


def _embedding(embed: Embed, pages: int) -> dict[str, Any]:
    tokens_more, texts_more = _WITH_PASSAGES if embed.passages else (1, 1)
    tokens = [(pages * each * tokens_more, 0) for each in EMBED_TOKENS_A_PAGE]
    requests = math.ceil(pages * TEXTS_A_PAGE * texts_more / embed.texts)
    return {
        "what": "embed", "model": embed.profile.id, "requests": requests, "pages": pages,
        **_priced(embed.profile.cost, tokens), **_price_note(embed.profile),
    }  # fmt: skip


def embedding_of(texts: Sequence[str], chunks: int, embed: Embed) -> dict[str, Any]:
    """What embedding these texts would ask and cost; `chunks` are those of the set, most perhaps embedded."""
    length = sum(map(len, texts))
    tokens = [(math.ceil(length / each), 0) for each in (5, _CHARACTERS_A_TOKEN, 2.5)]
    return {
        "what": "embed", "model": embed.profile.id, "chunks": chunks, "texts": len(texts),
        "requests": math.ceil(len(texts) / embed.texts),
        **_priced(embed.profile.cost, tokens), **_price_note(embed.profile),
    }  # fmt: skip


def _priced(cost: Callable[[int, int], float | None], tokens: Sequence[tuple[int, int]]) -> dict[str, Any]:
    low, expected, high = tokens
    dollars = [cost(*one) for one in tokens]
    return {
        "input_tokens": expected[0], "output_tokens": expected[1],
        "input_tokens_range": [low[0], high[0]], "output_tokens_range": [low[1], high[1]],
        "usd": dollars[1], "usd_range": [dollars[0], dollars[2]],
    }  # fmt: skip


def _price_note(profile: ModelProfile) -> dict[str, str]:
    if profile.price_input is None:
        return {"price": f'not known; give price_input and price_output under [models."{profile.id}"]'}
    said = f"${profile.price_input:g} in, ${profile.price_output:g} out a million tokens"
    where = f"{profile.price_source or 'no source'}, {profile.price_date or 'no date'}"
    return {"price": f"{said} ({where}{'' if profile.verified else ', unverified'})"}


def _together(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if not parts:
        return {}
    priced = all(one["usd"] is not None for one in parts)
    low, high = ([one["usd_range"][i] for one in parts] for i in (0, 1))
    return {
        "requests": sum(one["requests"] for one in parts),
        "usd": round(sum(one["usd"] for one in parts), 4) if priced else None,
        "usd_range": [round(sum(low), 4), round(sum(high), 4)] if priced else None,
        "by_stage": list(parts),
    }  # fmt: skip


def _count(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in sorted(set(names))}
