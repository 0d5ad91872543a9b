"""No document makes a converter use the network, or read a file that is not its own (fault F09)."""

from __future__ import annotations

import io
import re
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from fakes_network import Listener
from PIL import Image

from drac.adapters import sandbox
from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits
from drac.adapters.weasyprint_html import HtmlConverter
from drac.errors import DocumentError
from drac.ports import PdfConverter
from drac.stages.normalize import detect

CANARY = "CANARYTEXT"
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" '
    'xmlns:event="http://www.w3.org/2001/xml-events" office:version="1.3"'
)
WORD = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

walled = pytest.mark.skipif(sandbox.available().program is None, reason="no isolation on this machine")


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


class Trap:
    """A folder with a document in it, and canaries outside of it: text, a red picture, a style sheet."""

    def __init__(self, place: Path, url: str) -> None:
        self.url, self.folder, self.outside = url, place / "folder", place / "outside"
        self.folder.mkdir()
        self.outside.mkdir()
        (self.outside / "canary.txt").write_text(CANARY)
        (self.outside / "canary.html").write_text(f"<p>{CANARY}</p>")
        (self.outside / "canary.csv").write_text(f"{CANARY},{CANARY}\n")
        (self.outside / "canary.css").write_text("p::after { content: '" + CANARY + "' }")
        (self.outside / "canary.fodt").write_text(
            f'<office:document {ODF} office:mimetype="application/vnd.oasis.opendocument.text"><office:body>'
            f"<office:text><text:section text:name='s'><text:p>{CANARY}</text:p></text:section>"
            "</office:text></office:body></office:document>"
        )
        Image.new("RGB", (40, 40), (255, 0, 0)).save(self.outside / "canary.png")

    def references(self, name: str) -> list[str]:
        """Ways to point at a canary."""
        place = self.outside / name
        return [f"{self.url}/{name}", place.as_uri(), str(place), f"../outside/{name}"]

    def keep(self, name: str, data: bytes | str) -> Path:
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path


def web_page(trap: Trap) -> Path:
    pictures = "".join(
        f'<img src="{one}"><object data="{one}"></object>' for one in trap.references("canary.png")
    )
    frames = "".join(f'<iframe src="{one}"></iframe>' for one in trap.references("canary.html"))
    sheets = "".join(f'<link rel="stylesheet" href="{one}">' for one in trap.references("canary.css"))
    imports = "".join(f"@import url('{one}');" for one in trap.references("canary.css"))
    script = f"<script src='{trap.url}/x.js'></script><script>fetch('{trap.url}/fetched')</script>"
    refresh = f'<meta http-equiv="refresh" content="0; url={trap.url}/refresh"><base href="{trap.url}/">'
    fonts = f"@font-face {{ font-family: x; src: url({trap.url}/x.woff) }} p {{ font-family: x }}"
    style = f"<style>{imports}{fonts} body {{ background: url('{trap.url}/back.png') }}</style>"
    return trap.keep(
        "a.html", f"<html><head>{refresh}{sheets}{style}{script}</head><p>words</p>{pictures}{frames}"
    )


def svg(trap: Trap) -> Path:
    pictures = "".join(
        f'<image href="{one}" xlink:href="{one}" width="40" height="40"/><use href="{one}#x"/>'
        for one in trap.references("canary.png")
    )
    sheets = "".join(f'<?xml-stylesheet href="{one}"?>' for one in trap.references("canary.css"))
    entity = f'<!DOCTYPE svg [<!ENTITY c SYSTEM "{(trap.outside / "canary.txt").as_uri()}">]>'
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    head = f'{names} width="200" height="90"'
    style = f"<style>@import url('{trap.url}/s.css');</style>"
    return trap.keep(
        "a.svg",
        f'<?xml version="1.0"?>{sheets}{entity}<svg {head}>{style}'
        f'<text y="20">words &c;</text>{pictures}</svg>',
    )


def svg_without_entity(trap: Trap) -> Path:
    path = svg(trap)
    text = re.sub(r"<!DOCTYPE.*?\]>", "", path.read_text()).replace(" &c;", "")
    return trap.keep("b.svg", text)


def word_document(trap: Trap) -> Path:
    from docx import Document

    out = io.BytesIO()
    document = Document()
    document.add_paragraph("words")
    document.save(out)
    pictures, files = trap.references("canary.png"), trap.references("canary.txt")
    relations = [
        f'<Relationship Id="x{n}" TargetMode="External" Type="{WORD}image" Target="{one}"/>'
        for n, one in enumerate(pictures)
    ]
    others = (("attachedTemplate", f"{trap.url}/t.dotm"), ("subDocument", files[1]), ("oleObject", files[1]))
    relations += [
        f'<Relationship Id="{kind}" TargetMode="External" Type="{WORD}{kind}" Target="{place}"/>'
        for kind, place in others
    ]
    body = "".join(_linked_picture(n) for n in range(len(pictures)))
    body += "".join(_field(f'INCLUDETEXT "{one}"') + _field(f'INCLUDEPICTURE "{one}" \\d') for one in files)
    body += _field(f'LINK Word.Document.8 "{files[1]}" \\a') + _field(f'DDEAUTO cmd "/c {trap.url}"')
    return trap.keep(
        "a.docx", _changed_docx(out.getvalue(), relations, body + '<w:subDoc r:id="subDocument"/>')
    )


