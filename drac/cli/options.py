"""Options that several commands share, and what they mean together."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from drac.config import Settings, load_settings
from drac.errors import UsageError

Paths = Annotated[
    list[str], typer.Argument(metavar="PATH", help="Files, folders, glob patterns or a corpus.toml.")
]
AuditPaths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH", help="Files, folders or glob patterns of converted documents (default: all)."
    ),
]
Workspace = Annotated[
    Path, typer.Option("--workspace", envvar="DRAC_WORKSPACE", help="Folder that holds all results.")
]
Config = Annotated[Path | None, typer.Option("--config", help="TOML file with settings by stage.")]
Engine = Annotated[
    str | None, typer.Option("--engine", help="Who reads the pages: local, bedrock or openai.")
]
Native = Annotated[
    bool | None,
    typer.Option(
        "--native", help="Read web pages and Markdown as they stand, without a PDF.", flag_value=True
    ),
]
OcrEngine = Annotated[
    str | None, typer.Option("--ocr-engine", help="Who reads scans: rapidocr (default) or tesseract.")
]
OcrLanguage = Annotated[
    list[str] | None,
    typer.Option("--ocr-language", help="Language for tesseract, e.g. deu; may repeat (default eng)."),
]
Planner = Annotated[
    str | None, typer.Option("--planner", help="Who plans the chunks: local, bedrock or openai.")
]
Collection = Annotated[str | None, typer.Option("--collection", help="Collection of the documents.")]
Root = Annotated[
    Path | None, typer.Option("--root", help="Root for all paths, or where a corpus's documents are.")
]
SetName = Annotated[str, typer.Option("--set", help="Name of the export set.")]
Hidden = Annotated[
    bool | None, typer.Option("--hidden/--no-hidden", help="Hidden slides, sheets, rows, columns, text too.")
]
Notes = Annotated[bool | None, typer.Option("--notes/--no-notes", help="Speaker notes after their slides.")]
PageList = Annotated[str | None, typer.Option("--pages", help="Pages of each document, e.g. 1-3,7.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Worker processes (default 2).")]
Password = Annotated[
    list[str] | None, typer.Option("--password", help="Password for encrypted documents; may repeat.")
]
PasswordFile = Annotated[
    Path | None, typer.Option("--password-file", help="File of passwords to try, one a line.")
]
Retry = Annotated[str | None, typer.Option("--retry", help="Only what is `failed` or `fallback`.")]
MaxFallback = Annotated[
    float | None,
    typer.Option("--max-fallback", help="Share of fallback pages above which the exit code is 4."),
]
Archives = Annotated[
    bool, typer.Option("--archives", help="Read what is in zip and tar archives, each file a document.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done and what it would cost.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens on stderr.")]
MinBlocks = Annotated[
    int | None, typer.Option("--min-blocks", help="Blocks of a chunk at least (a model: 3).")
]
MaxBlocks = Annotated[
    int | None, typer.Option("--max-blocks", help="Blocks of a chunk at most (a model: 8).")
]
TargetTokens = Annotated[
    int | None,
    typer.Option("--target-tokens", help="Tokens of a chunk that the local planner fills at most."),
]
Model = Annotated[str | None, typer.Option("--model", help="Model id, inference profile or ARN.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Server of engine openai.")]
EndpointUrl = Annotated[str | None, typer.Option("--endpoint-url", help="Endpoint of engine bedrock.")]
Region = Annotated[str | None, typer.Option("--region", help="AWS region of engine bedrock.")]
AwsProfile = Annotated[str | None, typer.Option("--aws-profile", help="AWS profile of engine bedrock.")]
Embedder = Annotated[str | None, typer.Option("--embedder", help="Who embeds: local, bedrock or openai.")]
EmbeddingModel = Annotated[
    str | None,
    typer.Option("--embedding-model", help="Embedding model: a name, a folder, or the server's id."),
]
SearchModel = Annotated[
    str | None, typer.Option("--model", help="Embedding model: a name, a folder, or the server's id.")
]
Dimensions = Annotated[
    int | None, typer.Option("--dimensions", help="Numbers of a vector that a server is asked for.")
]
IndexKind = Annotated[str | None, typer.Option("--index", help="Dense index: auto, flat, hnsw or ivf.")]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", help="Requests in flight over all documents (default 5).")
]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", help="Dollars that this run may spend at most.")]
TextHint = Annotated[
    str | None, typer.Option("--text-hint", help="Send text layers with images: auto, on or off.")
]
AuditToo = Annotated[
    bool, typer.Option("--audit", help="Compare the pages with a second reader before they are planned.")
]
AuditSample = Annotated[
    float | None,
    typer.Option(
        "--audit-sample",
        help="Share of the pages from a text layer that OCR checks (default 0.05; 1: all).",
    ),
]
OnMismatch = Annotated[
    str | None,
    typer.Option("--on-mismatch", help="What is done about a flagged page: report, repair or fallback."),
]
Reranker = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        help="Who orders the best chunks anew: cross-encoder, cohere or bedrock (default: none); "
        "NAME:MODEL names a model.",
    ),
]

DEFAULT_WORKSPACE = Path(".drac")
_MODELS = {"dense": "model", "hybrid": "model", "late": "late_model", "sparse": "sparse_model"}
"""Retriever -> the setting of its model."""


def set_up_logging(verbose: bool) -> None:
    """Warnings, or everything of ours with -v, on stderr."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", force=True)
    logging.getLogger("drac").setLevel(logging.DEBUG if verbose else logging.WARNING)


