"""Marker's part of `worker.py`; runs where marker-pdf is installed."""

from __future__ import annotations

from typing import Any

from worker import filled

PACKAGES = ("marker-pdf", "surya-ocr", "pdftext", "torch")
"""What reads, and so changes what is read."""


def parse(pdf: str, ranges: list[list[int]], options: dict[str, Any]) -> list[Any]:
    """Marker's JSON output for all the pages together."""
    rendered = make_converter(config(ranges, options))(pdf)
    return [rendered.model_dump(mode="json")]


def config(ranges: list[list[int]], options: dict[str, Any]) -> dict[str, Any]:
    """Marker's configuration; it counts pages from 0. It keeps what is said of pictures, not the pictures."""
    pages = ",".join(f"{first - 1}-{last - 1}" for first, last in ranges)
    fixed = {"output_format": "json", "page_range": pages, "disable_image_extraction": True}
    return {**filled(options["settings"]), **fixed}


def make_converter(stated: dict[str, Any]) -> Any:
    """Marker's converter, as its own command makes it."""
    from marker.config.parser import ConfigParser
    from marker.models import create_model_dict

    parser = ConfigParser(stated)
    return parser.get_converter_cls()(
        config=parser.generate_config_dict(),
        artifact_dict=create_model_dict(),
        processor_list=parser.get_processors(),
        renderer=parser.get_renderer(),
        llm_service=parser.get_llm_service(),
    )
