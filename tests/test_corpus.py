"""What the command line's PATHs become: identity, roots, collections, what is skipped, corpus files."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.corpus import (
    Discovery,
    Root,
    discover,
    doc_id,
    load_corpus,
    load_judgments,
    load_queries,
    original,
    printable,
    read_corpus_file,
    real_path,
)
from drac.errors import NothingUsable, UsageError

SUFFIXES = frozenset({".pdf", ".docx", ".pptx", ".txt"})
RAG = Path(__file__).parent.parent / "corpora" / "rag-multi-corpus" / "corpus.toml"


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8", errors="surrogateescape")


def find(cwd: Path, *paths: str, **options: object) -> Discovery:
    return discover(paths, suffixes=SUFFIXES, cwd=cwd, **options)  # type: ignore[arg-type]


def names(found: Discovery) -> list[str]:
    return [source.path for source in found.sources]


def reasons(found: Discovery, base: Path) -> dict[str, str]:
    return {os.path.relpath(one.path, base): f"{one.kind}: {one.reason}" for one in found.skipped}


# identity


def test_f55_same_stem_is_two_documents(tmp_path: Path) -> None:
    put(tmp_path, "in/a/report.docx", "in/b/report.docx", "in/x.docx", "in/x.pptx")
    found = find(tmp_path, "in")
    assert names(found) == ["a/report.docx", "b/report.docx", "x.docx", "x.pptx"]
    assert len({source.doc_id for source in found.sources}) == 4
    assert [real_path(source).read_text() for source in found.sources] == [f"in/{n}" for n in names(found)]


def test_a_folder_is_its_own_root_and_names_the_collection(tmp_path: Path) -> None:
    put(tmp_path, "Legal & Tax/b/c.pdf", "Legal & Tax/a.pdf")
    found = find(tmp_path / "Legal & Tax" / "b", "..")
    assert names(found) == ["a.pdf", "b/c.pdf"]
    assert {source.collection for source in found.sources} == {"Legal & Tax"}
    assert {source.root for source in found.sources} == {str(tmp_path / "Legal & Tax")}
    assert found.roots == (Root("Legal & Tax", str(tmp_path / "Legal & Tax"), whole=True),)


def test_a_linked_folder_gives_the_name_of_the_real_one(tmp_path: Path) -> None:
    put(tmp_path, "real/a.pdf")
    (tmp_path / "link").symlink_to("real")
    found = find(tmp_path, "link")
    assert [(one.collection, one.path) for one in found.sources] == [("real", "a.pdf")]


def test_a_file_below_the_working_folder_keeps_its_path(tmp_path: Path) -> None:
    put(tmp_path, "in/a/report.docx", "out/x.pdf")
    found = find(tmp_path / "in", "a/report.docx", str(tmp_path / "out" / "x.pdf"))
    assert [(one.collection, one.path) for one in found.sources] == [
        ("default", "a/report.docx"),
        ("default", "x.pdf"),
    ]
    assert {root.folder for root in found.roots} == {str(tmp_path / "in"), str(tmp_path / "out")}
    assert not any(root.whole for root in found.roots)


def test_doc_id_does_not_depend_on_where_the_root_lies(tmp_path: Path) -> None:
    put(tmp_path, "one/docs/a.pdf", "two/docs/a.pdf")
    first, second = find(tmp_path, "one/docs"), find(tmp_path, "two/docs")
    assert first.sources[0].doc_id == second.sources[0].doc_id == doc_id("docs", "a.pdf")
    assert doc_id("docs", "a.pdf") == "350c167a3b2c1441"
    assert doc_id("a", "b/c") != doc_id("a/b", "c")


def test_two_files_of_one_name_in_one_collection_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "one/docs/a.pdf", "two/docs/a.pdf")
    with pytest.raises(UsageError) as caught:
        find(tmp_path, "one/docs", "two/docs")
    assert str(tmp_path / "one/docs/a.pdf") in caught.value.message
    assert str(tmp_path / "two/docs/a.pdf") in caught.value.message
    assert "--collection" in caught.value.remedy
    assert names(find(tmp_path, "one/docs", "two/docs", root=tmp_path)) == [
        "one/docs/a.pdf",
        "two/docs/a.pdf",
    ]


def test_two_files_of_one_name_outside_the_working_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "one/a.pdf", "two/a.pdf", "cwd/b.pdf")
    with pytest.raises(UsageError, match=r"two files are 'a\.pdf'"):
        find(tmp_path / "cwd", "../one/a.pdf", "../two/a.pdf")


def test_a_path_given_twice_is_taken_once(tmp_path: Path) -> None:
    put(tmp_path, "docs/a.pdf")
    assert names(find(tmp_path, "docs", "docs/")) == ["a.pdf"]
    assert names(find(tmp_path, "docs/a.pdf", "docs/../docs/a.pdf")) == ["docs/a.pdf"]


def test_collection_and_root_of_the_command_line_win(tmp_path: Path) -> None:
    put(tmp_path, "docs/a.pdf", "docs/b/c.pdf")
    found = find(tmp_path, "docs/a.pdf", "docs/b", collection="mine", root=tmp_path / "docs")
    assert [(one.collection, one.path) for one in found.sources] == [("mine", "a.pdf"), ("mine", "b/c.pdf")]
    with pytest.raises(UsageError, match="not below --root"):
        find(tmp_path, "docs/a.pdf", root=tmp_path / "docs" / "b")
    with pytest.raises(UsageError, match="cannot name a collection"):
        find(tmp_path, "docs", collection="a\nb")


# walking


def test_order_does_not_depend_on_the_disk(tmp_path: Path) -> None:
    files = [f"in/{folder}/{name}.pdf" for folder in "cab" for name in "zxy"]
    put(tmp_path / "one", *files)
    put(tmp_path / "two", *reversed(files))
    first, second = find(tmp_path / "one", "in"), find(tmp_path / "two", "in")
    assert names(first) == names(second) == sorted(name.removeprefix("in/") for name in files)


def test_junk_and_other_types_are_ignored_with_the_reason(tmp_path: Path) -> None:
    junk = [
        ".DS_Store",
        "Thumbs.db",
        "~$a.docx",
        ".~lock.a.docx#",
        "__MACOSX/a.pdf",
        "desktop.ini",
        "._a.pdf",
    ]
    hidden = [".git/a.pdf", ".hidden.pdf"]
    put(tmp_path, *(f"in/{name}" for name in [*junk, *hidden, "a.docx", "b.xyz", "Makefile", "C.PDF"]))
    found = find(tmp_path, "in")
    assert names(found) == ["C.PDF", "a.docx"]
    why = reasons(found, tmp_path / "in")
    assert len(why) == 11
    assert why["__MACOSX"] == why["~$a.docx"] == "ignored: left by a file manager or an office program"
    assert why[".git"] == "ignored: hidden: its name begins with a dot"
    assert why["b.xyz"] == "ignored: .xyz is not a type of document that is read"
    assert why["Makefile"] == "ignored: its name has no suffix"


def test_a_named_file_is_taken_whatever_its_suffix(tmp_path: Path) -> None:
    put(tmp_path, "b.xyz", "Makefile", ".hidden", "~$a.docx")
    found = find(tmp_path, "b.xyz", "Makefile", ".hidden", "~$a.docx")
    assert names(found) == [".hidden", "Makefile", "b.xyz"]
    assert [one.kind for one in found.skipped] == ["ignored"]


def test_an_empty_file_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "empty.docx").touch()
    assert names(find(tmp_path, "in")) == ["empty.docx"]


@pytest.mark.parametrize("target", ["..", ".", "../../in", "/"])
def test_a_link_to_a_folder_above_ends(tmp_path: Path, target: str) -> None:
    put(tmp_path, "in/sub/a.pdf", "other/b.pdf")
    (tmp_path / "in" / "sub" / "up").symlink_to(target)
    found = find(tmp_path, "in")
    assert names(found) == ["sub/a.pdf"]
    assert reasons(found, tmp_path / "in") == {"sub/up": "ignored: a link to a folder above it"}


def test_linked_folders_are_followed_once_and_own_paths_win(tmp_path: Path) -> None:
    put(tmp_path, "in/z/doc.pdf", "in/z/deep/doc.pdf", "out/c.pdf", "out/inner/d.pdf")
    (tmp_path / "in" / "a").symlink_to("z")
    (tmp_path / "in" / "m").symlink_to("../out")
    (tmp_path / "in" / "n").symlink_to("../out/inner")
    (tmp_path / "out" / "back").symlink_to("../in")
    found = find(tmp_path, "in")
    assert names(found) == ["m/c.pdf", "m/inner/d.pdf", "z/deep/doc.pdf", "z/doc.pdf"]
    why = reasons(found, tmp_path)
    assert set(why) == {"in/a", "in/n", "in/m/back"}
    assert why["in/a"].endswith(f"the same folder as {tmp_path}/in/z")


def test_the_same_real_file_is_taken_once_in_a_root(tmp_path: Path) -> None:
    put(tmp_path, "in/z.pdf")
    (tmp_path / "in" / "a.pdf").symlink_to("z.pdf")
    found = find(tmp_path, "in")
    assert names(found) == ["z.pdf"]
    assert reasons(found, tmp_path)["in/a.pdf"] == f"ignored: the same file as {tmp_path}/in/z.pdf"
    named = find(tmp_path, "in/a.pdf", "in/z.pdf")
    assert names(named) == ["in/a.pdf"]
    assert len(named.skipped) == 1


def test_broken_links_and_what_is_no_file_are_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "in/a.pdf")
    (tmp_path / "in" / "gone.pdf").symlink_to("nowhere.pdf")
    (tmp_path / "in" / "loop.pdf").symlink_to("loop.pdf")
    os.mkfifo(tmp_path / "in" / "pipe.pdf")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path / "in")  # a socket's path has few characters
        server.bind("sock.pdf")
        found = find(tmp_path, "in", "in/pipe.pdf", "in/gone.pdf")
    assert names(found) == ["a.pdf"]
    assert {one.kind for one in found.skipped} == {"unusable"}
    assert Counter(Path(one.path).name for one in found.skipped) == Counter(
        {"pipe.pdf": 2, "gone.pdf": 2, "loop.pdf": 1, "sock.pdf": 1}
    )


def test_what_may_not_be_read_is_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "in/a.pdf", "in/secret.pdf", "in/vault/b.pdf")
    closed = {str(tmp_path / "in" / "secret.pdf"), str(tmp_path / "in" / "vault")}
    for call in ("open", "scandir"):
        monkeypatch.setattr(os, call, _refusing(getattr(os, call), closed))
    found = find(tmp_path, "in")
    assert names(found) == ["a.pdf"]
    assert reasons(found, tmp_path / "in") == {
        "secret.pdf": "unusable: cannot be read: Permission denied",
        "vault": "unusable: cannot be listed: Permission denied",
    }


def _refusing(call, closed):  # type: ignore[no-untyped-def]
    def refuse(path, *rest, **options):  # type: ignore[no-untyped-def]
        if str(path) in closed:
            raise PermissionError(13, "Permission denied", str(path))
        return call(path, *rest, **options)

    return refuse


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permissions_of_the_disk(tmp_path: Path) -> None:
    put(tmp_path, "in/a.pdf", "in/secret.pdf", "in/vault/b.pdf")
    (tmp_path / "in" / "secret.pdf").chmod(0)
    (tmp_path / "in" / "vault").chmod(0)
    found = find(tmp_path, "in")
    (tmp_path / "in" / "vault").chmod(0o700)
    assert names(found) == ["a.pdf"]
    assert [one.kind for one in found.skipped] == ["unusable", "unusable"]


def test_a_workspace_is_never_entered(tmp_path: Path) -> None:
    put(tmp_path, "in/a.pdf", "in/.drac/artifacts/n.pdf", "in/ws/catalog.sqlite3", "in/ws/artifacts/n.pdf")
    found = find(tmp_path, "in")
    assert names(found) == ["a.pdf"]
    assert reasons(found, tmp_path / "in")["ws"] == "ignored: a workspace of drac"
    (tmp_path / "in" / "to").symlink_to("ws")
    assert names(find(tmp_path, "in")) == ["a.pdf"]
    with pytest.raises(UsageError, match="is a workspace"):
        find(tmp_path, "in/ws")


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A document below 1,200 folders; taken away again, for what clears temporary folders recurses."""
    folders = [tmp_path / "in"]
    for _ in range(1200):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    (folders[-1] / "a.pdf").touch()
    yield tmp_path
    (folders[-1] / "a.pdf").unlink()
    for folder in reversed(folders):
        folder.rmdir()


