"""Frozen settings per stage, and how a TOML file sets them.

A setting stands here with its unit, range and default. Those that can change a stage's output go
into its digest; those that cannot (worker counts, time limits) are in `RunSettings`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from drac.errors import UsageError
from drac.mistakes import explain
from drac.profiles import ModelFacts

Engine = Literal["local", "bedrock", "openai"]
TITAN = "amazon.titan-embed-text-v2:0"
"""Bedrock's embedding model where none is named."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NormalizeSettings(_Frozen):
    """Any format to PDF."""

    max_bytes: int = Field(2_000_000_000, gt=0)
    """Bytes of one source; a larger one is named and skipped."""
    max_pages: int = Field(20_000, gt=0)
    """Pages of one document; a longer one is named and skipped."""
    max_cells: int = Field(500_000, gt=0)
    """Filled cells of one sheet; a larger one is named and left out. About a minute, and 1,250 pages."""
    archives: bool = False
    """Whether zip and tar archives are unpacked, each file in them a document of its own."""
    max_parts: int = Field(10_000, gt=0)
    """Files in one mail or archive, those within its parts counted; one with more is named and skipped."""
    max_unpacked: int = Field(4_000_000_000, gt=0)
    """Bytes that one mail or archive may unpack to, all levels together."""
    max_ratio: int = Field(200, gt=1)
    """Times that a file of more than 50 MB may be larger than it is packed; a bomb is about 1,000."""
    max_depth: int = Field(10, gt=0)
    """Mails and archives within each other."""
    hidden: bool = False
    """Whether hidden slides, sheets, rows, columns and text of Office documents are shown."""
    notes: bool = False
    """Whether speaker notes follow their slides, on pages that keep the slides' numbers."""


class RenderSettings(_Frozen):
    """A page to an image."""

    dpi: int = Field(200, ge=36, le=1200)
    """Dots per inch (paper: 200)."""
    max_side: int = Field(1568, ge=64, le=16_000)
    """Pixels of the longer side at most; scaled down before drawing."""
    readable_size: int = Field(9, ge=0, le=64)
    """Pixels of print (its font size) below which a page is sent as overlapping tiles; 0: never.

    Our choice: 10 point print on A2, 7 point on A3, 5 point on Letter."""


class ConvertSettings(_Frozen):
    """Pages to Markdown."""

    engine: Engine = "local"
    """Who reads: `local`, `bedrock` or `openai`."""
    ocr: Literal["auto", "always", "never"] = "auto"
    """`auto`: where a page has no usable text layer."""
    ocr_dpi: int = Field(200, ge=72, le=600)
    """Dots per inch of the image that OCR reads."""
    ocr_engine: Literal["rapidocr", "tesseract"] = "rapidocr"
    """Who recognises: RapidOCR reads Latin, Chinese and Japanese; Tesseract the languages installed."""
    ocr_languages: tuple[str, ...] = Field(("eng",), min_length=1)
    """Languages that Tesseract looks for, by its names (`deu`, `rus`, `ara`), the most usual first."""
    native: bool = False
    """Whether web pages and Markdown are read as they stand, by `native`, without a PDF and its pages."""


class ModelReadSettings(_Frozen):
    """How a multimodal model is asked to read pages."""

    batch_pages: int = Field(5, ge=1, le=100)
    """Pages of one document in a first request (paper: 5); the model's limit of images goes before it."""
    temperature: float = Field(0.1, ge=0, le=2)
    """Sampling temperature (paper: 0.1)."""
    retry_temperature: float = Field(0.4, ge=0, le=2)
    """Sampling temperature of the second try at a single page; our choice, so that a loop is left."""
    max_output_tokens: int = Field(8192, ge=256)
    """Tokens that a reply may have at most (paper: 8,192)."""
    text_hint: Literal["auto", "on", "off"] = "auto"
    """Whether a page's text layer goes with its image: after two failed tries, from the first, or never."""


