"""Parts of mails and archives as files: names, limits, what is skipped and why."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import pyzipper
from fakes_normalize import pdf_of
from hypothesis import given, settings
from hypothesis import strategies as st
from mails import attachment, mail, one_part, text

from drac.adapters import archives, unpacking
from drac.adapters.archives import Limits, TooMuch
from drac.adapters.unpacking import unpack
from drac.errors import CorruptDocument, DocumentError
from drac.records import UnpackedPart
from drac.stages.normalize import detect

LIMITS = Limits(parts=1000, unpacked=100_000_000, ratio=200, depth=10)


class Unpacked:
    """A container, unpacked into `place`."""

    def __init__(
        self, place: Path, name: str, data: bytes, limits: Limits = LIMITS, *, all_: bool = True
    ) -> None:
        source, self.folder = place / name, place / "out"
        source.write_bytes(data)
        self.folder.mkdir(exist_ok=True)
        self.parts = unpack(source, self.folder, detect(source), limits, all_)

    def states(self) -> dict[str, str]:
        return {one.name: one.state for one in self.parts}

    def text(self, name: str) -> str:
        (part,) = [one for one in self.parts if one.name == name]
        return (self.folder / part.file).read_text()

    def reason(self, name: str) -> str:
        (part,) = [one for one in self.parts if one.name == name]
        return part.reason


def zip_of(files: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tar_of(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_attachments_of_mails_within_mails(tmp_path: Path) -> None:
    inner = mail(text("x"), attachment("c.txt", b"deep"), subject="Inner")
    data = mail(text("x"), attachment("a.pdf", pdf_of("a")), b"Content-Type: message/rfc822\r\n\r\n" + inner)
    found = Unpacked(tmp_path, "m.eml", data)
    assert found.states() == {"a.pdf": "document", "Inner.eml": "document", "Inner.eml/c.txt": "document"}
    assert found.text("Inner.eml/c.txt").strip() == "deep"


def test_attachments_are_told_by_name_or_content(tmp_path: Path) -> None:
    parts = [
        *(attachment("report", pdf_of("a")), attachment("", b"text", "text/plain")),
        *(attachment("a.mp4", b"\0\1"), attachment("log.xyz", b"plain")),
        *(attachment("broken.docx", b"PK\3\4broken"), attachment("empty.pdf", b"")),
    ]
    found = Unpacked(tmp_path, "m.eml", mail(text("x"), *parts))
    assert found.states() == {
        "report": "document", "attachment-2.txt": "document", "a.mp4": "skipped", "log.xyz": "skipped",
        "broken.docx": "document", "empty.pdf": "document",
    }  # fmt: skip
    assert found.reason("a.mp4") == ".mp4 is not a type of document that is read"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("../../etc/passwd.txt", ".._.._etc_passwd.txt"), ("C:\\\\win\\\\x.txt", "C:_win_x.txt"),
        ("..", "attachment-1.txt"), ("a\u202etxt.exe.txt", "atxt.exe.txt"), ("a\x07b.txt", "ab.txt"),
        (" a .txt ", "a .txt"), ("e\u0301.txt", "é.txt"),
    ],
)  # fmt: skip
def test_names_of_attachments(given: str, expected: str, tmp_path: Path) -> None:
    found = Unpacked(tmp_path, "m.eml", mail(text("x"), attachment(given, b"hi", "text/plain")))
    assert list(found.states()) == [expected]
    assert found.text(expected).strip() == "hi"


def test_long_names_keep_their_suffix_and_stay_apart(tmp_path: Path) -> None:
    parts = [attachment("ä" * 300 + end, b"hi") for end in ("1.txt", "2.txt")]
    found = Unpacked(tmp_path, "m.eml", mail(text("x"), *parts))
    assert len(found.states()) == 2
    assert all(len(name) <= 150 and name.endswith(".txt") for name in found.states())


def test_names_that_clash_get_a_number(tmp_path: Path) -> None:
    named = ["a.txt", "A.TXT", "a (2).txt", "a.txt"]
    found = Unpacked(tmp_path, "m.eml", mail(text("x"), *(attachment(one, one.encode()) for one in named)))
    assert list(found.states()) == ["a.txt", "A (2).TXT", "a (2) (2).txt", "a (3).txt"]
    assert found.text("a (3).txt").strip() == "a.txt"


@pytest.mark.parametrize(
    ("name", "pack"),
    [("z.zip", zip_of), ("z.tar", tar_of), ("z.tar.gz", lambda files: tar_of(files, "w:gz"))],
)
def test_files_of_archives(name: str, pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path) -> None:
    files = {
        "a.txt": b"A", "web/i.html": b"<link rel=stylesheet href=s.css>", "web/s.css": b"p {}", "x.mp4": b"x",
        "__MACOSX/._a.txt": b"x", "in.zip": zip_of({"a.txt": "B", "web/i.html": "<p>"}),
        "m.eml": mail(text("x"), attachment("a.txt", b"C")),
    }  # fmt: skip
    found = Unpacked(tmp_path, name, pack(files))
    assert found.states() == {
        "a.txt": "document", "web/i.html": "document", "web/s.css": "skipped", "x.mp4": "skipped",
        "__MACOSX/._a.txt": "skipped", "in.zip/a.txt": "document", "in.zip/web/i.html": "document",
        "in.zip": "unpacked", "m.eml": "document", "m.eml/a.txt": "document",
    }  # fmt: skip
    assert [found.text(f"{at}a.txt").strip() for at in ("", "in.zip/", "m.eml/")] == ["A", "B", "C"]
    assert (found.folder / "files/web/s.css").is_file()
    assert (found.folder / "files/in.zip~/web/i.html").is_file()


def test_archives_within_are_opened_on_request_only(tmp_path: Path) -> None:
    data = mail(text("x"), attachment("a.zip", zip_of({"a.txt": "A"})))
    found = Unpacked(tmp_path, "m.eml", data, all_=False)
    assert found.states() == {"a.zip": "skipped"}
    assert "--archives" in found.reason("a.zip")
    assert not [path for path in found.folder.rglob("*") if path.is_file()]


def test_a_packed_file_alone(tmp_path: Path) -> None:
    found = Unpacked(tmp_path, "notes.txt.gz", gzip.compress(b"A"))
    assert (found.states(), found.text("notes.txt")) == ({"notes.txt": "document"}, "A")


def test_names_that_lead_out_and_links_are_not_taken(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("../up.txt", "/etc/abs.txt", "a/../../up.txt", "ok.txt"):
            info = tarfile.TarInfo(name)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    found = Unpacked(tmp_path, "z.tar", out.getvalue())
    assert {one.name for one in found.parts if one.state == "document"} == {"ok.txt"}
    assert [one.unusable for one in found.parts] == [True, True, True, False, False]
    assert not (tmp_path / "up.txt").exists()
    windows = Unpacked(tmp_path, "w.zip", zip_of({"..\\up.txt": "x", "C:\\abs.txt": "x", "a\\b.txt": "x"}))
    assert [one.state for one in windows.parts] == ["skipped", "skipped", "document"]


def test_files_and_folders_of_one_name(tmp_path: Path) -> None:
    found = Unpacked(tmp_path, "z.zip", zip_of({"a.txt": "A", "a.txt/b.txt": "B", "a.txt~/b.txt": "C"}))
    assert [found.text(name) for name in ("a.txt", "a.txt/b.txt", "a.txt~/b.txt")] == ["A", "B", "C"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_in_an_archive(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "A")
        archive.writestr("a.txt", "B")
    found = Unpacked(tmp_path, "z.zip", out.getvalue())
    assert [found.text(name) for name in ("a.txt", "a (2).txt")] == ["A", "B"]


def test_names_in_utf_8_without_the_mark(tmp_path: Path) -> None:
    data = zip_of({"Gr\u00f6\u00dfe.txt": "A"})
    marked = data.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert marked != data
    assert list(Unpacked(tmp_path, "z.zip", marked).states()) == ["Größe.txt"]


def sealed(method: int | None) -> bytes:
    out = io.BytesIO()
    with pyzipper.AESZipFile(out, "w", compression=pyzipper.ZIP_DEFLATED, encryption=method) as archive:
        archive.setpassword(b"open sesame")
        archive.writestr("a.txt", "A" * 100)
    return out.getvalue()


def test_a_password_opens_sealed_files(tmp_path: Path) -> None:
    data = sealed(pyzipper.WZ_AES)
    closed = Unpacked(tmp_path, "z.zip", data)
    assert [(one.state, one.locked, one.remedy) for one in closed.parts] == [
        ("failed", True, "Give the password with --password.")
    ]
    limits = Limits(10, 1000, 200, 10, passwords=("wrong", "open sesame"))
    assert Unpacked(tmp_path, "z.zip", data, limits).text("a.txt") == "A" * 100


def test_a_bomb_is_named_and_its_neighbours_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "JUDGED", 100_000)
    data = zip_of({"a.txt": "A", "bomb.txt": b"0" * 1_000_000, "b.txt": "B"})
    found = Unpacked(tmp_path, "z.zip", data, Limits(10, 500_000, 200, 10))
    assert found.states() == {"a.txt": "document", "bomb.txt": "failed", "b.txt": "document"}
    assert "more than 200 times" in found.reason("bomb.txt")
    packed = Unpacked(tmp_path, "b.txt.gz", gzip.compress(b"0" * 1_000_000), Limits(10, 5_000_000, 200, 10))
    assert packed.states() == {"b.txt": "failed"}


@pytest.mark.parametrize(
    ("limits", "match"),
    [
        (Limits(2, 10**6, 200, 10), "more than 2 files"), (Limits(9, 250, 200, 10), "more than 250 bytes"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["zip", "tar", "eml", "nested"])
def test_limits_of_a_whole_container(kind: str, limits: Limits, match: str, tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{n}.txt": bytes([65 + n]) * 100 for n in range(3)}
    inner = zip_of({"a.txt": "a" * 100, "b.zip": zip_of({"c.txt": "c" * 200})})
    data = {
        "zip": lambda: zip_of(files), "tar": lambda: tar_of(files),  # type: ignore[arg-type]
        "eml": lambda: mail(text("x"), *(attachment(name, one) for name, one in files.items())),  # type: ignore[arg-type]
        "nested": lambda: zip_of({"in.zip": inner}),
    }[kind]()  # fmt: skip
    name = "z.zip" if kind == "nested" else f"z.{kind}"
    with pytest.raises(TooMuch, match=match):
        Unpacked(tmp_path, name, data, limits)


def test_bombs_within_bombs_are_judged_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "JUDGED", 100_000)
    monkeypatch.setattr(unpacking, "_MANY", 500_000)
    data = zip_of({"0.txt": b"0" * 90_000})
    for level in range(3):
        data = zip_of({f"{level}-{n}.zip": data for n in range(8)})
    with pytest.raises(TooMuch, match="times as many"):
        Unpacked(tmp_path, "z.zip", data)


def test_containers_are_opened_to_a_depth(tmp_path: Path) -> None:
    data = zip_of({"deep.txt": "x"})
    for level in range(4):
        data = zip_of({f"{level}.zip": data, f"{level}.txt": "y"})
    found = Unpacked(tmp_path, "z.zip", data, Limits(100, 10**6, 200, 3))
    assert found.states()["3.zip/2.zip/1.zip"] == "failed"
    assert found.states()["3.zip/2.zip/1.txt"] == "document"
    letter = one_part(b"end")
    for level in range(4):
        letter = mail(text("x"), b"Content-Type: message/rfc822\r\n\r\n" + letter, subject=f"L{level}")
    states = Unpacked(tmp_path, "m.eml", letter, Limits(100, 10**6, 200, 3)).states()
    assert states == {"L2.eml": "document", "L2.eml/L1.eml": "document", "L2.eml/L1.eml/L0.eml": "failed"}


def test_a_damaged_archive_within_keeps_what_is_whole(tmp_path: Path) -> None:
    whole = zip_of({"a.txt": "A" * 1000, "b.txt": "B"})
    broken = whole.replace(b"A" * 10, b"X" * 10) if b"A" * 10 in whole else bytearray(whole)
    broken = bytearray(broken)
    broken[40] ^= 0xFF
    found = Unpacked(
        tmp_path, "z.zip", zip_of({"in.zip": bytes(broken), "cut.zip": whole[:50], "ok.txt": "ok"})
    )
    assert found.states()["in.zip/a.txt"] == "failed"
    assert found.states()["in.zip/b.txt"] == found.states()["ok.txt"] == "document"
    assert found.states()["cut.zip"] == "document", "it is named when its type is looked at"


@pytest.mark.parametrize("name", ["z.zip", "z.tar.gz", "z.tar"])
def test_damaged_archives_are_named(name: str, tmp_path: Path) -> None:
    files = {f"{n}.txt": bytes(range(256)) * 20 for n in range(3)}
    data = {
        "z.zip": lambda: zip_of(dict(files)),
        "z.tar": lambda: tar_of(files),
        "z.tar.gz": lambda: tar_of(files, "w:gz"),
    }[name]()
    for size in range(30, len(data), max(1, len(data) // 40)):
        try:
            parts = Unpacked(tmp_path, name, data[:size]).parts
            assert name == "z.tar" or any(one.state == "failed" for one in parts) or size > len(data) - 2000
        except CorruptDocument as error:
            assert name in error.message


@settings(max_examples=100, deadline=None)
@given(names=st.lists(st.text(min_size=1, max_size=20), max_size=6))
def test_any_names_stay_inside_and_apart(names: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("any")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", errors="surrogateescape") as archive:
        for name in names:
            info = tarfile.TarInfo(name.encode("utf-8", "ignore").decode().replace("\0", "") + ".txt")
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
    try:
        found = Unpacked(place, "z.tar", out.getvalue())
    except DocumentError:
        return
    assert len(found.states()) == len(found.parts) == len(names)
    assert {path.name for path in place.iterdir()} == {"z.tar", "out"}
    documents = [one for one in found.parts if one.state == "document"]
    assert len({one.file for one in documents}) == len(documents)


def test_the_same_parts_each_time(tmp_path: Path) -> None:
    data = zip_of({"b.txt": "B", "a.txt": "A", "m.eml": mail(text("x"), attachment("a.txt", b"C"))})
    first: list[UnpackedPart] = Unpacked(tmp_path, "z.zip", data).parts
    (tmp_path / "out").rename(tmp_path / "before")
    assert Unpacked(tmp_path, "z.zip", data).parts == first


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path) -> None:
    data = bytearray(tar_of({"a.txt": b"first", "b.txt": b"second", "c.txt": b"third"}))
    data[2 * tarfile.BLOCKSIZE] ^= 0xFF
    with pytest.raises(
        CorruptDocument, match=r"z\.tar: a damaged or truncated archive \(the header of a file"
    ):
        Unpacked(tmp_path, "z.tar", bytes(data))
