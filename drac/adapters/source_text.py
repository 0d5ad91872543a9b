"""A document's visible text, read with a library of its format: what its PDF is held against.

The policy is that of normalize: what is hidden, deleted, commented or noted is left out unless it is asked
for. What depends on the layout is left out too: page numbers, and headers that perhaps no page shows.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from drac.config import NormalizeSettings
from drac.records import Passage

_MOST = 30_000_000
"""Characters read of a document; some seconds' work."""

Reader = Callable[[Path, NormalizeSettings], Iterator[Passage]]

_READERS = {
    **dict.fromkeys(("docx", "docm"), "docx"),
    **dict.fromkeys(("pptx", "pptm"), "pptx"),
    **dict.fromkeys(("xlsx", "xlsm"), "xlsx"),
    **dict.fromkeys(("odt", "fodt", "odp", "fodp", "ods", "fods"), "odf"),
    "rtf": "rtf",
    **dict.fromkeys(("html", "md", "txt", "csv", "tsv"), "plain"),
}
"""Module `source_*` by type."""


class Reading:
    """The passages of one document, and what was not read of it."""

    def __init__(self, source: Path, suffix: str, settings: NormalizeSettings) -> None:
        self._source, self._settings = source, settings
        self._kind = suffix.lstrip(".")
        self.note = ""
        """Why it was not read, or not to its end; known after the passages."""

    def passages(self) -> Iterator[Passage]:
        """Ends early, with a note, where a library fails: an odd file that has a PDF is no failure."""
        name = _READERS.get(self._kind)
        if name is None:
            self.note = f"no library reads {self._kind}"
            return
        read, logger = 0, logging.getLogger(f"{__name__}.{name}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reader: Callable[..., Iterator[Passage]] = import_module(f"drac.adapters.source_{name}").read
                for passage in reader(self._source, f".{self._kind}", self._settings):
                    read += len(passage.text)
                    if read > _MOST:
                        self.note = f"compared up to {passage.where}"
                        return
                    yield passage
        except Exception as error:  # libraries raise anything on odd and encrypted files
            logger.debug("%s", self._source, exc_info=error)
            self.note = f"not read as {self._kind} ({type(error).__name__})"