class AuditSettings(_Frozen):
    """Pages compared with a second reader."""

    sample: float = Field(0.05, ge=0, le=1)
    """Share of the pages that `local` took from a text layer which are compared with OCR of their image; our
    choice, since OCR takes seconds a page. Which pages follows from their digests. Pages by a model or OCR
    are all compared."""
    on_mismatch: Literal["report", "repair", "fallback"] = "report"
    """What is done about a flagged page: nothing, repaired where that can be, or replaced by the second
    reader's text."""


class StructureSettings(_Frozen):
    """Markdown to elements and sections."""

    section_elements: int = Field(60, ge=1)
    """Elements of a section at most (paper: 60 a call)."""
    window_tokens: int = Field(256, ge=16)
    """The embedding model's window; a larger block is split into several elements."""


class PlanSettings(_Frozen):
    """Sections to chunks."""

    planner: Engine = "local"
    """Who plans: `local`, `bedrock` or `openai`."""
    min_blocks: int | None = Field(None, ge=1)
    """Blocks of a chunk that the planner aims at, at least; None: 3 where a model plans (paper), else 1."""
    max_blocks: int | None = Field(None, ge=1)
    """Blocks of a chunk at most; None: 8 where a model plans (paper), else as many as fit `target_tokens`."""
    target_tokens: int = Field(400, ge=16)
    """Estimated tokens of a chunk's text, headings above it included, that the local planner fills at most;
    only a block that is larger by itself passes it. About 120 words a chunk come of 400. Measured on two
    organisations of RAG-Multi-Corpus: Recall@6 grows with it, recall within 600 words no more."""
    max_output_tokens: int = Field(16_384, ge=256)
    """Tokens that a model's reply may have at most (paper: 16,384)."""
    temperature: float = Field(0.1, ge=0, le=2)
    """Sampling temperature of a model's reply (paper: 0.1)."""

    @property
    def model_blocks(self) -> tuple[int, int]:
        """Least and most blocks of a chunk that a model is asked for."""
        most = self.max_blocks or max(8, self.min_blocks or 0)
        return min(self.min_blocks or 3, most), most


class ModelSettings(_Frozen):
    """Which model is asked by the engines `bedrock` and `openai`, where, and how hard."""

    name: str = "google.gemma-3-27b-it"
    """Model id, inference profile or ARN, as the engine knows it."""
    base_url: str | None = None
    """`openai`: address of the server; None: OPENAI_BASE_URL, else OpenAI's own."""
    endpoint_url: str | None = None
    """`bedrock`: address in place of the region's own; None: the usual AWS settings."""
    region: str | None = None
    """`bedrock`: region; None: the usual AWS settings."""
    aws_profile: str | None = None
    """`bedrock`: profile of the AWS configuration; None: the usual one."""
    read_timeout: float = Field(300.0, gt=0)
    """Seconds to wait for a reply; longer than the slowest batch, since a late reply is billed too."""
    concurrency: int = Field(5, ge=1, le=1000)
    """Requests in flight at most, over the whole corpus (paper: 5)."""
    requests_per_minute: int | None = Field(None, ge=1)
    """Requests a minute at most; None: no limit of ours."""
    tokens_per_minute: int | None = Field(None, ge=1)
    """Input tokens a minute at most; None: no limit of ours."""
    attempts: int = Field(3, ge=1)
    """Tries of a request that fails for a passing reason (paper: 3); throttling has more."""
    max_usd: float | None = Field(None, ge=0)
    """Dollars that a run may spend at most; None: no limit."""


