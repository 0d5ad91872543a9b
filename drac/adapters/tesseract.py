"""OCR by the program Tesseract, for languages that RapidOCR's weights lack; nothing is downloaded."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np

from drac.adapters.ocr_line import OcrLine
from drac.adapters.pymupdf_layout import digest
from drac.adapters.straighten import Image
from drac.errors import EngineUnavailable
from drac.records import Box, Health

_WORD = "5"
"""Level of a row of Tesseract's table that is a word."""
_SPARSE = "11"
"""Page segmentation that finds text anywhere, in no order: layout analysis is ours."""
_SECONDS = 300
"""Seconds that a page may take; the worker's own limit is usually lower."""
_LEAST = 0.3
"""Confidence of a word below which it is left out: specks and rules that were taken for letters."""
Row = dict[str, str]


def recognise(image: Image, languages: Sequence[str]) -> list[OcrLine]:
    """Lines of an upright RGB image of shape (height, width, 3), in Tesseract's order.

    `languages` are its names for them, such as `eng` or `deu`. Raises EngineUnavailable where the program
    or a language is missing.
    """
    check(languages)
    table = _run(image, languages)
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [row for row in rows if row["level"] == _WORD and row["text"].strip() and _score(row) >= _LEAST]
    lines = (list(group) for _, group in groupby(words, key=_line_of))
    return sorted((_line(group) for group in lines), key=lambda one: (one.box[1], one.box[0]))


def _run(image: Image, languages: Sequence[str]) -> str:
    import cv2

    encoded = cv2.imencode(".png", np.ascontiguousarray(image[:, :, ::-1]))[1].tobytes()
    options = ["-l", "+".join(languages), "--psm", _SPARSE, "--dpi", "200", "-c", "tessedit_create_tsv=1"]
    done = subprocess.run(
        [_program(), "stdin", "stdout", *options],
        input=encoded,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise EngineUnavailable(f"Tesseract failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8")


def _line_of(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("block_num", "par_num", "line_num"))


def _score(row: Row) -> float:
    return float(row["conf"]) / 100


def _line(words: Sequence[Row]) -> OcrLine:
    boxes = [_box(word) for word in words]
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    text = " ".join(word["text"] for word in words)
    spans, scores = [], []
    for place, (word, box) in enumerate(zip(words, boxes, strict=True)):
        if place:
            spans.append((boxes[place - 1][2], box[0]))
            scores.append(1.0)
        spans += _shared(box, len(word["text"]))
        scores += [_score(word)] * len(word["text"])
    total = sum(len(word["text"]) for word in words)
    score = sum(_score(word) * len(word["text"]) for word in words) / total
    return OcrLine(text, (min(x0), min(y0), max(x1), max(y1)), score, tuple(spans), tuple(scores))


def _box(word: Row) -> Box:
    left, top, width, height = (float(word[name]) for name in ("left", "top", "width", "height"))
    return (left, top, left + width, top + height)


def _shared(box: Box, length: int) -> Iterator[tuple[float, float]]:
    """A word's box shared out over its characters: Tesseract's table has no places of single ones."""
    step = (box[2] - box[0]) / length
    return ((box[0] + place * step, box[0] + (place + 1) * step) for place in range(length))


def _program(languages: Sequence[str] = ()) -> str:
    found = shutil.which("tesseract")
    if found is None:
        raise EngineUnavailable("the program tesseract is not installed", remedy=_remedy(languages))
    return found


@cache
def installed() -> dict[str, Path]:
    """The languages that Tesseract has, and each one's file; raises EngineUnavailable."""
    done = subprocess.run([_program(), "--list-langs"], capture_output=True, timeout=30, check=False)
    head, *names = (done.stdout or done.stderr).decode("utf-8", "replace").splitlines() or [""]
    folder = Path(head.partition('"')[2].partition('"')[0])
    return {name: folder / f"{name}.traineddata" for name in map(str.strip, names) if name}


@cache
def _version() -> str:
    done = subprocess.run([_program(), "--version"], capture_output=True, timeout=30, check=False)
    return (done.stdout or done.stderr).decode("utf-8", "replace").splitlines()[0].removeprefix("tesseract ")


def check(languages: Sequence[str]) -> None:
    """Raise EngineUnavailable, naming what to install, where the program or a language is missing."""
    _program(languages)
    there = installed()
    if missing := [name for name in languages if name not in there]:
        raise EngineUnavailable(
            f"Tesseract lacks the language {', '.join(missing)}; it has {', '.join(there)}",
            remedy=_remedy(missing),
        )


def _remedy(languages: Sequence[str]) -> str:
    packages = " ".join(f"tesseract-ocr-{name.lower().replace('_', '-')}" for name in languages or ("eng",))
    return f"Install it, e.g. with: apt-get install tesseract-ocr {packages}"


def fingerprint(languages: Sequence[str]) -> dict[str, str]:
    """Tesseract's version and the digest of the languages' data; raises EngineUnavailable."""
    check(languages)
    return {"tesseract": _version(), "tesseract-data": digest(installed()[name] for name in languages)}


def health(languages: Sequence[str], *, chosen: bool) -> Health:
    """Tesseract's version and languages; what it lacks is named where it is the engine `chosen`."""
    try:
        check(languages if chosen else ())
    except EngineUnavailable as error:
        if chosen:
            return Health("Tesseract", "missing", error.message, error.remedy)
        return Health("Tesseract", "ok", "not installed; only --ocr-engine tesseract needs it")
    return Health("Tesseract", "ok", f"{_version()} with {', '.join(sorted(installed()))}")
