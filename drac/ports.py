"""Protocols that the pipeline and the stages talk to; adapters implement them, fakes stand beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from drac.records import Element, Page, PageText, Usage

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), rows of length 1."""
Rows = npt.NDArray[Any]
"""One text in many rows. Late interaction: a vector a token, float16 of shape (tokens, dimension), rows
of length 1. Sparse encoder: a weight a term, shape (terms,) of `TERM`, terms ascending."""
TERM = np.dtype([("term", "<i4"), ("weight", "<f4")])
"""A term of a sparse encoder's vocabulary and its weight, above 0."""
T = TypeVar("T")
R = TypeVar("R")


class PdfConverter(Protocol):
    """Turns one document into a PDF file."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Tools and versions that shape the result, for the artifact's digest."""

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Write the PDF of `source` to `target`; `suffix` is the true type, with its dot.

        Raises a DocumentError for this document, or EngineUnavailable for the run.
        """


@dataclass(frozen=True, slots=True)
class PdfInfo:
    """What opening a PDF told."""

    pages: int
    """Physical pages, at least 1."""
    encrypted: bool
    """Whether a password was needed to open it."""


class Renderer(Protocol):
    """Draws a page."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Tools and versions that shape the image."""

    def render(self, pdf: Path, number: int, *, dpi: int, max_side: int) -> bytes:
        """PNG bytes of 1-based page `number`, no side over `max_side` pixels; raises PageError."""


class PageReader(Protocol):
    """Reads pages of one PDF into Markdown."""

    @property
    def name(self) -> str:
        """`local`, `bedrock` or `openai`."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Everything outside the settings that can change the text: tool versions, weights, model id."""

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """One PageText a page, in the order asked for; a page that cannot be read comes back `failed`."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model and weights."""

    @property
    def window(self) -> int:
        """Longest input in the model's tokens, special tokens included."""

    def windows(self, text: str) -> Sequence[str]:
        """Cut a text into pieces that each fit the window; nothing is left out."""

    def cut(self, text: str) -> str:
        """The longest beginning of a text that fits the window; the rest is left out."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension); each text must fit the window."""