class SearchSettings(_Frozen):
    """Embedding, index and search."""

    embedder: Engine = "local"
    """Who embeds: `local`, `bedrock` (Amazon Titan) or `openai` (any server of `/v1/embeddings`)."""
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """Embedding model: a name on the model hub or a folder; else as the server knows it."""
    dimensions: int | None = Field(None, ge=1)
    """Numbers of a vector that a server is asked for; None: the model's own."""
    base_url: str | None = None
    """`openai`: address of the server that embeds; None: that of [model]."""
    endpoint_url: str | None = None
    """`bedrock`: address in place of the region's own; None: that of [model]."""
    retriever: Literal["auto", "dense", "bm25", "hybrid", "late", "sparse"] = "auto"
    """`auto`: dense where the set has an index, else BM25; `hybrid`: both, joined by their ranks; `late`:
    late interaction, a vector a token; `sparse`: a sparse encoder, a weight a term."""
    index: Literal["auto", "flat", "hnsw", "ivf"] = "auto"
    """`auto`: exact (`flat`) up to 200,000 vectors, a graph (`hnsw`) up to 2,000,000, then `ivf`."""
    late_model: str = "lightonai/LateOn"
    """Late-interaction model: a name on the model hub or a folder."""
    sparse_model: str = "prithivida/Splade_PP_en_v1"
    """Sparse encoder: a name on the model hub or a folder."""
    reranker: Literal["none", "cross-encoder", "cohere", "bedrock"] = "none"
    """Who reads the best chunks together with the question and orders them anew."""
    reranker_model: str | None = None
    """Its model; None: its own default."""
    passages: int = Field(250, ge=0)
    """`dense` and `hybrid`: characters of a chunk's passages at most. They are embedded beside its whole
    text, each under its headings, and the nearest vector counts; 0: the text alone. They make the vectors
    about five times as many. Measured on two organisations of RAG-Multi-Corpus, dense MRR in the first six
    chunks: 0.588 at 0, 0.665 at 400, 0.668 at 250."""
    stop_words: Literal["nltk", "lucene", "none"] = "nltk"
    """`bm25` and `hybrid`: English words of a question that are passed over, 179 or 33, as bm25s has them;
    its own default is `lucene`. Measured on two organisations of RAG-Multi-Corpus, Recall@6 of fixed-size
    chunks: 0.767 with `nltk`, 0.737 with `lucene`, 0.731 with none."""
    top_k: int = Field(10, ge=1)
    """Chunks shown."""
    over_fetch: int = Field(3, ge=1)
    """Times `top_k` that each side of `hybrid` is asked for."""
    rerank_over_fetch: int = Field(4, ge=1)
    """Times `top_k` chunks that a reranker reads; what stands below them is no result."""

    @property
    def embedding_model(self) -> str:
        """The model's name; without one, Bedrock's is Titan. Raises UsageError for a server without one."""
        if self.embedder == "local" or "model" in self.model_fields_set:
            return self.model
        if self.embedder == "bedrock":
            return TITAN
        raise UsageError(
            "the embedder `openai` needs the name of a model",
            remedy="Give search.model, or the option for the embedding model, as the server knows it.",
        )


class EvaluateSettings(_Frozen):
    """Chunk sets judged."""

    chunks: int = Field(100, ge=6)
    """Chunks retrieved for a query (paper: top 100)."""
    page_score: str = "max"
    """How a page's chunks give its score: `max` (paper), `mean`, `sum` or a function, `module:name`."""
    page_cutoff: int = Field(10, ge=1)
    """Ranked pages judged (paper: 10)."""
    long_texts: Literal["windows", "cut"] = "windows"
    """A text longer than the model's window: the best of its `windows`, or only its beginning (`cut`), then
    without passages: one vector a text, as reference figures have it."""
    merge_share: float = Field(0.5, ge=0, le=1)
    """Of a parent passage's chunks: where more of them are among the retrieved, it is returned in their place
    (LlamaIndex: 0.5); 0: always the parent, 1: never."""
    samples: int = Field(10_000, ge=100)
    """Of the randomisation test and of the bootstrap."""
    seed: int = Field(0, ge=0)
    """Of their random numbers."""


