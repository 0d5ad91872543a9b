"""One folder, walked: which files are documents, what is skipped and why."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drac.corpus.names import printable
from drac.records import Skipped

JUNK = re.compile(
    r"\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|__MACOSX|Icon\r|~\$.*|\.~lock\..*#", re.IGNORECASE
)
"""Names that file managers and office programs leave beside documents."""
WORKSPACE = ".drac"
"""The default name of a workspace."""
Key = tuple[int, int, str]
"""Device and inode of a real folder, and a name in it or nothing: what a path leads to, links followed."""
NO_FILE = "a socket, pipe or device, not a file"


@dataclass(slots=True)
class Walk:
    """A walk over one root, kept while it goes on.

    Folders are entered before links are followed, so that a document reached both ways is known by
    its own path and not by the link's.
    """

    suffixes: frozenset[str]
    """Suffixes with their dot, lower case, that are documents."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Suffixes that could be, and why they are not taken."""
    files: list[Path] = field(default_factory=list)
    """Documents found, as paths under the root."""
    skipped: list[Skipped] = field(default_factory=list)
    """Everything else."""
    seen: dict[Key, Path] = field(default_factory=dict)
    """File or folder taken -> the path it was first found at."""

    def folder(self, root: Path) -> None:
        """Take the documents in a folder and below; links to folders are followed once."""
        links = self._enter(root)
        while links:
            links = sorted(further for link in links for further in self._follow(link))

    def file(self, path: Path, *, named: bool = False) -> None:
        """Take one regular file; `named` means that the user named it, so its suffix does not matter."""
        reason = None if named else self._unsupported(path)
        if reason:
            self.skip(path, reason)
        elif reason := why_unreadable(path):
            self.skip(path, reason, kind="unusable")
        elif self._first(path, "file"):
            self.files.append(path)

    def skip(self, path: Path, reason: str, *, kind: str = "ignored") -> None:
        """Note a path that is not taken."""
        self.skipped.append(Skipped(printable(os.fspath(path)), reason, kind))

    def _enter(self, root: Path) -> list[Path]:
        """Walk folders without links; the links found come back, sorted."""
        pending: list[Path] = [root]
        links: list[Path] = []
        while pending:
            folder = pending.pop()
            if not self._first(folder, "folder"):
                continue
            for entry in self._entries(folder):
                self._sort_out(entry, pending, links)
        return sorted(links)

    def _sort_out(self, entry: os.DirEntry[str], pending: list[Path], links: list[Path]) -> None:
        path = Path(entry.path)
        if reason := why_ignored(path):
            self.skip(path, reason)
        elif entry.is_symlink():
            links.append(path)
        elif entry.is_dir(follow_symlinks=False):
            pending.append(path)
        elif entry.is_file(follow_symlinks=False):
            self.file(path)
        else:
            self.skip(path, NO_FILE, kind="unusable")

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.skip(folder, f"cannot be listed: {error.strerror}", kind="unusable")
            return
        yield from found

    def _follow(self, link: Path) -> list[Path]:
        """Take what a link leads to; the links found there come back."""
        reason = why_broken(link)
        if reason:
            self.skip(link, reason, kind="unusable")
        elif not link.is_dir():
            self.file(link)
        elif link.parent.resolve().is_relative_to(link.resolve()):
            self.skip(link, "a link to a folder above it")
        elif is_workspace(link.resolve()):
            self.skip(link, "a link to a workspace of drac")
        else:
            return self._enter(link)
        return []

    def _first(self, path: Path, what: str) -> bool:
        try:
            first = self.seen.setdefault(_key(path), path)
        except OSError as error:
            self.skip(path, f"cannot be read: {error.strerror}", kind="unusable")
            return False
        if first is not path:
            self.skip(path, f"the same {what} as {printable(os.fspath(first))}")
        return first is path

    def _unsupported(self, path: Path) -> str | None:
        suffix = path.suffix.lower()
        if suffix in self.suffixes:
            return None
        if suffix in self.left_out:
            return self.left_out[suffix]
        return f"{suffix} is not a type of document that is read" if suffix else "its name has no suffix"


def _key(path: Path) -> Key:
    """Hard links of a file stay two files: they are two names that someone gave on purpose."""
    if path.is_dir():
        status = path.stat()
        return status.st_dev, status.st_ino, ""
    real = path.resolve() if path.is_symlink() else path
    status = real.parent.stat()
    return status.st_dev, status.st_ino, real.name


def why_ignored(path: Path) -> str | None:
    """The reason why a file or folder below a root is no document by its name or place, or None."""
    if JUNK.fullmatch(path.name):
        return "left by a file manager or an office program"
    if path.name.startswith("."):
        return "hidden: its name begins with a dot"
    if is_workspace(path):
        return "a workspace of drac"
    return None


def is_workspace(folder: Path) -> bool:
    """Whether a folder is a workspace: by its default name, or by what it holds."""
    if folder.name == WORKSPACE:
        return True
    return is_file(folder / "catalog.sqlite3") and (folder / "artifacts").is_dir()


def is_file(path: Path) -> bool:
    """Whether a path is a file that may be looked at; a folder closed to us gives no error."""
    try:
        return path.is_file()
    except OSError:
        return False


def why_unreadable(path: Path) -> str | None:
    """The reason why a path cannot be opened as a file, or None; a pipe is not waited for."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return NO_FILE
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None


def why_broken(link: Path) -> str | None:
    """The reason why a link leads nowhere, or None."""
    try:
        link.resolve(strict=True)
    except FileNotFoundError:
        return "a link to a file that is not there"
    except (OSError, RuntimeError) as error:
        return f"a link that cannot be followed: {getattr(error, 'strerror', None) or error}"
    return None
