"""LibreOffice: what it makes of documents, and how it is kept in order."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from fakes_network import Listener
from fakes_normalize import docx_of, page_texts, pptx_of, xlsx_of, zip_of

from drac.adapters import libreoffice_pool
from drac.adapters import libreoffice_programs as programs
from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits, health
from drac.adapters.libreoffice_canonical import canonical
from drac.adapters.libreoffice_instance import OfficeDied, OfficeTimeout, OfficeTooLarge
from drac.adapters.libreoffice_processes import kill_group, make_home, record_owner, start_of, sweep
from drac.adapters.libreoffice_text import read_table
from drac.errors import ConverterUnavailable, CorruptDocument, DocumentError, LimitExceeded

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def workdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("office")


@pytest.fixture(scope="module")
def office(workdir: Path) -> Iterator[LibreOfficeConverter]:
    with LibreOfficeConverter(workdir, OfficeLimits(60.0)) as converter:
        yield converter


def _convert(office: LibreOfficeConverter, folder: Path, name: str, data: bytes) -> list[str]:
    source, target = folder / name, folder / "out.pdf"
    source.write_bytes(data)
    office.convert(source, target, suffix=source.suffix)
    return page_texts(target)


def test_office_documents_keep_their_text_and_pages(office: LibreOfficeConverter, tmp_path: Path) -> None:
    assert _convert(office, tmp_path, "a.docx", docx_of("Grüße", "zwei")) == ["Grüße\nzwei"]
    assert _convert(office, tmp_path, "a.pptx", pptx_of("first", "second")) == ["first", "second"]
    (sheet,) = _convert(office, tmp_path, "a.xlsx", xlsx_of(("name", "sum"), ("x", "=1+2")))
    assert sheet.split()[:3] == ["Sheet", "name", "sum"] and sheet.split()[-1] == "3"


def test_plain_text_is_read_in_its_encoding(office: LibreOfficeConverter, tmp_path: Path) -> None:
    text = "Naïve café – 5 €\n\n  indented\nend"
    for encoding in ("utf-8", "utf-16", "cp1252"):
        (page,) = _convert(office, tmp_path, "a.txt", text.encode(encoding))
        assert page.split() == text.split(), encoding


def test_delimited_tables_are_ruled_and_short_words_do_not_wrap(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    rows = _convert(office, tmp_path, "a.csv", b"Item,Price\nGamma,30\nWWWWW\n")
    assert rows[0].split() == ["Item", "Price", "Gamma", "30", "WWWWW"]
    with pymupdf.open(tmp_path / "out.pdf") as document:
        paths = [path["rect"] for path in document[0].get_drawings()]
    assert {round(rect.y0) for rect in paths if rect.height < 2 < rect.width} != set()
    assert len({round(rect.y0) for rect in paths if rect.height < 2}) >= 4
    assert len({round(rect.x0) for rect in paths if rect.width < 2}) >= 3


def test_tables_keep_every_cell_as_it_is(office: LibreOfficeConverter, tmp_path: Path) -> None:
    table = 'Konto;Betrag;Datum\n00123;1.234,50;2024-01-02\n00124;"a;b";3/4\n'
    (page,) = _convert(office, tmp_path, "a.csv", table.encode("cp1252"))
    assert page.split() == [
        "Konto",
        "Betrag",
        "Datum",
        "00123",
        "1.234,50",
        "2024-01-02",
        "00124",
        "a;b",
        "3/4",
    ]


def test_a_wide_table_stays_on_one_sheet_across(office: LibreOfficeConverter, tmp_path: Path) -> None:
    rows = [[f"r{row}c{column}-value" for column in range(14)] for row in range(3)]
    pages = _convert(office, tmp_path, "a.csv", "\n".join(map(",".join, rows)).encode())
    assert len(pages) == 1
    assert pages[0].split() == [cell for row in rows for cell in row]


@pytest.mark.parametrize(
    ("text", "suffix", "rows"),
    [
        ("a,b\n1,2\n", ".csv", [["a", "b"], ["1", "2"]]),
        ("a;b\n1,5;2,5\n3,5;4\n", ".csv", [["a", "b"], ["1,5", "2,5"], ["3,5", "4"]]),
        ("a\tb\nx, y\tz, z\n", ".tsv", [["a", "b"], ["x, y", "z, z"]]),
        ('a,"two\nlines"\n', ".csv", [["a", "two\nlines"]]),
        ("only\none\n", ".csv", [["only"], ["one"]]),
    ],
)
def test_delimiters_are_found(text: str, suffix: str, rows: list[list[str]]) -> None:
    assert read_table(text, suffix) == rows


def test_f03_no_output_is_never_success(office: LibreOfficeConverter, tmp_path: Path) -> None:
    broken = zip_of({"[Content_Types].xml": _CONTENT_TYPES, "word/document.xml": b"<w:document"})
    bad = {
        "cut.docx": docx_of("word " * 5000)[:4000],
        "zero.docx": b"",
        "junk.xlsx": bytes(range(3)) * 2000,
        "broken.docx": broken,
    }
    for name, data in bad.items():
        with pytest.raises(DocumentError) as raised:
            _convert(office, tmp_path, name, data)
        assert name in raised.value.message
        assert "job-" not in raised.value.message
        assert not (tmp_path / "out.pdf").exists()
    assert _convert(office, tmp_path, "good.docx", docx_of("still here")) == ["still here"]


def test_a_renamed_document_is_refused_not_guessed(office: LibreOfficeConverter, tmp_path: Path) -> None:
    with pytest.raises(CorruptDocument, match=r"it is html, not doc"):
        _convert(office, tmp_path, "a.doc", b"<html><body>x</body></html>")


def test_nothing_of_ours_is_in_the_pdf(office: LibreOfficeConverter, workdir: Path, tmp_path: Path) -> None:
    _convert(office, tmp_path, "secret-name.docx", _linking_docx("neighbour.docx#part"))
    pdf = (tmp_path / "out.pdf").read_bytes()
    for trace in (b"secret-name", b"job-", str(workdir).encode(), str(tmp_path).encode()):
        assert trace not in pdf
    assert set(re.findall(rb"D:(\d{4})", pdf)) == {b"1970"}


def test_a_fresh_instance_gives_the_same_bytes(office: LibreOfficeConverter, tmp_path: Path) -> None:
    """Japanese text asks for a Type 1 font, which LibreOffice numbers by what the process did before."""
    documents = {
        "a.docx": docx_of("日本語のテキスト"),
        "a.pptx": pptx_of("Title", "概要"),
        "a.xlsx": xlsx_of(("1", "二")),
    }
    for name, data in documents.items():
        _convert(office, tmp_path, name, data)
        (tmp_path / "out.pdf").rename(tmp_path / f"{name}.pdf")
    with LibreOfficeConverter(tmp_path / "fresh") as fresh:
        for name, data in reversed(documents.items()):
            _convert(fresh, tmp_path, name, data)
            assert (tmp_path / "out.pdf").read_bytes() == (tmp_path / f"{name}.pdf").read_bytes(), name


def test_f05_hidden_sheets_are_not_printed(office: LibreOfficeConverter, tmp_path: Path) -> None:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    book.active.title = "Shown"
    book.active["A1"] = "visible text"
    for name, state, area in (("H", "hidden", None), ("P", "hidden", "A1:B2"), ("V", "veryHidden", None)):
        sheet = book.create_sheet(name)
        sheet["A1"], sheet.sheet_state = f"secret {name}", state
        if area:
            sheet.print_area = area
    book.save(out)
    (page,) = _convert(office, tmp_path, "a.xlsx", out.getvalue())
    assert "visible text" in page and "secret" not in page


def test_f07_deleted_text_is_left_out_and_inserted_text_looks_like_any_other(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    """Nor does it take a colour that depends on whose changes the process has seen before."""
    change = '<w:{0} w:id="{1}" w:author="{2}" w:date="2020-01-01T00:00:00Z"><w:r>{3}</w:r></w:{0}>'
    deleted = change.format("del", 1, "Zoe", "<w:delText>OLDFEE10</w:delText>")
    inserted = change.format("ins", 2, "Adam", "<w:t>NEWFEE12</w:t>")
    docx = _with_body(docx_of("fee "), f"{deleted}{inserted}</w:p>")
    assert _convert(office, tmp_path, "a.docx", docx) == ["fee NEWFEE12"]
    with pymupdf.open(tmp_path / "out.pdf") as document:
        (line,) = document[0].get_text("dict")["blocks"][0]["lines"]
        assert {span["color"] for span in line["spans"]} == {0}
        assert document[0].get_drawings() == []


def test_no_link_is_followed(office: LibreOfficeConverter, tmp_path: Path) -> None:
    listener = Listener()
    _convert(office, tmp_path, "a.docx", _linking_docx(f"{listener.url}/canary.png", image=True))
    time.sleep(0.3)
    listener.close()
    assert listener.requests == []


@on_linux
def test_f11_a_dead_office_is_replaced_and_leaves_no_zombie(
    office: LibreOfficeConverter, tmp_path: Path
) -> None:
    _convert(office, tmp_path, "a.docx", docx_of("one"))
    (group,) = office.pool.groups
    for pid in set(_members(group)) - {group}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert _convert(office, tmp_path, "b.docx", docx_of("two")) == ["two"]
    assert office.pool.groups != [group]
    assert _members(group) == []


@on_linux
def test_f01_a_hanging_office_is_killed_and_the_file_tried_again(tmp_path: Path) -> None:
    with LibreOfficeConverter(tmp_path / "work", OfficeLimits(12.0)) as office:
        _convert(office, tmp_path, "a.docx", docx_of("one"))
        (group,) = office.pool.groups
        os.killpg(group, signal.SIGSTOP)
        assert _convert(office, tmp_path, "b.docx", docx_of("two")) == ["two"]
        assert _members(group) == []
    assert list((tmp_path / "work").iterdir()) == []


class _Stub:
    """An instance that fails every time."""

    group, memory, spent = None, 0, False

    def __init__(self, home: Path, error: OfficeDied) -> None:
        self.home, self.error, self.kills = home, error, 0

    def start(self) -> Path:
        self.home.mkdir(exist_ok=True)
        return self.home

    def convert(self, *arguments: object, **options: object) -> None:
        raise self.error

    def kill(self) -> None:
        self.kills += 1

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (OfficeTimeout("slow"), LimitExceeded),
        (OfficeTooLarge("more than 3.2 GB of memory"), LimitExceeded),
        (OfficeDied("gone"), CorruptDocument),
    ],
)
def test_a_document_that_fails_twice_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: OfficeDied, error: type[DocumentError]
) -> None:
    stub = _Stub(tmp_path / "home", failure)
    monkeypatch.setattr(libreoffice_pool, "OfficeInstance", lambda *_: stub)
    with LibreOfficeConverter(tmp_path) as office:
        with pytest.raises(error, match=r"a\.docx.*twice") as raised:
            _convert(office, tmp_path, "a.docx", docx_of("x"))
        assert stub.kills == 2
        assert raised.value.lasting


_OWNER = """
import os, signal, sys
from pathlib import Path
from drac.adapters.libreoffice import LibreOfficeConverter
office = LibreOfficeConverter(Path(sys.argv[1]))
with office.pool.lent() as instance:
    instance.start()