def test_a_very_deep_folder(deep: Path) -> None:
    assert names(find(deep, "in")) == ["d/" * 1200 + "a.pdf"]


def test_nothing_usable_says_what_was_skipped(tmp_path: Path) -> None:
    put(tmp_path, "in/.DS_Store", "in/b.xyz", "in/c.xyz")
    found = find(tmp_path, "in")
    assert found.sources == ()
    with pytest.raises(NothingUsable) as caught:
        found.usable()
    assert caught.value.exit_code == 3
    assert str(tmp_path / "in") in caught.value.message
    assert "2 x .xyz is not" in caught.value.message


# names


@pytest.mark.parametrize(
    "name",
    [
        " Fine-Dining Menus.pdf",
        "A & B – 24:7.pdf",
        "a\nb.pdf",
        "caf\udce9.pdf",
        "back\\slash.pdf",
        "x\\n.pdf",
    ],
)
def test_odd_names(tmp_path: Path, name: str) -> None:
    put(tmp_path, f"in/{name}")
    found = find(tmp_path, "in")
    source = found.sources[0]
    assert real_path(source) == tmp_path / "in" / name
    assert real_path(source).is_file()
    assert source.path.encode().decode() == source.path
    assert "\n" not in source.path
    assert find(tmp_path, f"in/{name}").sources[0].path == f"in/{source.path}"


