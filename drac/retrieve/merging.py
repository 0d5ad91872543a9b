"""Small chunks found, the larger passages around them returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from drac.records import Hit
from drac.retrieve.retrievers import Retriever


@dataclass(frozen=True, slots=True)
class AutoMerge:
    """A retriever over chunks that have parents: a parent stands for its children where enough are found.

    Only chunks that are nobody's parent are asked for. Level by level from below, a parent takes the place of
    its first child among the results, with that child's score, where more than `share` of its children are
    among them: 0 gives always the parent, 1 never. Other tools call it auto-merging (LlamaIndex: 0.5).
    """

    inner: Retriever
    """Over the chunks without children."""
    parents: Mapping[str, str]
    """chunk_id of each chunk that has a parent to that parent's."""
    share: float
    """Of a parent's children, 0.0 to 1.0."""
    _children: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_children", Counter(self.parents.values()))

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever; fewer than `k` where children were merged."""
        found: Sequence[Hit] = self.inner.search(query, k)
        while (merged := self._merged(found)) != found:
            found = merged
        return list(found)

    def _merged(self, found: Sequence[Hit]) -> list[Hit]:
        """One level: a result whose parent is due gives way to it, and the parent stands once."""
        there = Counter(self.parents[hit.chunk_id] for hit in found if hit.chunk_id in self.parents)
        due = {one for one, count in there.items() if count > self.share * self._children[one]}
        best: dict[str, Hit] = {}
        for hit in found:
            parent = self.parents.get(hit.chunk_id, "")
            one = Hit(parent, hit.score) if parent in due else hit
            best.setdefault(one.chunk_id, one)
        return list(best.values())
