"""Images of scanned pages made level: how far their lines slant, by the sharpness of their profile.

The ink of each row of pixels, added up, changes most sharply from line to line where the lines of print
are level (W. Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR
1986).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""Shape (height, width, 3), RGB."""

_SIDE = 900
"""Pixels of the longer side of the image in which the slant is looked for."""
_MOST = 8.0
"""Degrees looked at to either side; a scanner's feed or a copier's lid gives less."""
_LEAST = 0.3
"""Degrees under which a page is level enough: a line across A4 then climbs by a third of its height."""
_SHARPER = 1.08
"""How much sharper the straightened profile must be than the page's own."""
_INK = 40
"""Grey levels from the paper that make a pixel ink."""
_MARGIN = 0.04
"""Share of each side left out: edges of the sheet and of the scanner's bed."""


@dataclass(frozen=True, slots=True)
class Slant:
    """How the lines of an image lie."""

    sideways: bool
    """Whether they run up or down."""
    skew: float
    """Degrees clockwise, to 0.1, by which they slant, looked at with the lines across; 0 if level."""


def turn(image: Image, degrees: int) -> Image:
    """The image turned clockwise by 0, 90, 180 or 270 degrees."""
    return np.ascontiguousarray(np.rot90(image, -degrees // 90))


def straighten(image: Image, skew: float) -> Image:
    """The image turned against a slant of `skew` degrees clockwise, on a sheet that its corners fit."""
    if not skew:
        return image
    import cv2

    height, width = image.shape[:2]
    cos, sin = abs(math.cos(math.radians(skew))), abs(math.sin(math.radians(skew)))
    size = (round(width * cos + height * sin), round(width * sin + height * cos))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0)
    matrix[:, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    paper = tuple(float(level) for level in np.median(image[::7, ::7].reshape(-1, 3), axis=0))
    level: Image = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=paper)
    return level


def lies_sideways(image: Image) -> bool:
    """Whether the profile of the columns is sharper than that of the rows, as where lines run up or down."""
    return slant_of(image).sideways


def skew_of(image: Image) -> float:
    """Degrees clockwise, to 0.1, by which the lines of an image slant that stands upright; 0 if level."""
    ink = _ink(image)
    return _skew(ink, _sharpest(ink)[0])


def slant_of(image: Image) -> Slant:
    """How the lines of an image lie; quicker than to ask for both."""
    ink = _ink(image)
    along, across = _sharpest(ink), _sharpest(np.ascontiguousarray(ink.T))
    sideways = across[1] > along[1]
    return Slant(sideways, skew_of(turn(image, 90)) if sideways else _skew(ink, along[0]))


def _skew(ink: Image, angle: float) -> float:
    """The angle looked at more closely, near to where the profile is sharpest."""
    fine = [(angle + step / 10, _sharpness(_rotated(ink, angle + step / 10))) for step in range(-4, 5)]
    angle, sharpness = max(fine, key=lambda one: one[1])
    level = _sharpness(_rotated(ink, 0.0))
    if not _LEAST <= abs(angle) < _MOST or sharpness < _SHARPER * level:
        return 0.0
    return round(angle, 1)


def _ink(image: Image) -> Image:
    import cv2

    height, width = image.shape[:2]
    scale = min(1.0, _SIDE / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    gray = cv2.resize(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
    top, left = round(gray.shape[0] * _MARGIN), round(gray.shape[1] * _MARGIN)
    gray = gray[top : gray.shape[0] - top or None, left : gray.shape[1] - left or None]
    levels = np.abs(gray.astype(np.int16) - np.int16(np.median(gray)))
    return np.where(levels >= _INK, 255, 0).astype(np.uint8)


def _sharpest(ink: Image) -> tuple[float, float]:
    """The angle, in half degrees, at which the rows' profile is sharpest, and how sharp it is there."""
    steps = [step / 2 for step in range(round(-2 * _MOST), round(2 * _MOST) + 1)]
    scores = [(angle, _sharpness(_rotated(ink, angle))) for angle in steps]
    return max(scores, key=lambda one: one[1])


def _rotated(ink: Image, angle: float) -> Any:
    import cv2

    height, width = ink.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    return cv2.warpAffine(ink, matrix, (width, height), flags=cv2.INTER_LINEAR)


def _sharpness(ink: Any) -> float:
    profile = ink.sum(axis=1, dtype=np.float64)
    return float(np.square(np.diff(profile)).sum())