def test_an_odd_folder_name(tmp_path: Path) -> None:
    put(tmp_path, "o\udcffdd\n/a.pdf")
    source = find(tmp_path, "o\udcffdd\n").sources[0]
    assert source.collection == r"o\xffdd\n"
    assert real_path(source).is_file()
    json.dumps(source.root, ensure_ascii=False).encode()


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
def test_printable_is_reversible(name: bytes) -> None:
    text = os.fsdecode(name)
    shown = printable(text)
    assert original(shown) == text
    assert shown.encode().decode() == shown
    assert not {"\n", "\r", "\t", "\x1b"} & set(shown)


def test_printable_leaves_usual_names() -> None:
    for name in (" A & B – 24:7.pdf", "日本語.pdf", "100% (x) [y]'\".pdf"):
        assert printable(name) == name


# patterns


def test_patterns(tmp_path: Path) -> None:
    put(tmp_path, "in/a.pdf", "in/b.pdf", "in/c.txt", "in/sub/d.pdf")
    assert names(find(tmp_path, "in/*.pdf")) == ["in/a.pdf", "in/b.pdf"]
    assert names(find(tmp_path, str(tmp_path / "in" / "**" / "*.pdf"))) == [
        "in/a.pdf",
        "in/b.pdf",
        "in/sub/d.pdf",
    ]
    assert names(find(tmp_path, "in/**")) == ["in/a.pdf", "in/b.pdf", "in/c.txt", "in/sub/d.pdf"]


