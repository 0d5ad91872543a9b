"""The parts of a mail or archive, and of those within it, as files: what can be read, what cannot, and why.

One walk, depth first, so that limits count the same on every run.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import BufferedWriter
from pathlib import Path, PurePosixPath

from drac.adapters import archives
from drac.adapters.archives import Limits, Member, Sink, TooMuch
from drac.adapters.mail import MailPart
from drac.adapters.mail_pdf import read, reader_fingerprint
from drac.corpus import printable
from drac.corpus.walk import why_ignored
from drac.errors import DocumentError, EncryptedDocument, LimitExceeded, UnsupportedType
from drac.records import UnpackedPart
from drac.stages.normalize import ARCHIVE_SUFFIXES, CONTAINERS, SUFFIXES, DocumentType, detect
from drac.store.files import is_disk_full
from drac.store.keys import file_digest

_KEPT_BESIDE = frozenset({".css", ".woff", ".woff2", ".ttf", ".otf"})
"""Files that web pages in an archive need and that are no documents."""
_MARKS = re.compile("[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Controls and marks of direction, by which a name can look like another one."""
_MANY = 10 * archives.JUDGED
"""Bytes above which the outermost container is judged as a whole: bombs within bombs are small each."""
_NAME_LENGTH = 150
"""Characters of one part of a name that are kept; file systems allow 255 bytes, some fewer."""
_STORED_BYTES = 200
_SUFFIX_OF = {
    "text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "application/pdf": ".pdf",
    "message/rfc822": ".eml", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
    "image/tiff": ".tif", "image/bmp": ".bmp", "image/webp": ".webp", "image/svg+xml": ".svg",
}  # fmt: skip
"""Suffixes of attachments without a name."""


def fingerprint() -> Mapping[str, str]:
    """Versions of what can change which parts there are."""
    return {**reader_fingerprint(), "unpacking": "2"}


def unpack(
    source: Path, folder: Path, kind: DocumentType, limits: Limits, archives_too: bool
) -> list[UnpackedPart]:
    """Write the parts of `source` below `folder` and say what each is, in order.

    `archives_too`: whether archives among them are unpacked. A part that cannot be had fails alone; raises a
    DocumentError where `source` cannot be read or passes a limit as a whole.
    """
    walk = _Walk(source, folder, limits, archives_too)
    walk.container(source, kind, _Place("", folder / "files", 1))
    return walk.parts


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a container stands."""

    prefix: str
    """What the names of its parts begin with, `/` at the end; empty for the outermost."""
    folder: Path
    """Where its parts are written."""
    depth: int
    """1 for the outermost."""


def _within(name: str, path: Path, depth: int) -> _Place:
    """The place of a container in another, whose bytes lie at `path`."""
    return _Place(f"{name}/", path.with_name(f"{path.name}~"), depth + 1)


@dataclass(slots=True)
class _Walk:
    source: Path
    folder: Path
    limits: Limits
    archives_too: bool
    parts: list[UnpackedPart] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    count: int = 0
    total: int = 0

    def container(self, path: Path, kind: DocumentType, place: _Place) -> None:
        """Every part of one container."""
        if place.depth > self.limits.depth:
            raise LimitExceeded(
                f"more than {self.limits.depth} mails and archives within each other",
                remedy="Unpack it first, or raise normalize.max_depth.",
            )
        for member, by_content in self._members(path, kind):
            self.count += 1
            archives.check_count(self.source, self.count, self.limits)
            self._member(member, self._unused(f"{place.prefix}{member.name}"), by_content, place)

    def _members(self, path: Path, kind: DocumentType) -> Iterator[tuple[Member, bool]]:
        """Parts under safe names, and whether their content decides what they are, as in mails."""
        if kind.converter == "mail":
            for number, part in enumerate(read(path, kind.suffix).attachments, start=1):
                yield Member(_attachment_name(part, number), _writer(part.data)), True
            return
        opened = archives.zip_members if kind.name == "zip" else archives.tar_members
        for member in opened(path, self.limits):
            yield replace(member, name=_safe_path(member.name)), False

    def _unused(self, name: str) -> str:
        """The name, or with a number before its suffix where another part has it."""
        unique = name
        while unique.casefold() in self.names:
            self.names[name.casefold()] += 1
            path = PurePosixPath(name)
            numbered = f"{path.stem} ({self.names[name.casefold()]}){path.suffix}"
            unique = f"{name[: len(name) - len(path.name)]}{numbered}"
        self.names[unique.casefold()] = 1
        return unique

    def _member(self, member: Member, name: str, by_content: bool, place: _Place) -> None:
        suffix = PurePosixPath(name).suffix.lower()
        known = suffix in SUFFIXES or suffix in ARCHIVE_SUFFIXES
        if member.copy is None:
            self._skip(name, member.reason, unusable=member.unusable)
        elif reason := not by_content and _why_junk(name):
            self._skip(name, reason)
        elif known or by_content or suffix in _KEPT_BESIDE:
            self._take(name, member.copy, known, place)
        else:
            self._skip(name, _not_read(suffix))

    def _take(self, name: str, copy: Callable[[Sink], None], known: bool, place: _Place) -> None:
        """Write the part and look at it; what is wrong with it concerns it alone."""
        path = self._new_file(name, place)
        try:
            with path.open("wb") as stream:
                copy(_Counting(self, stream))
            self._sort_out(name, path, known, place.depth)
        except TooMuch as error:
            raise TooMuch(error.message.replace(f"{path}: ", f"{name}: "), remedy=error.remedy) from error
        except DocumentError as error:
            path.unlink(missing_ok=True)
            self._fail(name, path, error, locked=isinstance(error, EncryptedDocument))

    def _fail(self, name: str, path: Path, error: DocumentError, *, locked: bool = False) -> None:
        reason = error.message.removeprefix(f"{path}: ")
        part = UnpackedPart(name, "failed", reason=reason, remedy=error.remedy, locked=locked)
        self.parts.append(part)

    def _sort_out(self, name: str, path: Path, known: bool, depth: int) -> None:
        kind = self._kind(name, path, known)
        if kind is None:
            self._skip(name, _not_read(PurePosixPath(name).suffix.lower()))
            if path.suffix.lower() not in _KEPT_BESIDE:
                path.unlink()
        elif kind.converter == "archive":
            self._archive(name, path, kind, depth)
        elif kind.name in CONTAINERS:
            self._mail(name, path, kind, depth)
        else:
            self.parts.append(UnpackedPart(name, "document", *self._kept(path)))

    def _archive(self, name: str, path: Path, kind: DocumentType, depth: int) -> None:
        """An archive's files, if they are asked for; of a damaged one those before the damage."""
        digest = file_digest(path)
        if self.archives_too:
            self.container(path, kind, _within(name, path, depth))
            self.parts.append(UnpackedPart(name, "unpacked", "", digest))
        else:
            self._skip(name, "an archive; --archives reads what is in it")
        path.unlink()

    def _mail(self, name: str, path: Path, kind: DocumentType, depth: int) -> None:
        """An attached mail and its attachments; one whose attachments cannot be had fails."""
        at = len(self.parts)
        self.parts.append(UnpackedPart(name, "document", *self._kept(path)))
        try:
            self.container(path, kind, _within(name, path, depth))
        except TooMuch:
            raise
        except DocumentError as error:
            del self.parts[at]
            self._fail(name, path, error)

    def _kind(self, name: str, path: Path, known: bool) -> DocumentType | None:
        """What a part is; None for a type that is not read. One that fails to tell stays a document."""
        try:
            return detect(path, suffix=PurePosixPath(name).suffix)
        except UnsupportedType:
            return _UNTOLD if known else None
        except DocumentError:
            return _UNTOLD

    def _skip(self, name: str, reason: str, *, unusable: bool = False) -> None:
        self.parts.append(UnpackedPart(name, "skipped", reason=reason, unusable=unusable))

    def _kept(self, path: Path) -> tuple[str, str]:
        return path.relative_to(self.folder).as_posix(), file_digest(path)

    def _new_file(self, name: str, place: _Place) -> Path:
        """A new file, placed as its name says, so that a page in an archive finds what lies beside it."""
        parts = [_stored(one) for one in name.removeprefix(place.prefix).split("/")]
        path = place.folder.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(exist_ok=False)
        except OSError as error:
            if is_disk_full(error):
                raise
            path = self.folder / "files" / f"~{len(self.names)}" / parts[-1]
            path.parent.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(slots=True)
