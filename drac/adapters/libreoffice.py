"""Office documents to PDF through LibreOffice, kept warm by unoserver."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from drac.adapters import office_crypto
from drac.adapters.fonts import fonts_digest
from drac.adapters.libreoffice_canonical import canonical
from drac.adapters.libreoffice_instance import OfficeDied, OfficeInstance, OfficeRefused, OfficeTimeout
from drac.adapters.libreoffice_processes import sweep
from drac.adapters.libreoffice_profile import settings_digest
from drac.adapters.libreoffice_programs import health, libreoffice_version
from drac.adapters.libreoffice_text import write_flat_sheet, write_plain_text
from drac.errors import (
    CorruptDocument,
    DiskFull,
    DracError,
    EncryptedDocument,
    LimitExceeded,
)
from drac.stages.normalize import detect
from drac.stages.normalize.ole import MAGIC

_FILTERS = {
    ".docx": "MS Word 2007 XML",
    ".docm": "MS Word 2007 XML VBA",
    ".odt": "writer8",
    ".rtf": "Rich Text Format",
    ".txt": "Text",
    ".pptx": "Impress MS PowerPoint 2007 XML",
    ".pptm": "Impress MS PowerPoint 2007 XML VBA",
    ".odp": "impress8",
    ".xlsx": "Calc MS Excel 2007 XML",
    ".xlsm": "Calc MS Excel 2007 VBA XML",
    ".ods": "calc8",
    ".fods": "OpenDocument Spreadsheet Flat XML",
}
"""Import filters by type. Named, so that a damaged file fails where LibreOffice would guess it to be text.

Old Office types are left to its own look: their signature has been checked, and each has several versions.
"""

__all__ = ["LibreOfficeConverter", "health"]

_PAGE = re.compile(rb"/Type/Page\b(?!s)")
_ROOM = 16_000_000
"""Bytes free below which a failed conversion is the disk's fault."""


class LibreOfficeConverter:
    """`ports.PdfConverter` for Office documents; one warm instance, safe to call from several threads.

    `timeout` is seconds a document may take; a second try, on a fresh instance, follows a timeout or a crash.
    `workdir` is a folder for profiles and copies; what a killed run left in it is cleaned up on the way.
    """

    def __init__(self, timeout: float, workdir: Path) -> None:
        self._timeout = timeout
        self._workdir = workdir
        self._instance = OfficeInstance(workdir)
        self._lock = threading.Lock()
        self._maker = os.getpid()
        self._swept = False
        atexit.register(self.close)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """LibreOffice's version, the fonts, and the settings that we give it. Raises ConverterUnavailable."""
        return {
            "libreoffice": libreoffice_version(),
            "fonts": fonts_digest(),
            "profile": settings_digest(),
            "converter": "1",
        }

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Write the PDF of `source` to `target`; the same bytes for the same document and tools.

        Raises EncryptedDocument, CorruptDocument (also when LibreOffice dies of it twice), LimitExceeded
        (too slow, twice), ConverterUnavailable or DiskFull.
        """
        with self._lock:
            self._sweep_once()
            try:
                self._attempt(source, target, suffix, password)
            except OfficeDied:
                self._try_again(source, target, suffix, password)

    def _try_again(self, source: Path, target: Path, suffix: str, password: str | None) -> None:
        self._instance.kill()
        try:
            self._attempt(source, target, suffix, password)
        except OfficeDied as error:
            self._instance.kill()
            raise self._given_up(source, error) from error

    def close(self) -> None:
        """End the instance and remove its files. The converter can be used again."""
        if os.getpid() == self._maker:
            atexit.unregister(self.close)
            self._instance.kill()

    def __enter__(self) -> LibreOfficeConverter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sweep_once(self) -> None:
        if not self._swept:
            sweep(self._workdir)
            self._swept = True

    def _attempt(self, source: Path, target: Path, suffix: str, password: str | None) -> None:
        home = self._instance.start()
        with tempfile.TemporaryDirectory(dir=home, prefix="job-") as folder:
            job = _prepare(source, Path(folder), suffix, password)
            output = Path(folder) / "output.pdf"
            try:
                self._instance.convert(
                    job.document, output, read_as=job.read_as, password=job.password, timeout=self._timeout
                )
            except OfficeRefused as error:
                reason = str(error).replace(str(job.document), source.name)
                raise self._refused(source, job, reason) from error
            target.write_bytes(canonical(_checked(source, output)))

    def _refused(self, source: Path, job: _Job, reason: str) -> DracError:
        if shutil.disk_usage(self._workdir).free < _ROOM:
            return DiskFull(f"{source}: no space left in {self._workdir}")
        if job.password is not None:
            return EncryptedDocument(f"{source}: encrypted, and the password given does not open it")
        return CorruptDocument(f"{source}: LibreOffice does not read it as {job.kind} ({reason})")

    def _given_up(self, source: Path, error: OfficeDied) -> DracError:
        if isinstance(error, OfficeTimeout):
            return LimitExceeded(f"{source}: LibreOffice took more than {self._timeout:g} s, twice")
        return CorruptDocument(f"{source}: LibreOffice died of it, twice ({error})")


@dataclass(frozen=True, slots=True)
class _Job:
    document: Path
    """What LibreOffice opens: a copy under a neutral name, so that no name of ours gets into fields."""
    kind: str
    """Name of its type."""
    read_as: str | None
    """Import filter."""
    password: str | None
    """What LibreOffice itself needs to open it."""


def _prepare(source: Path, folder: Path, suffix: str, password: str | None) -> _Job:
    """Put into `folder` what LibreOffice shall open; raises DocumentError."""
    kind = detect(source, suffix=suffix, password=password)
    if kind.converter != "office":
        raise CorruptDocument(f"{source}: it is {kind.name}, not {suffix[1:]}")
    if kind.name in ("csv", "tsv"):
        write_flat_sheet(source, folder / "document.fods", kind.suffix)
        return _Job(folder / "document.fods", kind.name, _FILTERS[".fods"], None)
    if kind.name == "txt":
        write_plain_text(source, folder / "document.txt")
        return _Job(folder / "document.txt", kind.name, _FILTERS[".txt"], None)
    if _is_compound(source) and (kind.encrypted or office_crypto.is_encrypted(source)):
        return _decrypted(source, folder, suffix, password)
    document = folder / f"document{kind.suffix}"
    shutil.copyfile(source, document)
    return _Job(document, kind.name, _FILTERS.get(kind.suffix), password if kind.encrypted else None)


def _decrypted(source: Path, folder: Path, suffix: str, password: str | None) -> _Job:
    plain = folder / "decrypted"
    office_crypto.decrypt(source, plain, password)
    kind = detect(plain, suffix=suffix)
    document = plain.rename(folder / f"document{kind.suffix}")
    return _Job(document, kind.name, _FILTERS.get(kind.suffix), None)


def _is_compound(source: Path) -> bool:
    with source.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _checked(source: Path, output: Path) -> bytes:
    """The PDF's bytes; raises CorruptDocument where it is not whole or has no page."""
    data = output.read_bytes() if output.is_file() else b""
    whole = data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    if not whole or not _PAGE.search(data):
        raise CorruptDocument(f"{source}: LibreOffice made no PDF with pages of it")
    return data
