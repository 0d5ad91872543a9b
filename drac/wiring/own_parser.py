"""A user's own parser: a function from a PDF to texts, or a reader, by what `registry.load` found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from drac.adapters.page_records import failed_page, no_such_page, one_line, read_page
from drac.errors import UsageError
from drac.ports import PageReader
from drac.records import Page, PageText
from drac.wiring.own import fingerprint
from drac.wiring.registry import Loaded


class OwnOptions(BaseModel):
    """Whatever the user's class or function takes."""

    model_config = ConfigDict(frozen=True, extra="allow")

    def __hash__(self) -> int:
        return hash(self.model_dump_json())


def own_parser(loaded: Loaded, options: OwnOptions) -> PageReader:
    """A class with `read(pdf, pages)` as ports.PageReader, or a function from the path to each page's text.

    Options go to the class, or with the path to the function; raises UsageError where they do not fit.
    """
    given = dict(options.model_extra or {})
    try:
        if inspect.isclass(loaded.found):
            return _Named(loaded, loaded.found(**given))
        inspect.signature(loaded.found).bind(Path(), **given)
    except Exception as error:  # whatever the user's class raises
        raise _wrong(loaded, f"{type(error).__name__}: {error}") from error
    return FunctionReader(loaded, lambda pdf: loaded.found(pdf, **given))


class FunctionReader:
    """`ports.PageReader` over a function that gives the text of every page, from page 1."""

    def __init__(self, loaded: Loaded, function: Callable[[Path], Sequence[str]]) -> None:
        self.name, self._function = loaded.name, function
        self._fingerprint = fingerprint(loaded)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The sha256 of the module's file."""
        return self._fingerprint

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader."""
        try:
            texts = [str(one) for one in self._function(pdf)]
        except Exception as error:  # whatever the user's function raises
            return [failed_page(page, self.name, one_line(error, str(pdf.parent))) for page in pages]
        return [self._page(page, texts) for page in pages]

    def _page(self, page: Page, texts: Sequence[str]) -> PageText:
        if not 1 <= page.number <= len(texts):
            return no_such_page(page, self.name, len(texts))
        return read_page(page, texts[page.number - 1], self.name, method="document", ink=False)


class _Named:
    """A user's reader under the name that the experiment has for it."""

    def __init__(self, loaded: Loaded, reader: Any) -> None:
        if not callable(getattr(reader, "read", None)):
            raise TypeError(f"{type(reader).__name__} has no method `read`")
        self.name, self._reader = loaded.name, reader
        own = dict(getattr(reader, "fingerprint", {}))
        self._fingerprint = {**fingerprint(loaded), **{f"own {key}": str(one) for key, one in own.items()}}

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The module's, and what the reader says itself."""
        return self._fingerprint

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader; what the reader raises is why every page failed."""
        try:
            found: Sequence[PageText] = self._reader.read(pdf, pages)
        except Exception as error:  # whatever the user's reader raises
            return [failed_page(page, self.name, one_line(error, str(pdf.parent))) for page in pages]
        return found


def _wrong(loaded: Loaded, why: str) -> UsageError:
    return UsageError(
        f"parser `{loaded.name}`: {why}",
        remedy="Give a function of the PDF's path, a class with `read(pdf, pages)`, and options it takes.",
    )
