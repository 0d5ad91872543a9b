"""Options of each chunker, as an experiment's TOML gives them, with unit and default."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

TOKENIZER = "all-MiniLM-L6-v2"
"""Counts tokens where nothing else is named: the packaged embedding model's own."""
ModelEngine = Literal["bedrock", "openai"]


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PageOptions(_Options):
    """None: a page is a chunk."""


class _Sized(_Options):
    size: int = Field(512, ge=1)
    """Tokens of a chunk at most."""
    tokenizer: str = TOKENIZER
    """`character`, `word`, a tokenizer.json or a name on the hub."""


class _Overlapping(_Sized):
    overlap: int = Field(0, ge=0)
    """Tokens that a chunk shares with the one before; fewer than `size`."""

    @model_validator(mode="after")
    def _moves_on(self) -> Any:
        if self.overlap >= self.size:
            raise ValueError(f"overlap {self.overlap} is not less than size {self.size}")
        return self


class TokenOptions(_Overlapping):
    """Every `size` tokens."""


class SentenceOptions(_Overlapping):
    """Whole sentences up to `size` tokens; a longer one is a chunk of its own."""

    min_sentences: int = Field(1, ge=1)
    """Sentences of a chunk at least."""


class RecursiveOptions(_Sized):
    """Cut at paragraphs, sentences, pauses, words, tokens, in turn."""

    min_characters: int = Field(24, ge=1)
    """Characters of a piece at least, before pieces are joined (Chonkie: 24)."""


class FastOptions(_Options):
    """By bytes, at delimiters."""

    size: int = Field(2_048, ge=4)
    """Bytes of UTF-8 of a chunk at most; about 512 tokens of English."""
    delimiters: str = Field("\n.?", min_length=1)
    """ASCII characters after which a cut may be (Chonkie's)."""


class FixedOptions(_Options):
    """By length alone."""

    unit: Literal["characters", "words"] = "characters"
    """What is counted."""
    size: int = Field(1_000, ge=1)
    """Units of a chunk (paper: 1,000 characters)."""
    overlap: int = Field(200, ge=0)
    """Units that it shares with the one before (paper: 200); fewer than `size`."""

    @model_validator(mode="after")
    def _moves_on(self) -> Any:
        if self.overlap >= self.size:
            raise ValueError(f"overlap {self.overlap} is not less than size {self.size}")
        return self


class ParagraphOptions(_Overlapping):
    """Paragraphs joined up to `size` tokens; a longer one is cut every `size` tokens with `overlap`."""


class SemanticOptions(_Options):
    """Chonkie's: valleys of the smoothed similarity between a sentence and those before it."""

    size: int = Field(512, ge=1)
    """Tokens of a chunk at most."""
    threshold: float = Field(0.8, gt=0, lt=1)
    """Valleys below this quantile of all are cuts (Chonkie: 0.8)."""
    similarity_window: int = Field(3, ge=1)
    """Sentences before that are compared with (Chonkie: 3)."""
    min_sentences: int = Field(1, ge=1)
    """Sentences of a chunk at least."""
    skip_window: int = Field(0, ge=0)
    """Groups that may be skipped when groups alike are joined; 0: none is joined."""
    tokenizer: str = TOKENIZER
    """Counts tokens."""


class ThresholdOptions(_Options):
    """Cut below μ − kσ of the document's similarities of consecutive sentences."""

    k: float = Field(1.0, ge=0)
    """Standard deviations below the mean."""


class LateOptions(RecursiveOptions):
    """Stretches of `recursive`; vectors from the whole document."""

    window: int | None = Field(None, ge=8)
    """Tokens that go through the model at once; None: the model's maximum."""
    window_overlap: int | None = Field(None, ge=0)
    """Tokens of a window that were in the one before; None: an eighth of it."""


class NeuralOptions(_Options):
    """A model that marks the tokens after which a chunk ends."""

    model: str = "mirth/chonky_distilbert_base_uncased_1"
    """Name on the hub, or a folder."""
    min_characters: int = Field(10, ge=1)
    """Characters between two cuts at least (Chonkie: 10)."""


class DracOptions(_Options):
    """D-RAC's own; None: as in the settings' `plan` and `structure`."""

    planner: Literal["local", "bedrock", "openai"] = "local"
    """Who plans."""
    target_tokens: int | None = Field(None, ge=16)
    """Estimated tokens of a chunk that the local planner aims at."""
    min_blocks: int | None = Field(None, ge=1)
    """Blocks of a chunk that the planner aims at, at least."""
    max_blocks: int | None = Field(None, ge=1)
    """Blocks of a chunk at most."""
    section_elements: int | None = Field(None, ge=1)
    """Elements of a section at most."""
    window_tokens: int | None = Field(None, ge=16)
    """A larger block is split."""


class HierarchicalOptions(_Options):
    """Sentences are found; their paragraphs and sections may be returned."""

    section_elements: int | None = Field(None, ge=1)
    """Elements of a section at most; None: as in the settings' `structure`."""


class Written(_Options):
    """Of chunkers that let a model write."""

    engine: ModelEngine | None = None
    """Who writes; None: the settings' planner."""
    temperature: float = Field(0.1, ge=0, le=2)
    """Sampling temperature."""
    max_output_tokens: int = Field(8_192, ge=64)
    """Tokens of a reply at most."""


class Over(Written):
    """Of those that work over another chunker's chunks."""

    over: str = "recursive"
    """Chunker that cuts the passages."""
    over_options: dict[str, Any] = {}
    """Its options."""


class ContextualOptions(Over):
    """A model writes one or two sentences that are put before each chunk."""

    around: int = Field(24_000, ge=0)
    """Characters of the document shown with a chunk, half before and half after it."""
    max_output_tokens: int = Field(400, ge=64)
    """Tokens of a reply at most."""


class PropositionOptions(Over):
    """A model writes each passage as atomic claims; each claim is a chunk."""

    over_options: dict[str, Any] = {"size": 128}
    """Its options; 128 tokens are about the paper's 100 words."""


class AgenticOptions(Written):
    """A model rewrites the document into chunks, a portion at a time."""

    portion: int = Field(8_000, ge=500)
    """Characters of the document in one request; its reply is about as long."""
