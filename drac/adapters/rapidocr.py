"""OCR by RapidOCR with the PP-OCR weights of its own wheel; nothing is downloaded."""

from __future__ import annotations

import importlib.metadata
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.adapters.ink import gaps_of, glyph_spans, ink_columns, with_spaces
from drac.adapters.ocr_line import DOUBT, OcrLine, least_sure, surer
from drac.adapters.overprint import Print, told_apart
from drac.adapters.pymupdf_layout import digest, hushed
from drac.adapters.straighten import Image, lies_sideways, skew_of, straighten, turn
from drac.records import Box, Health
from drac.stages.convert.recognised import turns
from drac.stages.convert.tiling import joined, moved, spans

_MIN_SCORE = 0.5
"""Confidence of a line below which it is left out (RapidOCR's own default)."""
_PROBED = 6
"""Lines that are read both ways to tell which way up a page is."""
_PROBE_SIDE = 1000
"""Pixels of the longer side of the image that this is told from."""
_PROBE_LENGTH = 12
"""Heights of a line, at most, that are read of it for that."""
_SURER = 1.3
"""How much more the other way up must read like text; measured on ten scans, each four ways: 2 to 60."""
_SOUND = 0.75
"""Mean confidence of the lines read one way below which they are no text; 0.4 to 0.7 upside down."""
_FEW = 4
"""Characters below which nothing is known."""
_THIN = 4
"""Times that an image may be as long as wide."""
_COLUMNS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that are also written from top to bottom."""
_PLAIN = 40
"""Grey levels between the darkest and the lightest pixel of a tile that holds nothing."""
TILE = 3000
"""Pixels of the longer side of an image that is looked at in one piece, and of a tile."""
OVERLAP = 240
"""Pixels that tiles share: some lines of print."""
_DETECTED = 1600
"""Pixels of the longer side of the image in which lines are looked for; they are read as large as given."""
_SMALL = 12
"""Pixels in that image, of the box of one line in ten, under which lines are looked for at full size."""
_LARGER = 2.0
"""Times that a line with a doubtful digit is enlarged for the second look."""
_ROOM = 0.15
"""Heights of its box that the second look takes in around it."""
_LAP = 0.25
"""Heights of a line by which the first of two cells is read past the edge of the second."""
_NEAR_EDGE = 0.45
"""Heights of a line within which a gap is at a column's edge; figures stand a bit to the right of it."""
_WIDER = 1.6
"""Times that this gap is wider than the usual between characters."""
_WEIGHTS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "ch_ppocr_mobile_v2.0_cls_mobile.onnx")


Pixels = npt.NDArray[np.uint8]
"""Shape (height, width, 3), blue, green, red as RapidOCR has it."""


@cache
def _engine() -> Any:
    """The engine with one thread: pages are read beside each other by worker processes."""
    with hushed():
        from rapidocr import RapidOCR

        engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": 1_000_000,
                "Global.text_score": _MIN_SCORE,
                "Rec.rec_batch_num": 1,  # no padding to the longest of six: a fifth less time on one thread
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    return engine


def recognise(image: Image) -> list[OcrLine]:
    """Lines of an upright RGB image of shape (height, width, 3), from top to bottom.

    RapidOCR can turn single lines round, but then also turns about one sound line in ten (measured on
    typewriter print, 26 lines a page); so lines are taken to stand as `quarter_turns` left the page. An
    image larger than a tile is looked through tile by tile; a line that two of them see is read once, whole.
    """
    pixels = np.ascontiguousarray(image[:, :, ::-1])
    if max(pixels.shape[:2]) <= TILE:
        return _read_whole(pixels)
    boxes = _detected_by_tiles(pixels)
    return _read_crops([_crop(pixels, box) for box in boxes], boxes)


