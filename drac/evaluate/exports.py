"""Rankings and judgments in the formats of trec_eval and BEIR, so that other tools can check ours.

Names are percent-encoded where TREC's columns could not hold them (spaces, for one). BEIR's qrels name the
same chunks and queries as its corpus.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

import numpy as np

from drac.evaluate.chunk_sets import SetChunk
from drac.evaluate.measures import Grades
from drac.records import Query

Ranking = Sequence[tuple[str, float]]
"""Names and scores, best first."""


def trec_run(rankings: Mapping[str, Ranking], tag: str) -> Iterator[str]:
    """Lines `query Q0 name rank score tag`.

    trec_eval sorts by score in single precision and breaks ties by name, so a score that does not fall there
    is written as the next smaller number: whoever sorts gets our order.
    """
    for query_id, ranking in rankings.items():
        before = np.float32(np.inf)
        for rank, (name, score) in enumerate(ranking, start=1):
            before = min(np.float32(score), np.nextafter(before, np.float32(-np.inf)))
            yield f"{_column(query_id)} Q0 {_column(name)} {rank} {float(before)!r} {_column(tag)}\n"


def trec_qrels(judged: Mapping[str, Grades]) -> Iterator[str]:
    """Lines `query 0 name grade`."""
    for query_id, grades in judged.items():
        yield from (f"{_column(query_id)} 0 {_column(name)} {grade}\n" for name, grade in grades.items())


def beir_corpus(chunks: Sequence[SetChunk]) -> Iterator[str]:
    """Lines of corpus.jsonl; the headings are in the text, so `title` is empty."""
    for one in chunks:
        about = {"collection": one.collection, "source": one.source, "pages": list(one.pages)}
        record = {"_id": one.chunk_id, "title": "", "text": one.text, "metadata": about}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def beir_queries(queries: Sequence[Query]) -> Iterator[str]:
    """Lines of queries.jsonl."""
    for one in queries:
        record = {"_id": one.query_id, "text": one.text, "metadata": {"collection": one.collection}}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def beir_qrels(judged: Mapping[str, Grades]) -> Iterator[str]:
    """Lines of qrels/test.tsv, its header first."""
    yield "query-id\tcorpus-id\tscore\n"
    for query_id, grades in judged.items():
        yield from (f"{query_id}\t{name}\t{grade}\n" for name, grade in grades.items())


def _column(name: str) -> str:
    return quote(name, safe="/#:,;()[]'&+=@!$*")
