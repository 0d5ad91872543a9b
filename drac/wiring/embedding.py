"""The embedder that the settings name: a model on this machine, or one that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.embedding import AskedEmbedder, EmbeddingModel
from drac.pipeline.estimating import Embed
from drac.ports import Embedder
from drac.profiles import ModelProfile, find_profile

if TYPE_CHECKING:
    from drac.wiring import Models

_CAREFUL_WINDOW = 512
"""Tokens of a text that every embedding model takes: BERT's, and what some servers cut at silently."""
_TEXTS = 64
"""Texts of a request to `/v1/embeddings`."""
_TOKENS = 100_000
"""Estimated tokens of such a request; OpenAI takes 300,000."""
_TITAN = "titan-embed-text"


def asked_embedder(settings: Settings, models: Models) -> Embedder:
    """The embedder `bedrock` or `openai`; raises UsageError for a model that it cannot ask."""
    search = settings.search
    named = embedding_settings(settings)
    access = models.access(search.embedder, named, "embed")
    model = EmbeddingModel(
        named.model.name, access.server, window_of(access.profile), search.dimensions,
        texts=_texts(search.embedder), tokens=_TOKENS,
        at_once=settings.model.concurrency,
    )  # fmt: skip
    return AskedEmbedder(model, access.asker, access.journal)


def embedding_settings(settings: Settings) -> Settings:
    """The settings with the embedding model in the place of the one that reads and plans."""
    search, model = settings.search, settings.model
    name = search.embedding_model
    if search.embedder == "bedrock" and _TITAN not in name:
        raise UsageError(
            f"the embedder `bedrock` does not know how {name} is asked",
            remedy="Choose a Titan text embedding model, such as amazon.titan-embed-text-v2:0.",
        )
    where = {
        "base_url": search.base_url or model.base_url,
        "endpoint_url": search.endpoint_url or model.endpoint_url,
    }
    return settings.model_copy(update={"model": model.model_copy(update={"name": name, **where})})


def embedding_costs(settings: Settings) -> Embed | None:
    """What prices embedding; None where it is done on this machine."""
    search = settings.search
    if search.embedder == "local":
        return None
    profile = find_profile(embedding_settings(settings).model.name, settings.models)
    return Embed(profile, _texts(search.embedder), search.passages > 0)


def _texts(engine: str) -> int:
    """Of a request: Titan takes one."""
    return _TEXTS if engine == "openai" else 1


def window_of(profile: ModelProfile) -> int:
    """Tokens of a text: as somebody said, else the careful figure."""
    known = "context_tokens" in profile.model_fields_set
    return profile.context_tokens if known else _CAREFUL_WINDOW
