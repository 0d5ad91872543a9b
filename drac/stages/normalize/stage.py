"""One source to its PDF through the converter that its type asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from drac.config import NormalizeSettings
from drac.errors import DocumentError, LimitExceeded
from drac.ports import PdfConverter
from drac.stages.normalize.detect import detect
from drac.stages.normalize.kinds import DocumentType


def run(
    source: Path,
    target: Path,
    settings: NormalizeSettings,
    converters: Mapping[str, PdfConverter],
    *,
    password: str | None = None,
) -> DocumentType:
    """Write the PDF of `source` to `target` and say what the source was.

    `converters` is by `ConverterName`. Raises a DocumentError that names the source, or EngineUnavailable.
    """
    check_size(source, settings)
    kind = detect(source, password=password)
    converters[kind.converter].convert(source, target, suffix=kind.suffix, password=password)
    return kind


def check_size(source: Path, settings: NormalizeSettings) -> None:
    """Raise LimitExceeded for a source of more than `settings.max_bytes`."""
    try:
        size = source.stat().st_size
    except OSError as error:
        raise DocumentError(f"{source}: cannot be read: {error.strerror}") from error
    if size > settings.max_bytes:
        raise LimitExceeded(f"{source}: {size:,} bytes; the limit is {settings.max_bytes:,}")