def test_a_name_that_looks_like_a_pattern(tmp_path: Path) -> None:
    put(tmp_path, "a[1].pdf", "a1.pdf")
    assert names(find(tmp_path, "a[1].pdf")) == ["a[1].pdf"]


@pytest.mark.parametrize("path", ["nowhere.pdf", "in/*.pdf", "in/nowhere", "a\0b"])
def test_a_path_that_is_not_there(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(tmp_path, path)
    assert printable(path) in caught.value.message


# corpus files

TINY = """
name = "tiny"
licence = "CC0-1.0"
queries = [{ file = "queries.jsonl" }]
judgments = [{ file = "judgments.jsonl" }]
[[collections]]
name = "North"
folder = "docs/north"
exclude = ["old/*"]
[[collections]]
name = "South"
folder = "docs/south"
include = ["*.pdf"]
"""
QUERIES = '{"query_id": "q1", "text": "Who?", "collection": "North"}\n{"query_id": "q2", "text": "All?"}\n'
JUDGMENTS = '{"query_id": "q1", "collection": "North", "source": "a.pdf", "page": 2}\n'


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    put(tmp_path / "tiny", "docs/north/a.pdf", "docs/north/old/b.pdf", "docs/south/c.pdf", "docs/south/d.txt")
    return describe(tmp_path / "tiny")


def describe(folder: Path, toml: str = TINY, queries: str = QUERIES, judgments: str = JUDGMENTS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.toml").write_text(toml)
    (folder / "queries.jsonl").write_text(queries)
    (folder / "judgments.jsonl").write_text(judgments)
    return folder / "corpus.toml"


@pytest.mark.parametrize("path", ["tiny/corpus.toml", "tiny"])
def test_a_corpus_file_names_collections(tiny: Path, path: str) -> None:
    cwd = tiny.parent.parent
    found = find(cwd, path)
    assert [(one.collection, one.path) for one in found.sources] == [("North", "a.pdf"), ("South", "c.pdf")]
    assert found.sources[1].root == str(cwd / "tiny" / "docs" / "south")
    why = reasons(found, tiny.parent)
    assert why == {"docs/north/old/b.pdf": "ignored: left out by corpus.toml"} | {
        "docs/south/d.txt": "ignored: left out by corpus.toml"
    }


def test_collection_picks_one_of_a_corpus(tiny: Path) -> None:
    assert names(find(tiny.parent, "corpus.toml", collection="South")) == ["c.pdf"]
    with pytest.raises(UsageError) as caught:
        find(tiny.parent, "corpus.toml", collection="West")
    assert "North, South" in caught.value.remedy


@pytest.mark.parametrize("where", ["corpora", "corpora root", "root itself", "root above", "fetched", "cwd"])
def test_where_the_documents_of_a_corpus_may_be(tiny: Path, where: str) -> None:
    base = tiny.parent.parent
    places = {"fetched": base / ".corpora/tiny", "cwd": base / "cwd/.corpora/tiny"}
    place = places.get(where, base / "elsewhere" / "tiny")
    toml = describe(base / "corpora" / "tiny")
    place.parent.mkdir(parents=True)
    (base / "cwd").mkdir(exist_ok=True)
    tiny.parent.rename(place)
    options = {
        "corpora": {"corpora": base / "elsewhere"},
        "corpora root": {"corpora": Path("../elsewhere")},
        "root itself": {"root": place, "corpora": base},
        "root above": {"root": base / "elsewhere"},
    }.get(where, {})
    found = find(base / "cwd", str(toml), **options)
    assert [one.root for one in found.sources] == [f"{place}/docs/north", f"{place}/docs/south"]


def test_a_corpus_that_is_not_there(tmp_path: Path) -> None:
    origin = f'[origin]\nurl = "file:///nowhere"\ncommit = "{"0" * 40}"\n'
    toml = describe(tmp_path / "corpora" / "tiny", TINY + origin)
    with pytest.raises(UsageError) as caught:
        find(tmp_path, str(toml))
    assert "scripts/fetch_corpora tiny" in caught.value.remedy
    assert "DRAC_CORPORA" in caught.value.remedy


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('licence = "CC0-1.0"', "", "licence: missing"),
        (
            'folder = "docs/south"',
            'folder = "docs/south"\nfolders = 1',
            r"collections\.#2\.folders: no such key; did you mean `folder`",
        ),
        ('"South"', '"North"', "two collections have the same name"),
        ('name = "tiny"', "name = tiny", "Invalid value"),
        ('name = "tiny"', 'name = "../tiny"', "name: String should match"),
    ],
)
def test_a_corpus_file_that_is_not_well_formed(tmp_path: Path, old: str, new: str, told: str) -> None:
    toml = describe(tmp_path / "tiny", TINY.replace(old, new))
    with pytest.raises(UsageError, match=told) as caught:
        read_corpus_file(toml)
    assert str(toml) in caught.value.message


