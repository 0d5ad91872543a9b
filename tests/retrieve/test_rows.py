"""Rows of a document's chunks: kept, read, and not made twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fakes_rows import LetterEncoder, letters

from drac.errors import DracError
from drac.retrieve.rows import DocumentRows, Remembering, encode_documents

CHUNKS = [("one", "abc"), ("two", "xyz"), ("three", "")]


def made(*chunks: tuple[str, str]) -> DocumentRows:
    return next(rows for _, rows in encode_documents([("", chunks)], LetterEncoder()))


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    rows = made(*CHUNKS)
    rows.save(tmp_path)
    again = DocumentRows.load(tmp_path)
    assert (again.chunk_ids, again.counts, again.texts) == (("one", "two", "three"), (3, 3, 0), rows.texts)
    assert all(
        np.array_equal(one, letters(text)) for one, (_, text) in zip(again.split(), CHUNKS, strict=True)
    )


def test_a_text_that_has_rows_is_not_encoded_again() -> None:
    encoder = LetterEncoder()
    remembering = Remembering(encoder, [made(*CHUNKS)])
    found = remembering.documents(["new", "xyz", "new", "abc"])
    assert [one.tolist() for one in found] == [letters(one).tolist() for one in ("new", "xyz", "new", "abc")]
    assert (encoder.calls, remembering.encoded) == ([["new"]], 1)


def test_small_documents_are_encoded_together() -> None:
    encoder = LetterEncoder()
    documents = [(str(n), [(f"{n}", "abc"[n % 3])]) for n in range(10)]
    assert [key for key, _ in encode_documents(documents, encoder, at_once=4)] == [
        key for key, _ in documents
    ]
    assert [len(one) for one in encoder.calls] == [4, 4, 2]


def test_damaged_files_are_named(tmp_path: Path) -> None:
    made(*CHUNKS).save(tmp_path)
    (tmp_path / "chunks.json").write_text('{"format": 1, "chunk_ids": ["one"], "counts": [3], "texts": []}')
    with pytest.raises(DracError) as raised:
        DocumentRows.load(tmp_path)
    assert str(tmp_path) in raised.value.message
