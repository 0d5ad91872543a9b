"""Chunk sets of other tools, in the shapes that they write."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from drac.errors import UsageError
from drac.evaluate.chunk_sets import ReadSet, page_shares, read_chunk_set

OURS = {"chunk_id": "c1", "doc_id": "d", "collection": "bank", "source": "a.pdf", "pages": [2, 3],
        "body": "b", "text": "t"}  # fmt: skip
LANGCHAIN = {"page_content": "t", "metadata": {"source": "in/a.pdf", "page": 0, "page_label": "iv"}}
DUMPED = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "document", "Document"],
          "kwargs": {**LANGCHAIN, "id": "x1", "type": "Document"}}  # fmt: skip
NODE = {"id_": "n1", "text": "t", "metadata": {"file_name": "a.pdf", "page_label": "3"},
        "class_name": "TextNode"}  # fmt: skip
DOCUMENT = {"id_": "n2", "text_resource": {"text": "t"}, "metadata": {"file_name": "a.pdf"}}


def read(folder: Path, value: Any, name: str = "set.json") -> ReadSet:
    path = folder / name
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, encoding="utf-8")
    return read_chunk_set([path])


@pytest.mark.parametrize(
    ("record", "format_", "expected"),
    [
        (OURS, "drac", ("c1", "bank", "a.pdf", (2, 3), "t")),
        ({"_id": "7", "title": "T", "text": "t"}, "beir", ("7", "", "T", (), "T\nt")),
        (LANGCHAIN, "langchain", ("", "", "in/a.pdf", (1,), "t")),
        (DUMPED, "langchain", ("x1", "", "in/a.pdf", (1,), "t")),
        (NODE, "llamaindex", ("n1", "", "a.pdf", (3,), "t")),
        (DOCUMENT, "llamaindex", ("n2", "", "a.pdf", (), "t")),
        ({"text": "t"}, "text", ("", "", "", (), "t")),
        ({"id": 5, "content": "t", "source": "a.pdf", "page": 4}, "text", ("5", "", "a.pdf", (4,), "t")),
        ({"text": "t", "page": 0}, "text", ("", "", "", (), "t")),
        ({"text": "t", "page": True}, "text", ("", "", "", (), "t")),
        ({"text": "t", "page": 10**40}, "text", ("", "", "", (), "t")),
        ({"text": "t", "id": None, "source": ["a.pdf"]}, "text", ("", "", "", (), "t")),
        ({**OURS, "chunk_id": None, "source": None}, "drac", ("", "bank", "", (2, 3), "t")),
        ({"_id": None, "text": "t"}, "beir", ("", "", "", (), "t")),
        ({"page_content": "t", "metadata": {"page": True}}, "langchain", ("", "", "", (), "t")),
        (
            {"id_": "n", "text": "t", "metadata": {"page_label": "9" * 5000}},
            "llamaindex",
            ("n", "", "", (), "t"),
        ),
    ],
)
def test_one_record_of_each_tool(
    tmp_path: Path, record: dict[str, Any], format_: str, expected: tuple[object, ...]
) -> None:
    for value in ([record], json.dumps(record) + "\n" + json.dumps(record) + "\n"):
        found = read(tmp_path, value)
        assert found.format == format_
        one = found.chunks[0]
        assert (one.chunk_id, one.collection, one.source, one.pages, one.text) == expected


def test_f54_pages_of_langchain_count_from_zero_and_of_llamaindex_from_one(tmp_path: Path) -> None:
    chain = [{"page_content": "t", "metadata": {"page": n}} for n in range(3)]
    index = [{"id_": str(n), "text": "t", "metadata": {"page_label": str(n)}} for n in (1, 2, 3)]
    for records in (chain, index):
        assert [one.pages for one in read(tmp_path, records).chunks] == [(1,), (2,), (3,)]


def test_pages_of_a_file_that_has_a_page_0_are_not_known(tmp_path: Path) -> None:
    chunks = [{"text": "t", "page": n} for n in (2, 0, 1)]
    assert [one.pages for one in read(tmp_path, chunks).chunks] == [(), (), ()]


def test_a_record_without_the_first_one_s_name_field_has_no_name(tmp_path: Path) -> None:
    found = read(tmp_path, [{"_id": "7", "text": "a"}, {"text": "b"}])
    assert [one.chunk_id for one in found.chunks] == ["7", ""]


def test_halves_of_characters_can_be_written(tmp_path: Path) -> None:
    found = read(
        tmp_path, '{"id": "\\ud800", "source": "\\udfff", "text": "a \\ud83d b \\ud83d\\ude00"}'
    ).chunks[0]
    assert (found.chunk_id, found.source, found.text) == ("\\ud800", "\\udfff", "a \ufffd b \U0001f600")


@pytest.mark.parametrize("data", [gzip.compress(b'{"text": "a"}'), b'{"text": "a"}\n{"text": "\xe9"}\n'])
def test_what_is_not_utf8_is_named_with_its_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "set.jsonl").write_bytes(data)
    with pytest.raises(UsageError, match=r"set\.jsonl:[12]: not UTF-8") as raised:
        read_chunk_set([tmp_path / "set.jsonl"])
    assert "unpack" in str(raised.value.remedy)


def test_documents_with_lists_of_chunks(tmp_path: Path) -> None:
    agentic = {"file_name": "a.md", "title": "A", "chunks": ["one", "two"]}
    planned = {"filename": "a.md", "markdown_content": "…", "chunks": ["one", {"text": "two", "page": 2}]}
    for record in (agentic, planned):
        found = read(tmp_path, [record])
        assert [(one.source, one.text) for one in found.chunks] == [("a.md", "one"), ("a.md", "two")]
    assert found.chunks[1].pages == (2,)


def test_a_docstore_of_llamaindex(tmp_path: Path) -> None:
    store = {"docstore/data": {"n1": {"__data__": NODE, "__type__": "1"}}, "docstore/metadata": {}}
    assert [one.chunk_id for one in read(tmp_path, store).chunks] == ["n1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no record"),
        ('{"text": "a"}\n{"text": 3}\n', ":2: no text"),
        ('{"text": "a"}\n{"text": "b"\n', ":2: no JSON"),
        ('{"text": "a"}\n[1]\n', ":2: no JSON object"),
        ('{"text": "a"}\n' + "[" * 100_000 + "\n", ":2: no JSON"),
        ('{"colour": "red"}', "no format is known with the fields colour"),
        ('[{"file_name": "a", "chunks": ["x", {"no": 1}]}]', "record 1, chunk 2: no text"),
    ],
)
def test_what_is_no_chunk_set_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text)
    assert said in raised.value.message


def test_the_published_sets(rag_multi_corpus: Path) -> None:
    place = rag_multi_corpus / "bechmark/bechmark-agentic-references"
    for folder, count in (("parsed-chunks", 1814), ("parsed-chunks-less-tokens", 2115)):
        found = read_chunk_set(sorted((place / folder).glob("*.json")))
        assert (found.format, len(found.chunks)) == ("documents", count)


def test_shares_of_pages_follow_from_spans() -> None:
    spans = [
        {"page": 1, "start": 0, "end": 30},
        {"page": 2, "start": 5, "end": 15},
        {"page": 9, "start": 0, "end": 5},
    ]
    assert page_shares((1, 2), spans) == (0.75, 0.25)
    for odd in (
        None,
        "",
        [],
        [{"page": 1}],
        [{"page": 1, "start": 9, "end": 2}],
        [{"page": "1", "start": 0, "end": 2}],
    ):
        assert page_shares((1, 2), odd) == ()