def look_again(image: Image, lines: Sequence[OcrLine]) -> list[OcrLine]:
    """The lines, those with a doubtful digit cut out with more paper around them, twice as large, read again.

    Of the two readings the one that is surer of its digits stands, where they differ in digits alone.
    """
    pixels = np.ascontiguousarray(image[:, :, ::-1])
    doubtful = [line for line in lines if least_sure(line) < DOUBT and _is_wide(line.box)]
    boxes = [_roomy(line.box, pixels) for line in doubtful]
    read = _read_crops([_resized(_crop(pixels, box), _LARGER) for box in boxes], boxes, keep_all=True)
    better = {id(line): surer(line, second) for line, second in zip(doubtful, read, strict=True)}
    return [better.get(id(line), line) for line in lines]


def _roomy(box: Box, pixels: Pixels) -> Box:
    x0, y0, x1, y1 = box
    room = _ROOM * (y1 - y0)
    height, width = pixels.shape[:2]
    return (max(0.0, x0 - room), max(0.0, y0 - room), min(width, x1 + room), min(height, y1 + room))


def recognise_line(image: Image) -> str:
    """The text of an RGB image that holds one upright line and nothing else; empty where none is sure."""
    found = _engine()(np.ascontiguousarray(image[:, :, ::-1]), use_det=False, use_cls=False, use_rec=True)
    return str(found.txts[0]).strip() if found.txts and found.scores[0] >= _MIN_SCORE else ""


def read_apart(image: Image, line: OcrLine, edge: float, page: Print) -> list[OcrLine]:
    """The line as two that meet at x = `edge`, in pixels; as it is where both together read the same.

    What one cell prints over the next is told apart by the page's glyphs; where that fails it is seen by a
    reader that starts, or ends, there.
    """
    pixels = np.ascontiguousarray(image[:, :, ::-1])
    x0, y0, x1, y1 = line.box
    lap = _LAP * (y1 - y0)
    boxes = [(x0, y0, edge + lap, y1), (edge - 2, y0, x1, y1)]
    parts = _read_crops([_level(pixels, box) for box in boxes], boxes, keep_all=True, level=True)
    if pair := told_apart(page, line, parts[1], edge):
        parts = list(pair)
    elif (place := _gap_near(line, edge)) is not None:
        return [_with_space(line, place)]
    else:
        parts[0] = _without_second(line, *parts)
    if not all(part.text.strip() and part.score >= _SOUND for part in parts):
        return [line]
    left, right = (part.text.strip() for part in parts)
    same = "".join(f"{left}{right}".split()) == "".join(line.text.split())
    return parts if not same or turns(left + right, len(left)) else [line]


def _without_second(line: OcrLine, first: OcrLine, second: OcrLine) -> OcrLine:
    """The first part without what it shows of the second, where the line reads like one after the other."""
    whole, left, right = ("".join(one.text.split()) for one in (line, first, second))
    more = len(left) + len(right) - len(whole)
    if more <= 0 or left[:-more] + right != whole:
        return first
    return replace(first, text=first.text[:-more], spans=first.spans[:-more], scores=first.scores[:-more])


def _gap_near(line: OcrLine, edge: float) -> int | None:
    """The place after a gap near the edge that is wider than those between the line's letters or digits."""
    near = _NEAR_EDGE * (line.box[3] - line.box[1])
    gaps = [after[0] - before[1] for before, after in pairwise(line.spans)]
    usual = float(np.median(gaps)) if gaps else 0.0
    places = (
        place
        for place, gap in enumerate(gaps, 1)
        if gap > _WIDER * max(usual, 1.0)
        and abs(line.spans[place][0] - edge) <= near
        and line.text[place - 1 : place + 1].isalnum()
        and turns(line.text, place)
    )
    return min(places, key=lambda place: abs(line.spans[place][0] - edge), default=None)


def _with_space(line: OcrLine, place: int) -> OcrLine:
    spans, scores = list(line.spans), list(line.scores)
    spans.insert(place, (spans[place - 1][1], spans[place][0]))
    scores.insert(place, 1.0)
    text = f"{line.text[:place]} {line.text[place:]}"
    return replace(line, text=text, spans=tuple(spans), scores=tuple(scores))