def settings_from(config: Path | None, **overrides: dict[str, Any]) -> Settings:
    """The settings that the file and the options give together."""
    return load_settings(config, overrides)


def convert_options(
    engine: str | None, native: bool | None, ocr_engine: str | None, ocr_languages: list[str] | None
) -> dict[str, Any]:
    """The table `convert` of the settings."""
    return {
        "engine": engine,
        "native": native,
        "ocr_engine": ocr_engine,
        "ocr_languages": tuple(ocr_languages) if ocr_languages else None,
    }


def model_options(
    name: str | None,
    base_url: str | None,
    endpoint_url: str | None,
    region: str | None,
    aws_profile: str | None,
    concurrency: int | None,
    max_usd: float | None,
) -> dict[str, Any]:
    """The table `model` of the settings."""
    return {
        "name": name,
        "base_url": base_url,
        "endpoint_url": endpoint_url,
        "region": region,
        "aws_profile": aws_profile,
        "concurrency": concurrency,
        "max_usd": max_usd,
    }


def search_options(
    retriever: str | None, reranker: str | None = None, model: str | None = None, top_k: int | None = None
) -> dict[str, Any]:
    """The table `search` of the settings; `late:MODEL` and the like name a model too. Raises UsageError."""
    name, named = named_model(retriever)
    if named and name not in _MODELS:
        raise UsageError(f"--retriever {retriever}: {name} has no model", remedy="Give the name alone.")
    behind, its = named_model(reranker)
    chosen = {"model": model, "top_k": top_k, "retriever": name, "reranker": behind, "reranker_model": its}
    return {**chosen, _MODELS[name]: named} if name and named else chosen


def named_model(text: str | None) -> tuple[str | None, str | None]:
    """The two sides of `NAME:MODEL`; None for what is not there."""
    name, _, model = (text or "").partition(":")
    return name or None, model or None


def parse_pages(text: str | None) -> frozenset[int] | None:
    """`1-3,7` as numbers; None for all pages. Raises UsageError."""
    if text is None:
        return None
    chosen: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise UsageError(f"--pages {text}: {part!r} is no page range", remedy="Write e.g. 1-3,7.")
        chosen.update(range(first, last + 1))
    return frozenset(chosen)


def passwords_from(given: list[str] | None, file: Path | None) -> tuple[str, ...]:
    """Candidates from the options and the file, in order, each once."""
    lines: list[str] = []
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"--password-file {file}: {error}", remedy="Give a readable text file."
            ) from error
    return tuple(dict.fromkeys([*(given or []), *(line for line in lines if line)]))


def corpora_folder() -> Path | None:
    """Where fetched corpora lie, by the environment variable DRAC_CORPORA."""
    place = os.environ.get("DRAC_CORPORA")
    return Path(place) if place else None
