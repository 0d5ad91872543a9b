"""Pythons of other environments, in which small packages of the names docling and marker play the parsers.

They answer with the recorded results in tests/adapters/parsed, the pages asked for only, and note in a file
what they were told. Everything between D-RAC and them is the real thing.
"""

from __future__ import annotations

import sys
from pathlib import Path

PARSED = Path(__file__).parent / "adapters" / "parsed"
_PYTHON = """#!{executable}
import runpy, sys
sys.path.insert(0, {packages!r})
assert sys.argv.pop(1) == "-I"
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""
_DOCLING = {
    "docling/__init__.py": "",
    "docling/datamodel/__init__.py": "",
    "docling/datamodel/base_models.py": "class InputFormat:\n    PDF = 'pdf'\n",
    "docling/datamodel/pipeline_options.py": """
class OcrOptions:
    kind = ""
    def __init__(self, **stated): self.stated = stated
class Rapid(OcrOptions):
    kind = "rapidocr"
class PictureDescriptionBaseOptions(OcrOptions): pass
class Api(PictureDescriptionBaseOptions):
    kind = "api"
class PdfPipelineOptions:
    def __init__(self, **stated): self.stated = stated
VlmPipelineOptions = PdfPipelineOptions
""",
    "docling/datamodel/vlm_model_specs.py": "GRANITE = 'granite'\n",
    "docling/pipeline/__init__.py": "",
    "docling/pipeline/vlm_pipeline.py": "class VlmPipeline: pass\n",
    "docling/document_converter.py": """
import json, pathlib
HERE = pathlib.Path(__file__).parents[1]
def shown(one): return {key: getattr(value, "stated", value) for key, value in one.items()}
class PdfFormatOption:
    def __init__(self, pipeline_options, pipeline_cls=None):
        self.options, self.cls = pipeline_options, pipeline_cls
class Document:
    def __init__(self, first, last): self.first, self.last = first, last
    def export_to_dict(self):
        whole = json.loads(pathlib.Path(RECORDED).read_text("utf-8"))
        for kind in ("texts", "tables", "pictures"):
            for item in whole[kind]:
                there = [one for one in item["prov"] if self.first <= one["page_no"] <= self.last]
                if len(there) < len(item["prov"]) and "text" in item:
                    spans = [slice(*one["charspan"]) for one in there]
                    item["text"] = " ".join(item["text"][one] for one in spans)
                item["prov"] = there
                if not item["prov"]: item.update(text="", data={}, annotations=[], captions=[], children=[])
        return whole
class DocumentConverter:
    def __init__(self, allowed_formats, format_options): self.option = format_options["pdf"]
    def convert(self, pdf, page_range):
        if b"broken" in pathlib.Path(pdf).name.encode(): raise ValueError("it cannot be parsed")
        with (HERE / "told.jsonl").open("a") as told:
            cls = self.option.cls.__name__ if self.option.cls else None
            told.write(json.dumps([page_range, cls, shown(self.option.options.stated)]) + "\\n")
        return type("Done", (), {"document": Document(*page_range)})
""",
}
_MARKER = {
    "marker/__init__.py": "",
    "marker/models.py": "def create_model_dict(): return {}\n",
    "marker/config/__init__.py": "",
    "marker/config/parser.py": """
import json, pathlib
HERE = pathlib.Path(__file__).parents[2]
class Rendered:
    def __init__(self, value): self.value = value
    def model_dump(self, mode): return self.value
class Converter:
    def __init__(self, config, artifact_dict, processor_list, renderer, llm_service): self.config = config
    def __call__(self, pdf):
        if b"broken" in pathlib.Path(pdf).name.encode(): raise ValueError("it cannot be parsed")
        with (HERE / "told.jsonl").open("a") as told: told.write(json.dumps(self.config) + "\\n")
        first, last = map(int, self.config["page_range"].split(",")[0].split("-"))
        whole = json.loads(pathlib.Path(RECORDED).read_text("utf-8"))
        whole["children"] = whole["children"][first : last + 1]
        return Rendered(whole)
class ConfigParser:
    def __init__(self, options): self.options = options
    def get_converter_cls(self): return Converter
    def generate_config_dict(self): return self.options
    def get_processors(self): return None
    def get_renderer(self): return "json"
    def get_llm_service(self): return None
""",
}
_PACKAGES = {"docling": (_DOCLING, "docling-core"), "marker": (_MARKER, "marker-pdf")}


def environment(folder: Path, name: str) -> Path:
    """The Python of an environment in `folder` where the parser `name` is installed."""
    packages = folder / "packages"
    files, distribution = _PACKAGES[name]
    for path, text in files.items():
        target = packages / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.replace("RECORDED", repr(str(PARSED / f"{name}.json"))), encoding="utf-8")
    about = packages / f"{distribution.replace('-', '_')}-9.8.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.8\n")
    python = folder / "python"
    python.write_text(_PYTHON.format(executable=sys.executable, packages=str(packages)))
    python.chmod(0o755)
    return python
