"""What a web page may load while it is printed."""

from __future__ import annotations

import mimetypes
import posixpath
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from weasyprint.urls import URLFetcher, URLFetcherResponse

from drac.adapters.weasyprint_screen import unclipped

BASE = "file:///document/"
"""Address that the document's folder goes by, so that no real path gets into the PDF."""

MAX_RESOURCE = 100_000_000
"""Bytes of one file that a page loads."""


def _response(url: str, data: bytes, media_type: str) -> URLFetcherResponse:
    """A resource as WeasyPrint is given it: a style sheet without what clips text."""
    if media_type.startswith("text/css"):
        data = unclipped(data.decode("latin-1")).encode("latin-1")
    return URLFetcherResponse(url, data, {"Content-Type": media_type})


def _kind(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


class BesideOnly(URLFetcher):  # type: ignore[misc]
    """Serves data: URLs and files in the document's own folder; refuses everything else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(allowed_protocols=("data", "file"), allow_redirects=False)
        self._folder = folder.resolve()

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
        """The resource; raises ValueError for one that is refused, which WeasyPrint then leaves out."""
        if not url.lower().startswith("file:"):
            return super().fetch(url, headers)
        path = self._path(url)
        return _response(url, path.read_bytes(), _kind(path.name))

    def _path(self, url: str) -> Path:
        parts = urlsplit(url)
        named = unquote(parts.path)
        root = urlsplit(BASE).path
        path = (self._folder / named.removeprefix(root)).resolve()
        inside = not parts.netloc and named.startswith(root) and path.is_relative_to(self._folder)
        if not inside or not path.is_file() or path.stat().st_size > MAX_RESOURCE:
            raise ValueError(f"refused: {url[:200]}")
        return path


class InPackage(URLFetcher):  # type: ignore[misc]
    """Serves data: URLs and the parts of an e-book; refuses everything else."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        super().__init__(allowed_protocols=("data", "file"), allow_redirects=False)
        self._package = package

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
        """See BesideOnly.fetch."""
        if not url.lower().startswith("file:"):
            return super().fetch(url, headers)
        name = self._name(url)
        return _response(url, self._package.read(name), _kind(name))

    def _name(self, url: str) -> str:
        parts = urlsplit(url)
        path = posixpath.normpath(unquote(parts.path))
        name = path.removeprefix(urlsplit(BASE).path)
        try:
            size = self._package.getinfo(name).file_size
        except KeyError as error:
            raise ValueError(f"refused: {url[:200]}") from error
        if parts.netloc or name == path or size > MAX_RESOURCE:
            raise ValueError(f"refused: {url[:200]}")
        return name


class PartsOnly(URLFetcher):  # type: ignore[misc]
    """Serves data: URLs and the parts that came with a mail or web archive; refuses everything else."""

    def __init__(self, parts: Mapping[str, tuple[bytes, str]]) -> None:
        super().__init__(allowed_protocols=("data",), allow_redirects=False)
        self._parts = {_address(name): part for name, part in parts.items()}

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
        """The resource; raises ValueError for one that is refused, which WeasyPrint then leaves out."""
        if url.lower().startswith("data:"):
            return super().fetch(url, headers)
        found = self._parts.get(_address(url))
        if found is None:
            raise ValueError(f"refused: {url[:200]}")
        return _response(url, *found)


def _address(url: str) -> str:
    """Without a fragment and its own base, in the form in which equal addresses are equal."""
    plain = unquote(url.partition("#")[0]).strip().removeprefix(BASE)
    return f"cid:{plain[4:]}" if plain[:4].lower() == "cid:" else plain