def mean_score(lines: Sequence[OcrLine]) -> float:
    """Confidence by length; 1 for a page without lines, which a second look would not help."""
    total = sum(len(line.text) for line in lines)
    return sum(line.score * len(line.text) for line in lines) / total if total else 1.0


def quarter_turns(image: Image, *, keep_columns: bool = False) -> int:
    """Degrees clockwise, 0, 90, 180 or 270, by which a page must be turned so that its lines can be read.

    Some long lines are read as they are and turned round; the way that reads like text wins. 0 where neither
    does. Chinese, Japanese or Korean in columns is turned like a page that lies on its side: its columns
    become lines, the first one at the top, which is how RapidOCR reads them; not so with `keep_columns`.
    """
    if lies_sideways(image):  # lines that slant, too, are not read as they are
        image = straighten(image, skew_of(turn(image, 90)))
    scale = min(1.0, _PROBE_SIDE / max(image.shape[:2]))
    pixels = _resized(np.ascontiguousarray(image[:, :, ::-1]), scale)
    boxes = sorted(_detected(pixels), key=_length, reverse=True)[:_PROBED]
    lines = [_crop(pixels, box)[:, : _PROBE_LENGTH * _thickness(box)] for box in boxes]
    ways = (_read_lines(lines), _read_lines([line[::-1, ::-1] for line in lines]))
    upside_down = _legible(ways[1]) > _SURER * _legible(ways[0])
    read = ways[upside_down]
    if mean_score(read) < _SOUND or _legible(read) < _FEW:
        return 0
    if 2 * sum(map(_is_wide, boxes)) >= len(boxes) or (keep_columns and _is_column_script(read)):
        return 180 if upside_down else 0
    return 90 if upside_down else 270


def line_heights(image: Image) -> list[float]:
    """Pixels that the boxes of the lines seen on an RGB image are thick; they reach past the glyphs."""
    boxes = _detected(np.ascontiguousarray(image[:, :, ::-1]))
    return [min(x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes]


def _read_lines(lines: Sequence[Pixels]) -> list[OcrLine]:
    read = [
        _engine()(np.ascontiguousarray(line), use_det=False, use_cls=False, use_rec=True) for line in lines
    ]
    return [OcrLine(one.txts[0], (0, 0, 0, 0), float(one.scores[0])) for one in read if one.txts]


def _legible(lines: Sequence[OcrLine]) -> float:
    """Confidence over all characters, added up."""
    return sum(line.score * len(line.text) for line in lines)


def _is_column_script(lines: Sequence[OcrLine]) -> bool:
    text = "".join(line.text for line in lines)
    return len(_COLUMNS.findall(text)) > len(text) / 2


def _read_whole(pixels: Pixels) -> list[OcrLine]:
    found = _corners_quickly(pixels)
    crops = _engine().crop_text_regions(_stout(pixels), found)
    return _read_crops(crops, [_upright(corners, pixels) for corners in found])


def _corners_quickly(pixels: Pixels) -> Any:
    """Corners of the lines seen on the image made smaller, or on the whole where their print is small."""
    scale = min(1.0, _DETECTED / max(pixels.shape[:2]))
    found = _corners(_resized(pixels, scale))
    if scale < 1 and not (len(found) and float(np.quantile([_thinner(one) for one in found], 0.1)) >= _SMALL):
        return _corners(pixels)
    return found / np.float32(scale)


def _corners(pixels: Pixels) -> Any:
    """The four corners of each line, clockwise from its upper left, of shape (lines, 4, 2), in pixels."""
    found = _engine()(_stout(pixels), use_det=True, use_cls=False, use_rec=False)
    return np.zeros((0, 4, 2), np.float32) if found.boxes is None else found.boxes.astype(np.float32)


def _thinner(corners: Any) -> float:
    """Pixels of the shorter side."""
    return float(min(np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[3] - corners[0])))


