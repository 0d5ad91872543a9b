"""The sample corpus is what its script makes, and its judgments are true of its pages."""

from __future__ import annotations

import io
import json
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from functools import cache, partial
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from drac.corpus import discover, load_corpus, load_judgments, load_queries, real_path

REPOSITORY = Path(__file__).parent.parent
SAMPLE = REPOSITORY / "corpora" / "sample"
DOCUMENTS = SAMPLE / "documents"
SUFFIXES = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".html", ".md", ".txt", ".png", ".tif"})
TEXT_NODE = re.compile(r">([^<>]*[^<>\s][^<>]*)<")
CONTENT = re.compile(
    r"word/document\.xml|ppt/slides/slide\d+\.xml|xl/sharedStrings\.xml|xl/worksheets/.*\.xml"
)

pytest.importorskip("docx", reason="the sample is written with the extra dev")
sys.path.insert(0, str(SAMPLE))
import skerrow  # noqa: E402

MADE = sorted(skerrow.DOCUMENTS)
PAGES = {
    "archive/charter-agreement-1987.pdf": 2,
    "archive/keepers-log-1962.tif": 3,
    "archive/slipway-inspection-2024.png": 1,
    "board/winter-service-review.pptx": 7,
    "crew/handbook.docx": 3,
    "crew/safety-management-manual.pdf": 7,
    "engineering/hybrid-refit-study.pdf": 2,
    "fares/Freight & Livestock Tariff 2026.xlsx": 3,
    "fares/passenger-and-vehicle-fares-2026.pdf": 2,
    "passengers/accessibility.html": 2,
    "passengers/contacts.txt": 1,
    "passengers/handbook.docx": 3,
    "passengers/summer-timetable-2026.md": 1,
}
NAMES = sorted(PAGES)
OFFICE = [name for name in NAMES if Path(name).suffix in {".docx", ".pptx", ".xlsx"}]


@cache
def made(name: str) -> bytes:
    return skerrow.DOCUMENTS[name]()


def answers() -> dict[str, str]:
    lines = (SAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["query_id"]: row["answer"] for row in map(json.loads, lines)}


def texts(pdf: bytes | Path) -> list[str]:
    """What each page of a PDF says, blanks joined."""
    opened = pymupdf.open(stream=pdf, filetype="pdf") if isinstance(pdf, bytes) else pymupdf.open(pdf)
    with opened as document:
        return [" ".join(page.get_text().split()) for page in document]


def check_answers(name: str, pages: list[str]) -> None:
    """Every page judged is there; the words of the answer stand on the pages of the highest grade."""
    assert len(pages) == PAGES[name]
    corpus = load_corpus(SAMPLE / "corpus.toml", cwd=SAMPLE)
    judged = [one for one in load_judgments(corpus) if one.source == name]
    assert len(judged) >= 2
    for one in judged:
        assert one.page <= len(pages), one
        if one.grade == 2:
            assert answers()[one.query_id] in pages[one.page - 1], one


def test_the_corpus_file_gives_every_document() -> None:
    found = discover([str(SAMPLE / "corpus.toml")], suffixes=SUFFIXES, cwd=REPOSITORY)
    assert [one.path for one in found.sources] == NAMES
    assert {one.collection for one in found.sources} == {"skerrow-line"}
    assert found.skipped == ()
    assert all(real_path(one).is_file() for one in found.sources)


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in DOCUMENTS.rglob("*")) < 2_500_000


@pytest.mark.parametrize("name", MADE)
def test_made_twice_gives_the_same_bytes(name: str) -> None:
    assert skerrow.DOCUMENTS[name]() == made(name)


@pytest.mark.parametrize("name", MADE)
def test_what_is_checked_in_is_what_the_script_makes(name: str) -> None:
    """Bytes may differ where a library is of another version; what a reader gets may not."""
    kept = (DOCUMENTS / name).read_bytes()
    if kept == made(name):
        return
    if Path(name).suffix in {".docx", ".pptx", ".xlsx"}:
        assert nodes(kept) == nodes(made(name))
    elif Path(name).suffix == ".pdf":
        assert texts(kept) == texts(made(name))
        assert alike(drawn(kept), drawn(made(name)))
    else:
        assert Path(name).suffix in {".png", ".tif"}
        assert alike(frames(kept), frames(made(name)))


def nodes(package: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(package)) as parts:
        chosen = sorted(name for name in parts.namelist() if CONTENT.fullmatch(name))
        return [text for name in chosen for text in TEXT_NODE.findall(parts.read(name).decode())]


def drawn(pdf: bytes) -> list[Image.Image]:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        pages = [page.get_pixmap(dpi=50, colorspace=pymupdf.csGRAY) for page in document]
    return [Image.frombytes("L", (one.width, one.height), one.samples) for one in pages]


def frames(image: bytes) -> list[Image.Image]:
    with Image.open(io.BytesIO(image)) as opened:
        count = getattr(opened, "n_frames", 1)
        return [_frame(opened, number) for number in range(count)]


def _frame(image: Image.Image, number: int) -> Image.Image:
    image.seek(number)
    return image.convert("L").reduce(4)


def alike(ours: list[Image.Image], theirs: list[Image.Image]) -> bool:
    """Same sizes, and a grey level that differs by less than 4 of 255 on average."""
    if [one.size for one in ours] != [one.size for one in theirs]:
        return False
    pairs = zip(ours, theirs, strict=True)
    return all(np.abs(np.asarray(a, int) - np.asarray(b, int)).mean() < 4 for a, b in pairs)