class _Counting:
    """Writes a part, and stops where the whole container passes its limit."""

    walk: _Walk
    stream: BufferedWriter

    def write(self, data: bytes, /) -> object:
        self.walk.total += len(data)
        archives.check_total(self.walk.source, self.walk.total, self.walk.limits)
        if self.walk.total > _MANY:
            archives.check_whole_ratio(self.walk.source, self.walk.total, self.walk.limits)
        return self.stream.write(data)

    def restart(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()


_UNTOLD = DocumentType("untold", "pdf", "")
"""Stands for a document whose type will be told, or named as a problem, when its PDF is made."""


def _writer(data: bytes) -> Callable[[Sink], None]:
    def write(out: Sink) -> None:
        out.write(data)

    return write


def _attachment_name(part: MailPart, number: int) -> str:
    """A plain file name; what an attachment without one is called."""
    name = _safe(re.sub(r"[/\\]", "_", part.name))
    suffix = _SUFFIX_OF.get(part.media_type, "")
    return name if name.strip("._ ") else f"attachment-{number}{suffix}"


def _safe_path(name: str) -> str:
    parts = [_safe(one) for one in name.split("/") if one not in ("", ".")]
    return "/".join(one or "_" for one in parts) or "_"


def _safe(part: str) -> str:
    """One part of a name as it may be shown: without controls and marks of direction, not too long."""
    plain = unicodedata.normalize("NFC", _MARKS.sub("", part)).strip()
    return printable(_cut(plain, _NAME_LENGTH, len))


def _stored(part: str) -> str:
    """One part of a path on disk."""
    name = _cut(re.sub(r'[\\:*?"<>|]', "_", part), _STORED_BYTES, lambda text: len(text.encode()))
    return "_" + name if name.startswith(".") else name


def _cut(name: str, most: int, length: Callable[[str], int]) -> str:
    """The name, or its beginning with a digest that keeps it apart, and its suffix."""
    if length(name) <= most:
        return name
    suffix = PurePosixPath(name).suffix[:20]
    mark = f"~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}{suffix}"
    while length(name) + len(mark.encode()) > most:
        name = name[: -max(1, (length(name) + len(mark.encode()) - most) // 4)]
    return name + mark


def _why_junk(name: str) -> str | None:
    parts = PurePosixPath(name).parts
    reasons = (why_ignored(Path(part)) for part in parts)
    return next(filter(None, reasons), None)


def _not_read(suffix: str) -> str:
    return (
        f"{suffix} is not a type of document that is read"
        if suffix
        else "not a type of document that is read"
    )
