"""PyMuPDF's layout model, set up for many worker processes beside each other."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from drac.stages.convert.page import LayoutBox

_TINY = 2.0
"""Points; a layout box that is thinner holds no text."""


def quiet_stdout() -> None:
    """Send what libraries write to file descriptor 1 to stderr, for good.

    PyMuPDF greets on descriptor 1 past any Python redirect. Call it in a worker process before its
    first import of PyMuPDF; a process whose stdout carries data uses `hushed` instead.
    """
    sys.stdout.flush()
    os.dup2(2, 1)


@contextlib.contextmanager
def hushed() -> Iterator[None]:
    """Send file descriptor 1 to stderr while the block runs."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


@cache
def mupdf() -> Any:
    """PyMuPDF, imported on first use, its warnings off and its store small."""
    with hushed():
        pymupdf: Any = importlib.import_module("pymupdf")
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.TOOLS.unset_quad_corrections(True)
    if not callable(pymupdf._get_layout):  # or importing the layout package would load its default model
        pymupdf._get_layout = _not_yet
    return pymupdf


@cache
def _predict() -> Any:
    """The layout model with one thread a session: workers are processes, and threads fight for cores.

    One thread also makes the sums, and so the boxes, the same on every machine size. The two models
    with inputs of a fixed size keep their memory between pages (a third less time, measured on 70
    pages); the graph model does not, since its inputs grow with the page.
    """
    mupdf()
    with hushed():
        from pymupdf.layout.onnx import BoxRFDGNN, TableGridExtractorV2

        BoxRFDGNN.make_session = TableGridExtractorV2.make_session = _session
        model = BoxRFDGNN.BoxRFDGNN(feature_set_name="imf+rf", use_sort=False, table_grid_model_ver="V4")
    return model.predict


def _not_yet(*_: Any, **__: Any) -> None:
    """Stands in for the default model, which its package would otherwise load on import."""


def _session(path: str, providers: Any = None) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = not Path(path).name.startswith("layout_")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])


def layout_boxes(page: Any) -> list[LayoutBox]:
    """The page's layout boxes in no stated order; tables with their inner borders."""
    return [_box(group) for group in _predict()(page, return_raw=True) if not _is_tiny(group["group_bbox"])]


def _is_tiny(box: Any) -> bool:
    return bool(box[2] - box[0] <= _TINY or box[3] - box[1] <= _TINY)


def _box(group: dict[str, Any]) -> LayoutBox:
    x0, y0, x1, y1 = (float(value) for value in group["group_bbox"])
    grid = group.get("table_grid")
    columns = tuple(x0 + float(value) for value in grid.v_lines) if grid else ()
    rows = tuple(y0 + float(value) for value in grid.h_lines) if grid else ()
    return LayoutBox(group["class_name"], (x0, y0, x1, y1), columns, rows)


@cache
def fingerprint() -> dict[str, str]:
    """Versions of PyMuPDF and onnxruntime and the layout models' digest; without loading them."""
    layout = importlib.metadata.distribution("pymupdf-layout")
    names = ("feature_imf1.onnx", "layout_rf2.4.1+imf1.onnx", "table_grid_model_v4_ep.onnx")
    paths = (Path(str(layout.locate_file(f"pymupdf/layout/resources/onnx/{name}"))) for name in names)
    return {
        "pymupdf": importlib.metadata.version("pymupdf"),
        "onnxruntime": importlib.metadata.version("onnxruntime"),
        "layout": f"{layout.version} {digest(paths)}",
    }


def digest(paths: Iterable[Path]) -> str:
    """First 16 hexadecimal digits of the sha256 over the files' bytes."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes() if path.exists() else b"missing")
    return whole.hexdigest()[:16]
