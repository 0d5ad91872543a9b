"""One query's measures: facts held by ranked chunks, words spent on them, and pages found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from drac.evaluate import benchmark, facts, measures
from drac.evaluate.facts import SHARE, Held

K = 6
"""Chunks judged (paper: 6, and half of it)."""
HALF = 3
BUDGETS = (300, 600, 1200)
"""Words that a reader may be handed."""
CURVE = (100, 200, 300, 450, 600, 900, 1200, 1800)
"""Words of the budget curve."""
Row = dict[str, float | None]
"""Measures by name; None where there is nothing to judge by."""


class ChunkWords:
    """The words of one collection's chunks, ready to be asked which facts they hold."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths = np.asarray([facts.count_words(text) for text in texts], dtype=np.int64)
        """Words of each chunk, stop words included, shape (chunks,)."""
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            for word in facts.content_words(text):
                rows.setdefault(word, []).append(row)
        self._rows = {word: np.asarray(some, dtype=np.int64) for word, some in rows.items()}

    def held(self, wanted: Sequence[str]) -> Held:
        """Shape (chunks, facts), the same as `facts.held`."""
        found = np.zeros((len(self.lengths), len(wanted)), dtype=np.bool_)
        for column, fact in enumerate(wanted):
            words = facts.content_words(fact)
            counts = np.zeros(len(self.lengths), dtype=np.int64)
            for word in words:
                counts[self._rows.get(word, [])] += 1
            found[:, column] = counts >= SHARE * len(words) if words else False
        return found


def fact_row(ranked: Sequence[int], held: Held, words: npt.NDArray[np.int64]) -> Row:
    """The paper's measures at 6 and 3, and those that it lacks, for chunks in rank order.

    `held` says which chunk of the collection holds which fact, `words` how many words it has. `ndcg` has the
    standard ideal (every chunk of the collection that holds a fact), `ndcg_paper` the published rule's (see
    `benchmark`). A chunk is relevant where it holds any fact.
    """
    order = np.asarray(ranked, dtype=np.int64)
    top, lengths = held[order], words[order]
    row: Row = {"ceiling": facts.recall(held, len(held))}
    relevant: list[bool] = np.any(top, axis=1).tolist()
    names = [str(one) for one in ranked]
    grades = {str(one): 1 for one in np.flatnonzero(held.any(axis=1))}
    for k in (K, HALF):
        row[f"recall@{k}"] = facts.recall(top, k)
        row[f"precision@{k}"] = sum(relevant[:k]) / k
        row[f"mrr@{k}"] = facts.reciprocal_rank(top, k)
        row[f"ndcg@{k}"] = measures.ndcg(names, grades, k)
        row[f"ndcg_paper@{k}"] = benchmark.ndcg(relevant, held.shape[1], k)
    for budget in BUDGETS:
        row[f"recall@{budget}w"] = facts.recall(top, within(lengths, budget))
    return row


def budget_curve(ranked: Sequence[int], held: Held, words: npt.NDArray[np.int64]) -> list[float]:
    """Recall at each of CURVE, for the same as `fact_row`."""
    order = np.asarray(ranked, dtype=np.int64)
    return [facts.recall(held[order], within(words[order], budget)) for budget in CURVE]


def within(lengths: npt.NDArray[np.int64], budget: int) -> int:
    """How many ranked chunks fit `budget` words: the first always, then up to one that would pass it."""
    spent = np.cumsum(lengths)
    return max(1, int(np.searchsorted(spent, budget, side="right")))


def words_handed(ranked: Sequence[int], chunks: ChunkWords, k: int = K) -> float:
    """Words of the first `k` chunks, stop words included."""
    return float(chunks.lengths[np.asarray(ranked[:k], dtype=np.int64)].sum())


def page_row(pages: Sequence[str], grades: Mapping[str, int], k: int) -> Row:
    """Measures of ranked pages at `k`, for a query that has a relevant page; neutral ones do not count."""
    pages = [page for page in pages if grades.get(page, 0) >= 0]
    judge = (("recall", measures.recall), ("mrr", measures.reciprocal_rank), ("ndcg", measures.ndcg))
    return {f"page_{name}@{k}": measure(pages, grades, k) for name, measure in judge}