def test_queries_and_judgments(tiny: Path) -> None:
    corpus = load_corpus(tiny, cwd=tiny.parent)
    assert [(one.query_id, one.text, one.collection) for one in load_queries(corpus)] == [
        ("q1", "Who?", "North"),
        ("q2", "All?", ""),
    ]
    (judgment,) = load_judgments(corpus)
    assert (judgment.query_id, judgment.source, judgment.page, judgment.grade) == ("q1", "a.pdf", 2, 1)


@pytest.mark.parametrize(
    ("queries", "judgments", "told"),
    [
        ("not json\n", JUDGMENTS, r"queries\.jsonl:1: Expecting value"),
        ('{"query_id": "q1"}\n', JUDGMENTS, r"queries\.jsonl:1: text"),
        (QUERIES + QUERIES, JUDGMENTS, "'q1' stands twice"),
        (QUERIES, JUDGMENTS.replace("q1", "q9"), r"judgments\.jsonl:1: the corpus has no query 'q9'"),
        (QUERIES, JUDGMENTS.replace("North", "West"), "no collection 'West'"),
        (QUERIES, JUDGMENTS.replace("2", "0"), "pages count from 1"),
        (
            QUERIES.replace("North", "Nort"),
            JUDGMENTS,
            "'q1': the corpus has no collection 'Nort'; did you mean `North`",
        ),
        (QUERIES, JUDGMENTS.replace('"source"', '"file"'), "source: missing"),
    ],
)
def test_queries_and_judgments_that_are_wrong(tiny: Path, queries: str, judgments: str, told: str) -> None:
    describe(tiny.parent, TINY, queries, judgments)
    with pytest.raises(UsageError, match=told):
        load_judgments(load_corpus(tiny, cwd=tiny.parent))


