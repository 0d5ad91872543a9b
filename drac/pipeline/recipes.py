"""The recipe of each stage: what names its artifacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drac.config import NormalizeSettings, PlanSettings, Settings, StructureSettings
from drac.stages import chunk, convert, normalize, structure
from drac.stages.convert import audit
from drac.stages.normalize import DocumentType
from drac.store.keys import recipe


def normalize_recipe(
    kind: DocumentType, settings: NormalizeSettings, tools: Mapping[str, str]
) -> dict[str, Any]:
    """One document to a PDF; limits of whole documents stay out, because what passes them is the same."""
    how = {"hidden", "notes", "max_cells"} if kind.converter == "office" else set()
    shown = settings.model_dump(include=how)
    return recipe(normalize.NAME, normalize.VERSION, {"type": kind.name, **shown}, tools)


def unpack_recipe(type_name: str, settings: NormalizeSettings, tools: Mapping[str, str]) -> dict[str, Any]:
    """One mail or archive to its parts. Which types are read decides which parts are kept."""
    limits = settings.model_dump(include={"archives", "max_parts", "max_unpacked", "max_ratio", "max_depth"})
    how = {"type": type_name, "read": sorted(normalize.SUFFIXES), **limits}
    return recipe("unpack", "1", how, tools)


def convert_recipe(settings: Settings, tools: Mapping[str, str]) -> dict[str, Any]:
    """One page to Markdown; what only a model needs stays out where none is asked."""
    how = settings.convert.model_dump(exclude={"native"})
    if settings.convert.engine != "local":
        how |= {"render": settings.render.model_dump(), "read": settings.model_read.model_dump()}
    return recipe(convert.NAME, convert.VERSION, how, tools)


def native_recipe(type_name: str, tools: Mapping[str, str]) -> dict[str, Any]:
    """One page of a document that is read as it stands; what is said of PDFs stays out."""
    return recipe(convert.NAME, convert.VERSION, {"engine": "native", "type": type_name}, tools)


def audit_recipe(readers: Sequence[Mapping[str, Any]], thresholds: Sequence[Mapping[str, Any]],
                 tools: Mapping[str, str]) -> dict[str, Any]:  # fmt: skip
    """One page and what second readers, by their recipes, may see on it, to an audit."""
    how = {"readers": list(readers), "thresholds": list(thresholds)}
    return recipe("audit", audit.VERSION, how, tools)


def structure_recipe(settings: StructureSettings) -> dict[str, Any]:
    """A document's pages to elements and sections."""
    return recipe(structure.NAME, structure.VERSION, settings.model_dump(), {})


def plan_recipe(settings: PlanSettings, tools: Mapping[str, str]) -> dict[str, Any]:
    """A document's sections to chunk plans; what only a model needs stays out where none is asked."""
    only_models = {"max_output_tokens", "temperature"} if settings.planner == "local" else None
    return recipe(chunk.NAME, chunk.VERSION, settings.model_dump(exclude=only_models), tools)


def embed_recipe(tools: Mapping[str, str], passages: int) -> dict[str, Any]:
    """A document's chunk texts to vectors."""
    return recipe("embed", 1, {"passages": passages} if passages else {}, tools)


def index_recipe(tools: Mapping[str, str]) -> dict[str, Any]:
    """A set's vectors to a searchable index."""
    return recipe("index", 2, {}, tools)


def rows_recipe(tools: Mapping[str, str]) -> dict[str, Any]:
    """A document's chunk texts to rows: token vectors, or weights of terms."""
    return recipe("rows", 2, {}, tools)


def rows_index_recipe(tools: Mapping[str, str]) -> dict[str, Any]:
    """A set's rows to a searchable index."""
    return recipe("rows-index", 2, {}, tools)
