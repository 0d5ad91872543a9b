"""What a file is, by its content."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from fakes_normalize import docx_of, encrypted_docx, pdf_of, pptx_of, xlsx_of, zip_of
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from drac.config import NormalizeSettings
from drac.errors import (
    CorruptDocument,
    DocumentError,
    EmptyDocument,
    EncryptedDocument,
    LimitExceeded,
    UnsupportedType,
)
from drac.stages.normalize import ARCHIVE_SUFFIXES, SUFFIXES, detect, run
from drac.stages.normalize.kinds import named


def _image(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8)).save(out, kind)
    return out.getvalue()


def _open_document(kind: str, manifest: bytes = b"<manifest/>") -> bytes:
    mimetype = f"application/vnd.oasis.opendocument.{kind}".encode()
    return zip_of({"mimetype": mimetype, "META-INF/manifest.xml": manifest, "content.xml": b"<x/>"})


def _brands(major: bytes, *compatible: bytes) -> bytes:
    """The first box of an ISO base media file, then others."""
    box = b"ftyp" + major + bytes(4) + b"".join(compatible)
    return (len(box) + 4).to_bytes(4, "big") + box + b"\x00\x00\x00\x08mdat"


@pytest.mark.parametrize(
    ("name", "data", "expected", "converter"),
    [
        ("a.pdf", pdf_of("x"), "pdf", "pdf"),
        ("a.docx", docx_of("x"), "docx", "office"),
        ("a.pptx", pptx_of("x"), "pptx", "office"),
        ("a.xlsx", xlsx_of(("x",)), "xlsx", "office"),
        ("a.odt", _open_document("text"), "odt", "office"),
        ("a.ods", _open_document("spreadsheet"), "ods", "office"),
        ("a.odp", _open_document("presentation"), "odp", "office"),
        ("a.rtf", b"{\\rtf1 x}", "rtf", "office"),
        ("a.png", _image("PNG"), "png", "image"),
        ("a.jpeg", _image("JPEG"), "jpg", "image"),
        ("a.tif", _image("TIFF"), "tif", "image"),
        ("a.webp", _image("WEBP"), "webp", "image"),
        ("a.bmp", _image("BMP"), "bmp", "image"),
        ("a.gif", _image("GIF"), "gif", "image"),
        ("a.jp2", _image("JPEG2000"), "jp2", "image"),
        ("a.avif", _image("AVIF"), "avif", "image"),
        ("a.heif", _brands(b"mif1", b"mif1", b"heic"), "heic", "image"),
        ("a.heic", _brands(b"heix"), "heic", "image"),
        ("a.avif", _brands(b"mif1", b"avif", b"miaf"), "avif", "image"),
        ("a.htm", b"<p>x", "html", "html"),
        ("a.md", b"# x", "md", "html"),
        ("a.txt", b"x", "txt", "office"),
        ("a.csv", b"x,y", "csv", "office"),
        ("a.tsv", "x\ty\n".encode("utf-16"), "tsv", "office"),
    ],
)
def test_types_by_content(tmp_path: Path, name: str, data: bytes, expected: str, converter: str) -> None:
    kind = detect(_file(tmp_path, name, data))
    assert (kind.name, kind.converter) == (expected, converter)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("report.docx", pdf_of("x"), "pdf"),
        ("report.pdf", docx_of("x"), "docx"),
        ("table.docx", xlsx_of(("x",)), "xlsx"),
        ("photo.jpg", _image("PNG"), "png"),
        ("old.doc", b"{\\rtf1 x}", "rtf"),
        ("export.xls", b"<html><table><tr><td>1</td></tr></table></html>", "html"),
        ("late.pdf", b"junk before\n" + pdf_of("x"), "pdf"),
        ("about-pdf.txt", b"The signature of a file is %PDF-1.7", "txt"),
    ],
)
def test_content_wins_over_the_name(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    assert detect(_file(tmp_path, name, data)).name == expected


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.docx", b"", EmptyDocument),
        ("a.pdf", b"Just a text file.", CorruptDocument),
        ("film.mp4", _brands(b"isom", b"mp42"), UnsupportedType),
        ("a.xlsx", bytes(range(3)) * 2000, CorruptDocument),
        ("a.txt", bytes(range(3)) * 2000, CorruptDocument),
        ("a.docx", docx_of("x")[:4000], CorruptDocument),
        ("a.doc", bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, CorruptDocument),
        ("a.docx", encrypted_docx("secret", "x"), EncryptedDocument),
        ("a.odt", _open_document("text", b"<m:encryption-data/>"), EncryptedDocument),
        ("a.docx", zip_of({"readme.txt": b"x"}), UnsupportedType),
        ("a.epub", zip_of({"mimetype": b"application/vnd.other+zip"}), UnsupportedType),
        ("a.py", b"print()", UnsupportedType),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, data: bytes, error: type[DocumentError]) -> None:
    path = _file(tmp_path, name, data)
    with pytest.raises(error) as raised:
        detect(path)
    assert type(raised.value) is error
    assert str(path) in raised.value.message
    assert raised.value.remedy


def test_f03_what_the_office_would_take_for_text_is_refused(tmp_path: Path) -> None:
    cut = _file(tmp_path, "cut.docx", docx_of("word " * 5000)[:4000])
    junk = _file(tmp_path, "junk.xlsx", bytes(range(3)) * 2000)
    for path in (cut, junk):
        with pytest.raises(CorruptDocument):
            detect(path)
    with pytest.raises(EmptyDocument):
        detect(_file(tmp_path, "zero.docx", b""))


def test_a_password_lets_an_encrypted_type_through(tmp_path: Path) -> None:
    kind = detect(_file(tmp_path, "a.pptx", encrypted_docx("secret", "x")), password="secret")
    assert (kind.name, kind.encrypted) == ("pptx", True)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read"):
        detect(tmp_path / "gone.pdf")


def test_a_bomb_is_refused_unopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drac.stages.normalize.packages.MAX_UNPACKED", 1000)
    with pytest.raises(LimitExceeded, match="unpacks to"):
        detect(_file(tmp_path, "a.docx", docx_of("x")))


def test_every_suffix_names_a_type() -> None:
    assert all(named(suffix) for suffix in SUFFIXES)
    assert named(".JPEG") == named(".jpg")
    assert named(".exe") is None


@given(data=st.binary(max_size=300), suffix=st.sampled_from(sorted(SUFFIXES)))
def test_any_bytes_have_a_type_or_a_document_error(
    data: bytes, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / f"a{suffix}"
    path.write_bytes(data)
    try:
        assert f".{detect(path).name}" in SUFFIXES | ARCHIVE_SUFFIXES
    except DocumentError as error:
        assert str(path) in error.message


class _Recorder:
    def __init__(self) -> None:
        self.fingerprint = {"converter": "recorder"}
        self.calls: list[tuple[str, str | None]] = []

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        self.calls.append((suffix, password))


def test_run_chooses_the_converter_by_content(tmp_path: Path) -> None:
    image, office = _Recorder(), _Recorder()
    source = _file(tmp_path, "scan.docx", _image("PNG"))
    converters = {"image": image, "office": office}
    kind = run(source, tmp_path / "o.pdf", NormalizeSettings(), converters, password="p")
    assert (kind.name, image.calls, office.calls) == ("png", [(".png", "p")], [])


def test_run_names_a_source_beyond_the_limit(tmp_path: Path) -> None:
    source = _file(tmp_path, "a.txt", b"x" * 11)
    with pytest.raises(LimitExceeded, match="11 bytes; the limit is 10"):
        run(source, tmp_path / "o.pdf", NormalizeSettings(max_bytes=10), {})


_OTHER = {"eml", "msg"}


def test_the_real_documents_are_what_their_folder_says(corpora: Path) -> None:
    folder = corpora / "documents"
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    wrong = []
    for entry in files:
        declared = entry["file"].split("/")[0]
        if declared in _OTHER or entry["expect"].startswith("error"):
            continue
        expected = {"jpeg": "jpg", "tiff": "tif"}.get(declared, declared)
        found = detect(folder / entry["file"]).name
        if found != expected:
            wrong.append((entry["file"], found))
    assert not wrong


def _file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_damaged_compound_file_is_named_briefly(tmp_path: Path) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"\xff" * 3000)
    with pytest.raises(CorruptDocument, match=r"sectors of 2\^65535 bytes"):
        detect(path)


def test_a_drawing_in_utf_16_is_a_drawing(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text('<?xml version="1.0" encoding="UTF-16"?>\n<svg xmlns="x"/>', encoding="utf-16")
    assert detect(path).name == "svg"
