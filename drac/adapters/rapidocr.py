"""OCR by RapidOCR with the PP-OCR weights of its own wheel; nothing is downloaded."""

from __future__ import annotations

import importlib.metadata
import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.adapters.pymupdf_layout import digest, hushed
from drac.records import Box, Health

_MAX_SIDE = 3000
"""Pixels of the longer side; a larger image is scaled down before detection."""
_MIN_SCORE = 0.5
"""Confidence of a line below which it is left out (RapidOCR's own default)."""
_SOUND = 0.8
"""Mean confidence of a page's lines below which they may stand on their heads."""
_WEIGHTS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "ch_ppocr_mobile_v2.0_cls_mobile.onnx")


@dataclass(frozen=True, slots=True)
class OcrLine:
    """One recognised line."""

    text: str
    """As recognised."""
    box: Box
    """In pixels of the image, origin top left."""
    score: float
    """Confidence, 0 to 1."""


@cache
def _engine() -> Any:
    """The engine with one thread: pages are read beside each other by worker processes."""
    with hushed():
        from rapidocr import RapidOCR

        engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": _MAX_SIDE,
                "Global.text_score": _MIN_SCORE,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    return engine


def recognise(image: npt.NDArray[np.uint8]) -> list[OcrLine]:
    """Lines of an RGB image of shape (height, width, 3), in the order of detection: top to bottom.

    Lines are taken to stand upright. RapidOCR can turn single lines round, but then also turns about one
    sound line in ten (measured on typewriter print, 26 lines a page); so that is tried only where the page
    reads badly, and kept only where it reads better.
    """
    pixels = np.ascontiguousarray(image[:, :, ::-1])
    upright = _lines(pixels, turn=False)
    if _mean_score(upright) >= _SOUND:
        return upright
    turned = _lines(pixels, turn=True)
    return turned if _mean_score(turned) > _mean_score(upright) else upright


def _lines(pixels: npt.NDArray[np.uint8], *, turn: bool) -> list[OcrLine]:
    found = _engine()(pixels, use_cls=turn)
    if found.txts is None or found.boxes is None:
        return []
    return [
        OcrLine(text, _upright(corners), float(score))
        for text, corners, score in zip(found.txts, found.boxes, found.scores, strict=True)
        if text.strip()
    ]


def _mean_score(lines: list[OcrLine]) -> float:
    """Confidence by length; 1 for a page without lines, which a second look would not help."""
    total = sum(len(line.text) for line in lines)
    return sum(line.score * len(line.text) for line in lines) / total if total else 1.0


def _upright(corners: Any) -> Box:
    xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return (min(xs), min(ys), max(xs), max(ys))


@cache
def fingerprint() -> dict[str, str]:
    """RapidOCR's version and its weights' digest; without loading them."""
    return {"rapidocr": importlib.metadata.version("rapidocr"), "ocr-weights": digest(_weights())}


def _weights() -> list[Path]:
    distribution = importlib.metadata.distribution("rapidocr")
    return [Path(str(distribution.locate_file(f"rapidocr/models/{name}"))) for name in _WEIGHTS]


def health() -> Health:
    """RapidOCR's version, and whether its weights are in place."""
    remedy = "Install it with: pip install --force-reinstall 'rapidocr>=3.10,<4'"
    try:
        version = importlib.metadata.version("rapidocr")
        missing = [path.name for path in _weights() if not path.exists()]
    except importlib.metadata.PackageNotFoundError:
        return Health("OCR", "missing", "the package rapidocr is not installed", remedy)
    if missing:
        return Health("OCR", "missing", f"weights are missing: {', '.join(missing)}", remedy)
    return Health("OCR", "ok", f"RapidOCR {version} with PP-OCRv6 weights")
