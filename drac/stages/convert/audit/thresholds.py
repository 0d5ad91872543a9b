"""From where on a difference between two readings of a page is a finding.

The values were set on the pages of two collections of RAG-Multi-Corpus, Aventro Motors and Velvera
Technologies, by scripts/bench_audit; the other collections were left for the measurement. Those for OCR were
set on ten pages only, drawn as pictures; how it knows wrapped rows (wrapped.py) was found on the 60 pages of
`--scanned`, of all five collections.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditThresholds:
    """One set a kind of second reader."""

    fuzzy: bool
    """Whether words that differ in a few letters, as OCR misreads them, count as the same."""
    missing_words: int
    """Words of the page in one stretch that the text lacks; fewer are no finding."""
    invented_words: int
    """Words in one block that stand nowhere on the page; fewer are no finding."""
    share: float = 0.05
    """Share of all words missing, or invented, above which a page is flagged without any finding."""
    lost_digits: int = 1
    """Digit strings in one place that differ; fewer are no finding."""
    uncovered: float = 0.5
    """Share of a block's words that must stand on the page in runs of two or more; else it is invented."""
    row_share: float = 0.5
    """Share of a row's words that its sentence must have to count as that row's."""
    full_row: float = 0.6
    """Share of the cells that most rows have, for a row to be one of its own and no rest of another."""
    moved_words: int = 6
    """Words of a block that stands out of order; a smaller one is no finding."""
    repeated_words: int = 4
    """Words of a block that stands once more than on the page; a smaller one is no finding."""


EXACT = AuditThresholds(fuzzy=False, missing_words=2, invented_words=2)
"""For a text layer."""
NOISY = AuditThresholds(fuzzy=True, missing_words=4, invented_words=4, full_row=0.8, share=0.1)
"""For OCR."""