def test_judgments_without_a_collection_are_of_the_only_one(tiny: Path) -> None:
    alone = TINY.partition('[[collections]]\nname = "South"')[0]
    describe(tiny.parent, alone, QUERIES, JUDGMENTS.replace('"collection": "North", ', ""))
    (judgment,) = load_judgments(load_corpus(tiny, cwd=tiny.parent))
    assert (judgment.collection, judgment.source, judgment.page) == ("North", "a.pdf", 2)


def test_a_query_file_that_is_not_there(tiny: Path) -> None:
    (tiny.parent / "queries.jsonl").unlink()
    with pytest.raises(UsageError, match=r"queries\.jsonl: no such file"):
        load_queries(load_corpus(tiny, cwd=tiny.parent))


CSV = (
    "Who,Kind,Asked\n"
    'A & B,x,"one, two?"\nC,x,out?\nA & B,y,"one, two?"\n\nA & B,x,three?\nA & B,x,four?\nD,x,"one, two?"\n'
)


def test_queries_of_a_table(tmp_path: Path) -> None:
    """Rows are counted in their collection before repeats are dropped; blank lines are no rows."""
    rules = 'format = "csv"\ntext = "Asked"\ncollection = "Who"\ncollections = ["A & B", "D"]\n'
    toml = 'name = "t"\nlicence = "x"\n[[collections]]\nname = "A & B"\nfolder = "."\n'
    toml += '[[collections]]\nname = "D"\nfolder = "."\n'
    toml += f'[[queries]]\nfile = "q.csv"\nfirst = 3\nunique = true\n{rules}'
    describe(tmp_path, toml)
    (tmp_path / "q.csv").write_text(CSV)
    corpus = load_corpus(tmp_path / "corpus.toml", cwd=tmp_path)
    assert [(one.query_id, one.text) for one in load_queries(corpus)] == [
        ("a-b-001", "one, two?"),
        ("a-b-003", "three?"),
        ("d-001", "one, two?"),
    ]
    (tmp_path / "q.csv").write_text(CSV.replace("Asked", "Question"))
    with pytest.raises(UsageError, match="no column 'Asked'"):
        load_queries(corpus)


# the real corpus


def test_rag_multi_corpus_is_described() -> None:
    file = read_corpus_file(RAG)
    assert [one.name for one in file.collections] == [
        "ZX Bank",
        "Aventro Motors",
        "Velvera Technologies",
        "Cendara University",
        "CloudWay-24",
    ]
    lines = (RAG.parent / "sha256.txt").read_text(encoding="utf-8").splitlines()
    suffixes = Counter(Path(line[66:]).suffix for line in lines)
    assert suffixes == {".pdf": 236, ".docx": 236, ".pptx": 236, ".html": 236, ".md": 236, ".csv": 1}
    assert len({line[66:] for line in lines}) == 1181


def test_rag_multi_corpus() -> None:
    corpora = os.environ.get("DRAC_CORPORA")
    if not corpora or not (Path(corpora) / "rag-multi-corpus").is_dir():
        pytest.skip("DRAC_CORPORA does not point at a folder with rag-multi-corpus")
    found = find(RAG.parent, str(RAG), corpora=Path(corpora))
    assert Counter(one.collection for one in found.sources) == {
        "ZX Bank": 71,
        "Aventro Motors": 50,
        "Cendara University": 40,
        "Velvera Technologies": 38,
        "CloudWay-24": 37,
    }
    assert all(real_path(one).is_file() for one in found.sources)
    corpus = load_corpus(RAG, cwd=RAG.parent, corpora=Path(corpora))
    queries = load_queries(corpus)
    assert len(queries) == 762
    assert {one.collection for one in queries} == {one.name for one in corpus.file.collections} - {
        "CloudWay-24"
    }
    assert [len(corpus.chunk_files(one)) for one in corpus.file.chunk_sets] == [5, 5]