def _read_crops(
    crops: Sequence[Pixels], boxes: Sequence[Box], *, keep_all: bool = False, level: bool = False
) -> list[OcrLine]:
    """The lines that the crops hold, in their order, without those that are not sure; or one a crop.

    `level`: also a crop higher than wide holds a line that runs across.
    """
    if not crops:
        return []
    engine = _engine()
    engine.return_word_box = True
    read = engine.recognize_txt(list(crops))
    engine.return_word_box = False
    lines = zip(read.txts, read.scores, read.word_results, crops, boxes, strict=True)
    return [
        _placed(text, float(score), places, crop, box, level or _is_wide(box))
        for text, score, places, crop, box in lines
        if keep_all or (text.strip() and score >= _MIN_SCORE)
    ]


def _placed(text: str, score: float, places: Any, crop: Pixels, box: Box, wide: bool) -> OcrLine:
    """A line with its characters' places, and with the spaces that are printed and were not said."""
    columns = iter([column for word in places.word_cols for column in word])
    step = crop.shape[1] / max(places.line_txt_len, 1.0)
    seen = [0.0 if one.isspace() else (next(columns, 0) + 0.5) * step for one in text]
    scores = [*map(float, places.confs), *[score] * len(text)][: len(text)]
    spans = glyph_spans(text, seen, gaps_of(ink_columns(crop)), crop.shape[1])
    scale = (box[2] - box[0]) / crop.shape[1]
    across = tuple((box[0] + start * scale, box[0] + end * scale) for start, end in spans)
    line = OcrLine(text, box, score, across if wide else (), tuple(scores))
    for place in reversed(with_spaces(text, line.spans, box[3] - box[1])):
        line = _with_space(line, place)
    return line


def _detected(pixels: Pixels) -> list[Box]:
    return [_upright(corners, pixels) for corners in _corners(pixels)]


def _stout(pixels: Pixels) -> Pixels:
    """The image with paper added to a thin one, which RapidOCR would blow up until it is 736 pixels wide."""
    import cv2

    height, width = pixels.shape[:2]
    right, below = (max(0, side // _THIN - other) for side, other in ((height, width), (width, height)))
    if not right and not below:
        return pixels
    paper = [float(level) for level in np.median(pixels[::7, ::7].reshape(-1, 3), axis=0)]
    stout: Pixels = cv2.copyMakeBorder(pixels, 0, below, 0, right, cv2.BORDER_CONSTANT, value=paper)
    return stout


def _detected_by_tiles(pixels: Pixels) -> list[Box]:
    """Boxes of lines over all tiles, those that go through several put together, from top to bottom."""
    height, width = pixels.shape[:2]
    boxes: list[Box] = []
    for top, bottom in spans(height, TILE, OVERLAP):
        for left, right in spans(width, TILE, OVERLAP):
            tile = pixels[top:bottom, left:right]
            if int(tile.max()) - int(tile.min()) > _PLAIN:
                boxes = joined(boxes, [moved(box, left, top) for box in _detected(tile)])
    return sorted(boxes, key=lambda box: (box[1], box[0]))


def _crop(pixels: Pixels, box: Box) -> Pixels:
    """The line's pixels, laid down where it runs upwards or downwards."""
    line = _level(pixels, box)
    return line if _is_wide(box) else np.ascontiguousarray(np.rot90(line))


def _level(pixels: Pixels, box: Box) -> Pixels:
    x0, y0, x1, y1 = (round(value) for value in box)
    return np.ascontiguousarray(pixels[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)])


def _is_wide(box: Box) -> bool:
    return box[3] - box[1] < 1.5 * (box[2] - box[0])


def _length(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _thickness(box: Box) -> int:
    return max(1, round(min(box[2] - box[0], box[3] - box[1])))


def _resized(pixels: Pixels, scale: float) -> Pixels:
    import cv2

    return (
        pixels
        if scale == 1
        else cv2.resize(
            pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        )
    )


def _upright(corners: Any, pixels: Pixels) -> Box:
    xs = [min(float(x), float(pixels.shape[1])) for x, _ in corners]
    ys = [min(float(y), float(pixels.shape[0])) for _, y in corners]
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