print(*office.pool.groups, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@on_linux
def test_what_a_killed_run_left_is_cleaned_up(tmp_path: Path, repository: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    command = [sys.executable, "-c", _OWNER, str(tmp_path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, timeout=120, check=False)
    group = int(done.stdout)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    deadline = time.monotonic() + 20
    while any(map(start_of, _members(group))) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(start_of, _members(group)))
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


@on_linux
def test_sweep_kills_orphans_and_spares_the_living(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    mine, orphaned, foreign = (make_home(tmp_path) for _ in range(3))
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeper:
        try:
            record_owner(mine, sleeper.pid)
            _record(orphaned, gone.pid, "1", sleeper.pid, "another start time")
            sweep(tmp_path)
            assert sleeper.poll() is None
            assert mine.exists() and foreign.exists() and not orphaned.exists()
            orphaned.mkdir()
            _record(orphaned, gone.pid, "1", sleeper.pid, start_of(sleeper.pid))
            sweep(tmp_path)
            assert sleeper.wait(5) == -signal.SIGKILL
            assert not orphaned.exists()
        finally:
            kill_group(sleeper.pid)


def test_missing_office_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("find_soffice", "find_python", "find_program", "libreoffice_version"):
        monkeypatch.setattr(programs, name, getattr(programs, name).__wrapped__)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DRAC_UNO_PYTHON", str(tmp_path / "no-python"))
    with pytest.raises(ConverterUnavailable) as raised:
        programs.find_program()
    assert "apt-get install libreoffice python3-uno" in raised.value.remedy
    states = {one.name: (one.state, bool(one.remedy)) for one in programs.health()}
    assert states["LibreOffice"] == states["Bridge to LibreOffice"] == ("missing", True)


def test_doctor_names_what_it_found() -> None:
    found = health()
    assert [one.name for one in found] == [
        "LibreOffice",
        "Bridge to LibreOffice",
        "Isolation of LibreOffice",
        "Fonts",
    ]
    assert all(one.detail and (one.state == "ok") == (not one.remedy) for one in found)


def test_missing_fonts_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drac.adapters.fonts.installed_fonts", lambda: frozenset({"DejaVu Sans:style=Book"}))
    (fonts,) = [one for one in health() if one.name == "Fonts"]
    assert fonts.state == "warning"
    assert "fonts-noto-cjk" in fonts.remedy and "fonts-dejavu" not in fonts.remedy


def test_canonical_leaves_other_pdfs_alone() -> None:
    assert canonical(b"%PDF-1.7 with a cross-reference stream") == b"%PDF-1.7 with a cross-reference stream"


def test_real_documents(office: LibreOfficeConverter, corpora: Path, tmp_path: Path) -> None:
    names = ("docx/page-breaks.docx", "ppt/SampleShow.ppt", "xls/legacy_sample.xls", "doc/simple-table.doc")
    pages = []
    for name in names:
        source = corpora / "documents" / name
        office.convert(source, tmp_path / "out.pdf", suffix=source.suffix)
        texts = page_texts(tmp_path / "out.pdf")
        assert any(texts)
        pages.append(len(texts))
    assert pages == [6, 2, 1, 1]


_CONTENT_TYPES = b"""<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""


def _with_body(docx: bytes, end_of_paragraph: str) -> bytes:
    """The document with something in place of the end of its first paragraph."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            text = old.read(part)
            if part == "word/document.xml":
                text = text.replace(b"</w:p>", end_of_paragraph.encode(), 1)
            new.writestr(part, text)
    return out.getvalue()


def _linking_docx(address: str, image: bool = False) -> bytes:
    """A Word document with a hyperlink to `address`, or with an image that lies there."""
    from docx import Document
    from PIL import Image

    document, picture, out = Document(), io.BytesIO(), io.BytesIO()
    Image.new("RGB", (9, 9), "red").save(picture, "PNG")
    document.add_paragraph("text").add_run().add_picture(picture)
    document.save(out)
    return _with_external_relation(out.getvalue(), address, image)


def _with_external_relation(docx: bytes, address: str, image: bool) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    kind += "image" if image else "hyperlink"
    relation = f'<Relationship Id="rIdX" TargetMode="External" Type="{kind}" Target="{address}"/>'
    link = '<w:p><w:hyperlink r:id="rIdX"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p><w:sectPr'
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            text = old.read(part)
            if part == "word/_rels/document.xml.rels":
                text = text.replace(b"</Relationships>", relation.encode() + b"</Relationships>")
            if part == "word/document.xml" and image:
                text = re.sub(rb'r:embed="[^"]*"', b'r:link="rIdX"', text)
            if part == "word/document.xml" and not image:
                text = text.replace(b"<w:sectPr", link.encode(), 1)
            new.writestr(part, text)
    return out.getvalue()


def _members(group: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            found.append(int(entry.name))
    return found


def _record(home: Path, pid: int, started: str, group: int, group_started: str) -> None:
    (home / "owner.json").write_text(json.dumps([pid, started, group, group_started]), "utf-8")
