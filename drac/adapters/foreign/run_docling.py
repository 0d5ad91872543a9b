"""docling's part of `worker.py`; runs where docling is installed."""

from __future__ import annotations

from typing import Any

from worker import filled

PACKAGES = ("docling", "docling-slim", "docling-core", "docling-parse", "docling-ibm-models", "torch")
"""What reads, and so changes what is read."""


def parse(pdf: str, ranges: list[list[int]], options: dict[str, Any]) -> list[Any]:
    """The DoclingDocument of each range of pages, as JSON values."""
    converter = make_converter(options)
    done = (converter.convert(pdf, page_range=(first, last)) for first, last in ranges)
    return [one.document.export_to_dict() for one in done]


def make_converter(options: dict[str, Any]) -> Any:
    """docling's converter for PDF."""
    from docling.datamodel.base_models import InputFormat
    from docling.document_converter import DocumentConverter, PdfFormatOption

    if options["pipeline"] == "vlm":
        from docling.pipeline.vlm_pipeline import VlmPipeline

        chosen = PdfFormatOption(pipeline_cls=VlmPipeline, pipeline_options=vlm_options(options))
    else:
        chosen = PdfFormatOption(pipeline_options=pdf_options(options))
    return DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: chosen})


def pdf_options(options: dict[str, Any]) -> Any:
    """docling's PdfPipelineOptions; OCR and picture descriptions are of the class that their kind names."""
    from docling.datamodel import pipeline_options as known

    stated = filled(options["settings"])
    if ocr := options["ocr"]:
        stated["ocr_options"] = _of_kind(known.OcrOptions, {"kind": "auto", **ocr})
    if about := filled(options["picture_description"]):
        stated |= {
            "do_picture_description": True,
            **({"enable_remote_services": True} if "url" in about else {}),
        }
        kind = {"kind": "api" if "url" in about else "vlm", **about}
        stated["picture_description_options"] = _of_kind(known.PictureDescriptionBaseOptions, kind)
    return known.PdfPipelineOptions(**stated)


def vlm_options(options: dict[str, Any]) -> Any:
    """docling's VlmPipelineOptions, with a model by its name in docling's own list."""
    from docling.datamodel import pipeline_options, vlm_model_specs

    stated = filled(options["settings"])
    if options["vlm"]:
        stated["vlm_options"] = getattr(vlm_model_specs, options["vlm"])
    return pipeline_options.VlmPipelineOptions(**stated)


def _of_kind(base: Any, stated: dict[str, Any]) -> Any:
    """Options of the class below `base` whose `kind` is the one stated."""
    fields = dict(stated)
    kind = fields.pop("kind")
    waiting = [base]
    while waiting:
        one = waiting.pop()
        if getattr(one, "kind", "") == kind:
            return one(**fields)
        waiting += one.__subclasses__()
    raise ValueError(f"docling has no {base.__name__} of the kind {kind!r}")