def _linked_picture(n: int) -> str:
    return (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        'wordprocessingDrawing"><wp:extent cx="400000" cy="400000"/><wp:docPr id="1" name="p"/><a:graphic '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.'
        'openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/'
        'drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:link="x{n}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr>'
        '<a:xfrm><a:off x="0" y="0"/><a:ext cx="400000" cy="400000"/></a:xfrm><a:prstGeom prst="rect"/>'
        "</pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )


def _field(code: str) -> str:
    code = code.replace("&", "&amp;").replace('"', "&quot;")
    kinds = "".join(
        f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>{text}'
        for kind, text in (
            ("begin", f"<w:r><w:instrText>{code}</w:instrText></w:r>"),
            ("separate", ""),
            ("end", ""),
        )
    )
    return f"<w:p>{kinds}</w:p>"


def _changed_docx(docx: bytes, relations: list[str], body: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            text = old.read(part).decode("utf-8", "surrogateescape")
            if part == "word/_rels/document.xml.rels":
                text = text.replace("</Relationships>", "".join(relations) + "</Relationships>")
            if part == "word/document.xml":
                text = text.replace("<w:sectPr", body + "<w:sectPr", 1)
            new.writestr(part, text.encode("utf-8", "surrogateescape"))
    return out.getvalue()


def flat_text(trap: Trap) -> Path:
    links = 'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"'
    body = "<text:p>words</text:p>" + "".join(
        f'<text:p><draw:frame svg:width="1cm" svg:height="1cm"><draw:image xlink:href="{one}" {links}/>'
        f'</draw:frame><draw:frame svg:width="1cm" svg:height="1cm"><draw:object-ole xlink:href="{one}" '
        f"{links}/></draw:frame></text:p>"
        for one in trap.references("canary.png")
    )
    body += "".join(
        f'<text:section text:name="s{n}"><text:section-source xlink:href="{one}"/><text:p>old</text:p>'
        '</text:section><text:p><draw:frame svg:width="9cm" svg:height="2cm">'
        f'<draw:floating-frame xlink:href="{one}" {links}/></draw:frame></text:p>'
        for n, one in enumerate([*trap.references("canary.fodt"), *trap.references("canary.txt")])
    )
    return trap.keep("a.fodt", _flat("text", body, _script(trap)))


def _script(trap: Trap) -> str:
    macro = f"vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document&amp;x={trap.url}"
    listener = '<script:event-listener script:language="ooo:script" script:event-name="dom:load"'
    listeners = f'<office:event-listeners>{listener} xlink:href="{macro}"/></office:event-listeners>'
    return f"<office:scripts>{listeners}</office:scripts>"


def _flat(kind: str, body: str, before: str = "") -> str:
    mimetype = f'office:mimetype="application/vnd.oasis.opendocument.{kind}"'
    return (
        f'<?xml version="1.0"?><office:document {ODF} {mimetype}>{before}<office:body><office:{kind}>{body}'
        f"</office:{kind}></office:body></office:document>"
    )


def _sheet_body(trap: Trap) -> str:
    place = (trap.outside / "canary.csv").as_uri()
    formulas = [
        f"of:=COM.MICROSOFT.WEBSERVICE(&quot;{trap.url}/w&quot;)",
        f"of:=COM.MICROSOFT.WEBSERVICE(&quot;{place}&quot;)",
        f"of:=[&apos;{place}&apos;#$canary.A1]",
        f"of:=DDE(&quot;soffice&quot;;&quot;{trap.outside / 'canary.csv'}&quot;;&quot;canary.A1&quot;)",
        f"of:=HYPERLINK(&quot;{trap.url}/h&quot;;&quot;words&quot;)",
    ]
    cells = "".join(
        f'<table:table-row><table:table-cell table:formula="{one}" office:value-type="string">'
        f"<text:p>{'words' if 'HYPERLINK' in one else 'stored'}</text:p></table:table-cell></table:table-row>"
        for one in formulas
    )
    linked = "".join(
        f'<table:table table:name="L{n}"><table:table-source xlink:href="{one}" table:filter-name="Text - '
        'txt - csv (StarCalc)" table:filter-options="44,34,76,1" table:mode="copy-results-only"/>'
        "<table:table-row>"
        "<table:table-cell/></table:table-row></table:table>"
        for n, one in enumerate(trap.references("canary.csv"))
    )
    return f'<table:table table:name="S">{cells}</table:table>{linked}'


def flat_sheet(trap: Trap) -> Path:
    return trap.keep("a.fods", _flat("spreadsheet", _sheet_body(trap)))


def ods(trap: Trap) -> Path:
    out = io.BytesIO()
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        f'manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    body = f"<office:body><office:spreadsheet>{_sheet_body(trap)}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", kind)
        package.writestr("META-INF/manifest.xml", manifest)
        package.writestr("content.xml", f"<office:document-content {ODF}>{body}</office:document-content>")
    return trap.keep("a.ods", out.getvalue())


DOCUMENTS = {
    one.__name__: one
    for one in (web_page, svg, svg_without_entity, word_document, flat_text, flat_sheet, ods)
}


@pytest.fixture(scope="module")
def walled_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    with LibreOfficeConverter(tmp_path_factory.mktemp("walled"), OfficeLimits(60.0)) as office:
        yield office


@pytest.fixture(scope="module")
def bare_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibreOfficeConverter]:
    """What LibreOffice's own settings do where it cannot be walled in."""
    bare = sandbox.Sandbox(None, "switched off for a test")
    with LibreOfficeConverter(tmp_path_factory.mktemp("bare"), OfficeLimits(60.0), isolation=bare) as office:
        yield office


def check(converter: PdfConverter, trap: Trap, source: Path, listener: Listener) -> None:
    target = trap.folder / "out.pdf"
    try:
        converter.convert(source, target, suffix=detect(source).suffix)
    except DocumentError:
        assert source.name == "a.svg"  # an external entity may be refused
    time.sleep(0.3)
    assert listener.requests == []
    if target.exists():
        with pymupdf.open(target) as document:
            text = "".join(page.get_text() for page in document)
            assert "words" in text
            assert CANARY not in text
            assert not any(_is_red(page) for page in document)


def _is_red(page: pymupdf.Page) -> bool:
    pixels = page.get_pixmap(dpi=50)
    samples = pixels.samples
    return any(
        samples[at] > 200 and samples[at + 1] < 60 and samples[at + 2] < 60
        for at in range(0, len(samples) - 2, pixels.n)
    )


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("office", [pytest.param("walled_office", marks=walled), "bare_office"])
def test_f09_nothing_is_fetched_and_nothing_outside_is_read(
    name: str, office: str, listener: Listener, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    trap = Trap(tmp_path, listener.url)
    source = DOCUMENTS[name](trap)
    web = detect(source).converter == "html"
    if web and office == "bare_office":
        pytest.skip("web pages do not go through LibreOffice")
    check(HtmlConverter() if web else request.getfixturevalue(office), trap, source, listener)


def test_a_picture_beside_the_page_is_shown(listener: Listener, tmp_path: Path) -> None:
    """The trap would see it: a red picture that may be loaded is red in the PDF."""
    trap = Trap(tmp_path, listener.url)
    (trap.outside / "canary.png").rename(trap.folder / "beside.png")
    target = tmp_path / "out.pdf"
    HtmlConverter().convert(trap.keep("a.html", "<p>words</p><img src='beside.png'>"), target, suffix=".html")
    with pymupdf.open(target) as document:
        assert _is_red(document[0])


def test_a_launch_action_in_a_pdf_does_nothing(listener: Listener, tmp_path: Path) -> None:
    from drac.adapters.pymupdf_pdf import PdfPassthrough
    from drac.adapters.pymupdf_render import PyMuPdfRenderer

    trap = Trap(tmp_path, listener.url)
    source, started = trap.folder / "a.pdf", trap.outside / "started"
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "words")
        action = (
            f"<</S/Launch/F(/usr/bin/touch)/Win<</F(cmd)/P({started})>>/Next<</S/URI/URI({trap.url}/uri)>>>>"
        )
        document.xref_set_key(document.pdf_catalog(), "OpenAction", action)
        script = f"<</S/JavaScript/JS(app.launchURL('{trap.url}/js'))>>"
        document.xref_set_key(document.pdf_catalog(), "AA", f"<</WC {script}>>")
        document.save(source)
    PdfPassthrough().convert(source, trap.folder / "out.pdf", suffix=".pdf")
    PyMuPdfRenderer().render(trap.folder / "out.pdf", 1, dpi=100, max_side=1000)
    time.sleep(0.2)
    assert listener.requests == [] and not started.exists()


@walled
def test_a_walled_in_program_has_no_network_and_sees_no_other_file(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.write_text("x")
    code = (
        "import socket, pathlib, sys\n"
        "try: socket.create_connection(('127.0.0.1', int(sys.argv[2])), 2); print('network')\n"
        "except OSError: print('no network')\n"
        "print(pathlib.Path(sys.argv[1]).exists(), pathlib.Path('/etc/passwd').exists())\n"
        "pathlib.Path('made').write_text('x')\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = ["/usr/bin/python3", "-I", "-c", code, str(outside), str(server.getsockname()[1])]
        words = sandbox.available().wrap(command, writable=inside)
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:2] == ["no network", "False False"]
    assert (inside / "made").read_text() == "x"


def test_doctor_says_whether_it_is_walled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "available", lambda: sandbox.Sandbox(None, "bubblewrap is not installed"))
    told = sandbox.health()
    assert told.state == "warning"
    assert "bubblewrap is not installed" in told.detail and "bubblewrap" in told.remedy
    assert sandbox.Sandbox(None).wrap(["true"], writable=Path()) == ["true"]


def test_other_systems_are_not_walled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert sandbox.available.__wrapped__() == sandbox.Sandbox(None, "it needs Linux")