def test_the_comparison_sees_a_change() -> None:
    tariff = made("fares/Freight & Livestock Tariff 2026.xlsx")
    assert "Pony" in nodes(tariff)
    pages = drawn(made("crew/safety-management-manual.pdf"))
    assert not alike(pages[:1], pages[1:2])
    assert not alike(pages[:1], pages[:2])


def test_the_script_writes_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skerrow, "DOCUMENTS", {name: partial(made, name) for name in MADE})
    script = runpy.run_path(str(REPOSITORY / "scripts" / "make_sample"))
    script["main"](tmp_path)
    written = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    assert sorted(written) == MADE
    assert all(path.read_bytes() == made(name) for name, path in written.items())


# what the documents are there for


@pytest.mark.parametrize("name", sorted(skerrow.SCANNED))
def test_scans_have_no_text(name: str) -> None:
    path = DOCUMENTS / name
    if path.suffix == ".pdf":
        assert texts(path) == ["", ""]
        with pymupdf.open(path) as document:
            assert [len(page.get_images()) for page in document] == [1, 1]
    else:
        with Image.open(path) as image:
            assert getattr(image, "n_frames", 1) == PAGES[name]
            assert [round(dots) for dots in image.info["dpi"]] == [200, 200]


def test_the_manual_goes_over_its_pages() -> None:
    pages = texts(DOCUMENTS / "crew" / "safety-management-manual.pdf")
    header = "Skerrow Line Safety Management Manual MV Kittiwake"
    assert f"If the record shows less rest than this, the person {header}" in pages[0]
    assert pages[1].startswith("does not stand the next watch")
    assert "Fire hoses" in pages[3]
    assert "Bow door seals" in pages[4]
    for number, page in enumerate(pages, start=1):
        assert page.endswith(f"{header} Issue 7, 1 February 2026 Page {number} of 7")


def test_the_study_has_two_columns() -> None:
    with pymupdf.open(DOCUMENTS / "engineering" / "hybrid-refit-study.pdf") as document:
        page = document[0]
        middle = page.rect.width / 2
        lines = [block for block in page.get_text("blocks") if 120 < block[1] < 780]
    sides = Counter(
        "left" if block[2] < middle else "right" if block[0] > middle else "over" for block in lines
    )
    assert sides["left"] > 3
    assert sides["right"] > 3
    assert sides["over"] == 0


def test_one_table_is_ruled_and_one_is_not() -> None:
    with pymupdf.open(DOCUMENTS / "fares" / "passenger-and-vehicle-fares-2026.pdf") as document:
        boxes = [
            sum(item[0] == "re" for one in page.get_drawings() for item in one["items"]) for page in document
        ]
        lines = [
            sum(item[0] == "l" for one in page.get_drawings() for item in one["items"]) for page in document
        ]
    assert boxes == [30, 0]
    assert lines[1] > 5


# queries and judgments


def test_queries_are_many_and_all_judged() -> None:
    corpus = load_corpus(SAMPLE / "corpus.toml", cwd=SAMPLE)
    queries, judgments = load_queries(corpus), load_judgments(corpus)
    assert len(queries) >= 30
    assert {one.query_id for one in queries} == {one.query_id for one in judgments if one.grade == 2}
    assert {one.source for one in judgments} == set(NAMES)
    assert sum(one.page > 1 for one in judgments) >= 20
    assert len({one.text for one in queries}) == len(queries)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".pdf")])
def test_answers_stand_on_the_pages_of_pdfs(name: str) -> None:
    scanned = skerrow.SCANNED.get(name)
    check_answers(name, texts(scanned() if scanned else DOCUMENTS / name))


@pytest.mark.parametrize("name", [name for name in sorted(skerrow.SCANNED) if not name.endswith(".pdf")])
def test_answers_stand_on_the_pages_of_scans(name: str) -> None:
    check_answers(name, texts(skerrow.SCANNED[name]()))


@pytest.mark.parametrize("name", [name for name in NAMES if Path(name).suffix in {".md", ".txt"}])
def test_answers_stand_in_text_files(name: str) -> None:
    check_answers(name, [" ".join((DOCUMENTS / name).read_text(encoding="utf-8").split())])


def test_answers_stand_on_the_pages_of_the_web_page() -> None:
    weasyprint = pytest.importorskip("weasyprint")
    name = "passengers/accessibility.html"
    check_answers(name, texts(weasyprint.HTML(DOCUMENTS / name).write_pdf()))


@pytest.fixture(scope="module")
def office_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Each office file's pages as LibreOffice prints them; all in one start."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    work = tmp_path_factory.mktemp("office")
    copies = {name: work / f"{number}{Path(name).suffix}" for number, name in enumerate(OFFICE)}
    for name, copy in copies.items():
        shutil.copy(DOCUMENTS / name, copy)
    profile = f"-env:UserInstallation={(work / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "pdf", "--outdir", str(work)]
    subprocess.run(
        [*command, *map(str, copies.values())], check=True, capture_output=True, timeout=120, cwd=work
    )
    return {name: texts(copy.with_suffix(".pdf")) for name, copy in copies.items()}


@pytest.mark.parametrize("name", OFFICE)
def test_answers_stand_on_the_pages_of_office_files(name: str, office_pages: dict[str, list[str]]) -> None:
    check_answers(name, office_pages[name])
