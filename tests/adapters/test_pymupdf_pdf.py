"""PDF as it is: what passes, what is decrypted, and what is no whole document."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from fakes_normalize import encrypted_pdf, page_texts, pdf_of

from drac.adapters.pymupdf_pdf import PdfPassthrough, inspect, runs_over
from drac.errors import CorruptDocument, DocumentError, EmptyDocument, EncryptedDocument
from drac.ports import PdfInfo

_PAGES = [f"page {number}" for number in range(1, 9)]


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "a.pdf"
    path.write_bytes(data)
    return path


def _convert(folder: Path, data: bytes, password: str | None = None) -> Path:
    target = folder / "out.pdf"
    PdfPassthrough().convert(_file(folder, data), target, suffix=".pdf", password=password)
    return target


def _packed(*texts: str) -> bytes:
    """Objects packed into streams, the cross-references too, as most programs write today."""
    with pymupdf.open(stream=pdf_of(*texts), filetype="pdf") as document:
        return bytes(document.tobytes(use_objstms=1, garbage=1, no_new_id=True))


def test_bytes_stay_as_they_are(tmp_path: Path) -> None:
    for data in (pdf_of(*_PAGES), _packed(*_PAGES)):
        assert _convert(tmp_path, data).read_bytes() == data


def test_pages_are_counted(tmp_path: Path) -> None:
    assert inspect(_file(tmp_path, pdf_of(*_PAGES))) == PdfInfo(pages=8, encrypted=False)


def test_user_password(tmp_path: Path) -> None:
    data = encrypted_pdf("secret text", user="open", owner="all")
    for password in (None, "", "wrong"):
        with pytest.raises(EncryptedDocument, match=r"a\.pdf"):
            _convert(tmp_path, data, password)
    assert inspect(_file(tmp_path, data), "open") == PdfInfo(pages=1, encrypted=True)
    for password in ("open", "all"):
        target = _convert(tmp_path, data, password)
        assert page_texts(target) == ["secret text"]
        assert inspect(target) == PdfInfo(pages=1, encrypted=False)


def test_owner_password_only_passes(tmp_path: Path) -> None:
    data = encrypted_pdf("open text", owner="all")
    assert _convert(tmp_path, data).read_bytes() == data
    assert page_texts(tmp_path / "out.pdf") == ["open text"]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_truncated_pdf_never_counts_as_whole(tmp_path: Path, share: float) -> None:
    classic, packed = pdf_of(*_PAGES), _packed(*_PAGES)
    for data, end in ((classic, classic.rfind(b"endobj")), (packed, packed.rfind(b" obj"))):
        with pytest.raises(CorruptDocument, match=r"a\.pdf"):
            _convert(tmp_path, data[: int(end * share)])
        assert not (tmp_path / "out.pdf").exists()


def test_a_page_tree_in_front_hides_no_truncation(tmp_path: Path) -> None:
    """Web-optimised files hold the page tree first: cut, they still count all their pages."""
    whole = pdf_of(*_PAGES)
    assert whole.find(b"/Count 8") < 200
    cut = whole[: whole.find(b"14 0 obj")]
    with pymupdf.open(stream=cut, filetype="pdf") as document:
        assert len(document) == 8
    with pytest.raises(CorruptDocument, match="truncated"):
        _convert(tmp_path, cut)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: data.rfind(b"xref\n0")],
        lambda data: data.replace(b"0000000009", b"0000000001"),
        lambda data: b"garbage before\n" + data,
        lambda data: data + b"\ngarbage behind" * 300,
        lambda data: data[: data.rfind(b"startxref")],
    ],
    ids=["no table", "wrong offset", "leading garbage", "trailing garbage", "no end mark"],
)
def test_damage_that_loses_nothing_passes(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    target = _convert(tmp_path, damage(pdf_of(*_PAGES)))
    assert page_texts(target) == _PAGES


def test_missing_pages_are_named(tmp_path: Path) -> None:
    data = pdf_of(*_PAGES, pages=11).replace(b"startxref\n", b"startxref\n9")
    with pytest.raises(CorruptDocument, match="9, 10, 11"):
        _convert(tmp_path, data)


def test_no_pages(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument, match="without pages"):
        _convert(tmp_path, pdf_of())
    with pytest.raises(EmptyDocument, match="0 bytes"):
        _convert(tmp_path, b"")


def test_no_pdf(tmp_path: Path) -> None:
    for data in (b"Just a text file.", b"%PDF-1.7\nand then nothing"):
        with pytest.raises(CorruptDocument):
            _convert(tmp_path, data)


def test_text_beyond_the_right_edge_is_seen() -> None:
    assert not runs_over(pdf_of("short"))
    assert runs_over(pdf_of("a line that is much longer than the page is wide " * 2))


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CorruptDocument):
        _convert(tmp_path, pdf_of(*_PAGES)[:500])
    assert capfd.readouterr() == ("", "")


def test_real_documents_end_as_they_should(corpora: Path, tmp_path: Path) -> None:
    ends = {}
    for name in ("empty", "invalid", "issue9105_other", "poppler-67295-0", "password", "copy-protected"):
        source = corpora / "documents" / "pdf" / f"{name}.pdf"
        try:
            PdfPassthrough().convert(source, tmp_path / "out.pdf", suffix=".pdf")
            ends[name] = str(inspect(tmp_path / "out.pdf").pages)
        except DocumentError as error:
            ends[name] = type(error).__name__
    assert ends == {
        "empty": "EmptyDocument",
        "invalid": "CorruptDocument",
        "issue9105_other": "CorruptDocument",
        "poppler-67295-0": "CorruptDocument",
        "password": "EncryptedDocument",
        "copy-protected": "2",
    }
