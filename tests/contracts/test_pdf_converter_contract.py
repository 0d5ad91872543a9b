"""What every `ports.PdfConverter` promises, run on each adapter and on the fake."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes_normalize import FakePdfConverter, docx_of, encrypted_docx, encrypted_pdf, page_texts, pdf_of
from PIL import Image

from drac.adapters.images import ImageConverter
from drac.adapters.libreoffice import LibreOfficeConverter
from drac.adapters.pymupdf_pdf import PdfPassthrough
from drac.adapters.weasyprint_html import HtmlConverter
from drac.errors import CorruptDocument, DocumentError, EncryptedDocument
from drac.ports import PdfConverter


@dataclass(frozen=True)
class Case:
    """One converter with documents for it."""

    make: Callable[[Path], PdfConverter]
    suffix: str
    good: bytes
    pages: int
    bad: bytes | None
    locked: bytes | None = None
    password: str = ""


def _tiff(frames: int) -> bytes:
    images = [Image.new("L", (40, 60), 40 * at) for at in range(frames)]
    out = io.BytesIO()
    images[0].save(out, "TIFF", save_all=True, append_images=images[1:])
    return out.getvalue()


_FAKE = Case(lambda _: FakePdfConverter(), ".fake", b"pages\none\ntwo", 2, b"?", b"locked\none", "open")
_PDF = Case(
    lambda _: PdfPassthrough(),
    ".pdf",
    pdf_of("one", "two"),
    2,
    pdf_of("one", "two")[:300],
    encrypted_pdf("one", "two", user="open"),
    "open",
)
_IMAGE = Case(lambda _: ImageConverter(), ".tif", _tiff(3), 3, _tiff(3)[:2500])
_HTML = Case(lambda _: HtmlConverter(), ".html", b"<h1>one</h1>", 1, None)
_OFFICE = Case(
    LibreOfficeConverter,
    ".docx",
    docx_of("one"),
    1,
    docx_of("one")[:4000],
    encrypted_docx("open", "one"),
    "open",
)
_CASES = {"fake": _FAKE, "pdf": _PDF, "image": _IMAGE, "html": _HTML, "office": _OFFICE}


@pytest.fixture(scope="module", params=list(_CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return _CASES[request.param]


@pytest.fixture(scope="module")
def converter(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PdfConverter]:
    made = case.make(tmp_path_factory.mktemp("work"))
    yield made
    if isinstance(made, LibreOfficeConverter):
        made.close()


def test_a_good_document_has_its_pages(case: Case, converter: PdfConverter, tmp_path: Path) -> None:
    source, target = _source(tmp_path, case, case.good)
    converter.convert(source, target, suffix=case.suffix)
    assert len(page_texts(target)) == case.pages
    assert source.read_bytes() == case.good
    assert sorted(tmp_path.iterdir()) == [source, target]


def test_twice_the_same_bytes(case: Case, converter: PdfConverter, tmp_path: Path) -> None:
    source, target = _source(tmp_path, case, case.good)
    converter.convert(source, target, suffix=case.suffix)
    other_source, other_target = tmp_path / "another name", tmp_path / "again.pdf"
    other_source.write_bytes(case.good)
    converter.convert(other_source, other_target, suffix=case.suffix)
    assert target.read_bytes() == other_target.read_bytes()
    assert str(tmp_path).encode() not in target.read_bytes()


def test_a_damaged_document_is_named_and_leaves_nothing(
    case: Case, converter: PdfConverter, tmp_path: Path
) -> None:
    if case.bad is None:
        pytest.skip("every text is a web page")
    source, target = _source(tmp_path, case, case.bad)
    with pytest.raises(CorruptDocument) as raised:
        converter.convert(source, target, suffix=case.suffix)
    assert str(source) in raised.value.message
    assert not target.exists()


def test_an_empty_document_is_named_and_leaves_nothing(
    case: Case, converter: PdfConverter, tmp_path: Path
) -> None:
    source, target = _source(tmp_path, case, b"")
    with pytest.raises(DocumentError) as raised:
        converter.convert(source, target, suffix=case.suffix)
    assert str(source) in raised.value.message
    assert not target.exists()


@pytest.mark.parametrize("password", [None, "hunter2"])
def test_a_locked_document_needs_its_password(
    case: Case, converter: PdfConverter, tmp_path: Path, password: str | None
) -> None:
    if case.locked is None:
        pytest.skip("has no encryption")
    source, target = _source(tmp_path, case, case.locked)
    with pytest.raises(EncryptedDocument) as raised:
        converter.convert(source, target, suffix=case.suffix, password=password)
    assert str(source) in raised.value.message
    assert "hunter2" not in raised.value.message
    assert not target.exists()


def test_a_password_opens_it_to_the_same_bytes(case: Case, converter: PdfConverter, tmp_path: Path) -> None:
    if case.locked is None:
        pytest.skip("has no encryption")
    source, target = _source(tmp_path, case, case.locked)
    converter.convert(source, target, suffix=case.suffix, password=case.password)
    assert page_texts(target)[0] == "one"
    first = target.read_bytes()
    converter.convert(source, target, suffix=case.suffix, password=case.password)
    assert target.read_bytes() == first


def test_a_password_that_is_not_needed_changes_nothing(
    case: Case, converter: PdfConverter, tmp_path: Path
) -> None:
    source, target = _source(tmp_path, case, case.good)
    converter.convert(source, target, suffix=case.suffix)
    first = target.read_bytes()
    converter.convert(source, target, suffix=case.suffix, password="idle")
    assert target.read_bytes() == first


def test_the_fingerprint_is_plain_and_stable(case: Case, converter: PdfConverter) -> None:
    assert json.loads(json.dumps(dict(converter.fingerprint))) == dict(converter.fingerprint)
    assert all(isinstance(value, str) and value for value in converter.fingerprint.values())


def _source(folder: Path, case: Case, data: bytes) -> tuple[Path, Path]:
    source = folder / f"source{case.suffix}"
    source.write_bytes(data)
    return source, folder / "target.pdf"