class Index(Protocol):
    """Finds the nearest vectors."""

    def add(self, vectors: Vectors) -> None:
        """Append rows; row numbers go on from the last."""

    def search(self, query: Vectors, k: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """Scores and row numbers, shape (queries, min(k, rows)), best first, ties by row number."""

    def save(self, path: Path) -> None:
        """Write the index to a file in its library's own format."""


class IndexMaker(Protocol):
    """Makes the index that so many vectors are to have."""

    def fingerprint(self, rows: int) -> Mapping[str, str]:
        """What shapes an index of `rows` vectors beside these; part of its digest."""

    def make(self, dimension: int, rows: int) -> Index:
        """An empty index for `rows` vectors of `dimension`; raises MissingExtra."""


class RowEncoder(Protocol):
    """Turns texts into many rows each: late interaction, or a sparse encoder."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model and weights."""

    @property
    def label(self) -> str:
        """The model as results name it; says so where it only stands in for one of its kind."""

    def documents(self, texts: Sequence[str]) -> list[Rows]:
        """The rows of each text; one that is longer than the model's window is read in several."""

    def query(self, text: str) -> Rows:
        """The rows of a question, however long."""

    def cut(self, text: str) -> str:
        """The longest beginning of a text that fits the window; the rest is left out."""


class RowIndex(Protocol):
    """Finds texts by their rows."""

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """(text, score) of the `k` best texts, by their 0-based numbers, ties by number.

        `among`: only these texts; None: all.
        """


class Reranker(Protocol):
    """Judges texts by reading each together with the question."""

    @property
    def label(self) -> str:
        """`cross-encoder`, `cohere` or `bedrock`, a colon, and the model, as results name it."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, higher is better; comparable within one query only."""


class Executor(Protocol):
    """Runs tasks beside each other; the seam where an engine beyond one machine takes over."""

    @property
    def workers(self) -> int:
        """Tasks that run at once."""

    def submit(self, work: Callable[[T], R], task: T, *, timeout: float) -> Future[R]:
        """Start a task; `work` must be importable by name, `task` and the result must pickle.

        The future raises what the task raised, LimitExceeded where it passed `timeout` seconds, or
        WorkerDied where its worker died; the other tasks go on.
        """

    def close(self) -> None:
        """Stop all tasks and workers."""


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image in a request."""

    data: bytes
    """Encoded bytes."""
    media_type: str
    """`image/png` or `image/jpeg`."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a model: a system text and one user message."""

    purpose: str
    """`convert`, `plan`, `write`, `embed` or `rerank`; for reports only."""
    model: str
    """Model id, inference profile or ARN, as the engine knows it."""
    system: str
    """System text; empty: none."""
    parts: tuple[str | ImagePart, ...]
    """Texts and images of the user message, in order."""
    temperature: float
    """Sampling temperature (paper: 0.1)."""
    max_output_tokens: int
    """Tokens the reply may have at most; for `rerank`, searches that it may be billed as."""
    schema: str = ""
    """JSON schema that the reply should follow, where the model supports it; empty: free text. For `embed`,
    whose parts are the texts and whose reply's text holds their vectors (`retrieve.vectors.pack`): what the
    server is asked beside them, as a JSON object. For `rerank` the parts are the question and the texts, and
    the reply's text holds their scores (`retrieve.rerank_reply`)."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One reply of a model, as it came."""

    text: str
    """The reply's text; may be empty."""
    stop_reason: str
    """As the server named it, e.g. `end_turn`, `stop`, `max_tokens`, `content_filtered`."""
    finished: bool
    """Whether `stop_reason` is the server's normal end; every other one, known or not, is False."""
    input_tokens: int
    """Tokens billed for the request, as the server counted; 0: it did not say."""
    output_tokens: int
    """Tokens billed for the reply, or searches for `rerank`, as the server counted; 0: it did not say."""
    seconds: float
    """From sending to the last byte."""


class ChatModel(Protocol):
    """Sends one request and returns its reply; never retries by itself. Safe to call from many threads."""

    @property
    def engine(self) -> str:
        """`bedrock` or `openai`."""

    @property
    def endpoint(self) -> str:
        """Region or base URL, without secrets; part of a reply's digest."""

    @property
    def simulated(self) -> bool:
        """Whether the server says that it only plays a model (scripts/fake_model, tests)."""

    def ask(self, request: ChatRequest) -> ChatReply:
        """Raises ModelBusy (transient), RequestRejected (never as it is) or EngineUnavailable (no request
        will pass: credentials, access, unknown model), each naming what the server said."""


class Planner(Protocol):
    """Proposes chunks for one section as text that a reply check reads."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Everything outside the settings that can change the answer."""

    def plan(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        """A reply that holds a JSON array of arrays of IDs of `elements`.

        `elements` are one section in reading order, `ancestors` the headings above it, outermost
        first. The reply is checked, never trusted.
        """


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as a parser read it: one text, and where its pages stand in it."""

    collection: str
    """Its collection."""
    source: str
    """Its path under the given root."""
    pages: tuple[PageText, ...]
    """Every page, in order, whatever its state."""
    text: str
    """The Markdown of the pages that have any, in order, a blank line between them."""
    places: tuple[tuple[int, int, int], ...]
    """(1-based page, start, end) of each of those pages: code points of `text`, ascending, end exclusive."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk as a chunker proposes it; its pages follow from its spans."""

    spans: tuple[tuple[int, int], ...]
    """Stretches of the document's text that it is made of or was written from: code points, ascending,
    without overlap, end exclusive."""
    text: str | None = None
    """What is embedded and judged; None: the spans' text, a blank line between stretches."""
    breadcrumb: tuple[str, ...] = ()
    """Headings above it, outermost first, where the chunker knows them."""
    parent: int | None = None
    """Number in the same list of the draft that may be returned for it; parents are not indexed."""


@dataclass(frozen=True, slots=True)
class Chunked:
    """What a chunker made of one document."""

    drafts: tuple[Draft, ...]
    """In reading order."""
    usage: Usage = field(default_factory=Usage)
    """What the models' replies cost, those taken from the journal too."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What was found on the way, by name, e.g. `invented`: texts that do not stand in the document."""


class Chunker(Protocol):
    """Cuts one document into chunks."""

    @property
    def name(self) -> str:
        """As tables call it; that of one whose chunks are not the document's own text says so."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Everything outside its options that can change the chunks: versions, weights, model id, prompt."""

    def chunk(self, document: ParsedDocument) -> Chunked:
        """Raises DracError for a document that it cannot cut."""


class ChunkEmbedder(Protocol):
    """Gives chunks vectors that depend on the whole document (late chunking)."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model, weights and way of pooling."""

    def embed_chunks(self, document: ParsedDocument, drafts: Sequence[Draft]) -> Vectors:
        """Shape (len(drafts), dimension), in the drafts' order."""