class RunSettings(_Frozen):
    """What cannot change any output."""

    workers: int = Field(2, ge=1, le=256)
    """Worker processes for reading pages."""
    batch_pages: int = Field(8, ge=1)
    """Pages of one document handed to a local worker at once."""
    page_timeout: float = Field(120.0, gt=0)
    """Seconds a page may take in a worker."""
    convert_timeout: float = Field(180.0, gt=0)
    """Seconds that making the PDF of one document may take."""
    office_instances: int | None = Field(None, ge=1, le=64)
    """LibreOffice instances that work at once, about 250 MB each; None: as many as workers, 8 at most."""
    office_memory: int = Field(3 << 30, ge=1 << 28)
    """Bytes of memory that an instance may use for one document."""
    office_written: int = Field(2 << 30, ge=1 << 20)
    """Bytes that LibreOffice may write for one document."""
    worker_memory: int = Field(4 << 30, ge=1 << 29)
    """Bytes of memory that a worker process may ask for."""
    isolation: Literal["auto", "required"] = "auto"
    """`required`: convert no Office document where LibreOffice cannot be cut off from network and files."""
    max_fallback: float = Field(0.02, ge=0, le=1)
    """Share of fallback pages above which the exit code is 4."""

    @property
    def offices(self) -> int:
        """LibreOffice instances that work at once."""
        return self.office_instances or min(self.workers, 8)


class Settings(_Frozen):
    """All settings of a run."""

    normalize: NormalizeSettings = NormalizeSettings()
    render: RenderSettings = RenderSettings()
    convert: ConvertSettings = ConvertSettings()
    model: ModelSettings = ModelSettings()
    model_read: ModelReadSettings = ModelReadSettings()
    audit: AuditSettings = AuditSettings()
    models: dict[str, ModelFacts] = {}
    structure: StructureSettings = StructureSettings()
    plan: PlanSettings = PlanSettings()
    search: SearchSettings = SearchSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    run: RunSettings = RunSettings()


def load_settings(path: Path | None, overrides: dict[str, dict[str, Any]]) -> Settings:
    """Defaults, then the TOML file's tables, then the command line's values; raises UsageError.

    `overrides` is {stage: {setting: value}}; a value of None counts as not given.
    """
    tables = _read_toml(path) if path else {}
    for stage, values in overrides.items():
        given = {name: value for name, value in values.items() if value is not None}
        tables[stage] = {**tables.get(stage, {}), **given}
    try:
        settings = Settings.model_validate(tables)
    except ValidationError as error:
        raise UsageError(f"settings: {explain(error, Settings)}", remedy=_remedy(tables)) from error
    _check_blocks(settings.plan)
    return settings


def _check_blocks(plan: PlanSettings) -> None:
    if plan.min_blocks and plan.max_blocks and plan.min_blocks > plan.max_blocks:
        raise UsageError(
            f"settings: plan.min_blocks {plan.min_blocks} is more than plan.max_blocks {plan.max_blocks}",
            remedy="Lower the one or raise the other.",
        )


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {error}", remedy="Give a readable TOML file.") from error


def _remedy(tables: dict[str, Any]) -> str:
    """Where settings are listed, and where those of a model are for who gave it a table of its engine."""
    remedy = "Correct it; README.md lists all settings with their defaults."
    if engines := [f"`{one}`" for one in get_args(Engine) if one in tables]:
        remedy += (
            f" Model and address of {' and '.join(engines)} are set in [model], of embedders in [search]."
        )
    return remedy


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told about its task."""

    text: str
    """The whole file."""
    sha256: str
    """Of the text in UTF-8, hexadecimal: names the prompt in digests."""


def load_prompt(name: str) -> Prompt:
    """The prompt `name`.md, as shipped in the wheel, or from the checkout's `prompts/`; raises UsageError."""
    package = Path(__file__).resolve().parent
    for folder in (package / "prompts", package.parent / "prompts"):
        if (folder / f"{name}.md").is_file():
            text = (folder / f"{name}.md").read_text(encoding="utf-8")
            return Prompt(text, sha256(text.encode()).hexdigest())
    raise UsageError(f"prompt {name!r} is not installed", remedy="Install D-RAC again.")
