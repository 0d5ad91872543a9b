"""Office documents to PDF through LibreOffice, kept warm by unoserver."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from drac.adapters import office_crypto
from drac.adapters.fonts import fonts_digest
from drac.adapters.libreoffice_canonical import canonical
from drac.adapters.libreoffice_instance import (
    OfficeDied,
    OfficeInstance,
    OfficeLimits,
    OfficeNothing,
    OfficePastLimit,
    OfficeRefused,
    OfficeResult,
    OfficeTimeout,
    OfficeTooLarge,
)
from drac.adapters.libreoffice_pool import OfficePool
from drac.adapters.libreoffice_profile import settings_digest
from drac.adapters.libreoffice_programs import has_math, health, libreoffice_version
from drac.adapters.libreoffice_text import write_flat_sheet, write_plain_text
from drac.adapters.office_copy import prepare
from drac.adapters.remarks import keep_remarks
from drac.adapters.sandbox import Sandbox
from drac.errors import (
    CorruptDocument,
    DiskFull,
    DocumentError,
    DracError,
    EmptyDocument,
    EncryptedDocument,
    LimitExceeded,
)
from drac.stages.normalize import detect
from drac.stages.normalize.ole import MAGIC
from drac.store.store import is_short_of_space

_FILTERS = {
    ".docx": "MS Word 2007 XML",
    ".docm": "MS Word 2007 XML VBA",
    ".odt": "writer8",
    ".fodt": "OpenDocument Text Flat XML",
    ".rtf": "Rich Text Format",
    ".txt": "Text",
    ".pptx": "Impress MS PowerPoint 2007 XML",
    ".pptm": "Impress MS PowerPoint 2007 XML VBA",
    ".odp": "impress8",
    ".fodp": "OpenDocument Presentation Flat XML",
    ".xlsx": "Calc MS Excel 2007 XML",
    ".xlsm": "Calc MS Excel 2007 VBA XML",
    ".ods": "calc8",
    ".fods": "OpenDocument Spreadsheet Flat XML",
}
"""Import filters by type. Named, so that a damaged file fails where LibreOffice would guess it to be text.

Old Office types are left to its own look: their signature has been checked, and each has several versions.
"""

__all__ = ["LibreOfficeConverter", "OfficeLimits", "fingerprint", "health"]

_SPLIT = "Split the document, or raise normalize.max_cells."
_DEFAULT_LIMITS = OfficeLimits()
_PAGE = re.compile(rb"/Type/Page\b(?!s)")
_ROOM = 16_000_000
"""Bytes free below which a failed conversion is the disk's fault."""


def fingerprint() -> Mapping[str, str]:
    """LibreOffice's version, the fonts, and the settings that we give it. Raises ConverterUnavailable."""
    return {
        "libreoffice": libreoffice_version(),
        "fonts": fonts_digest(),
        "profile": settings_digest(),
        "formulas": str(has_math()),
        "converter": "6",
    }


def numbers_file(pdf: Path) -> Path:
    """Where the numbers of a PDF's pages in the original stand, if they are not 1, 2, 3 and so on.

    A list of integers, one a page: slides that are left out count, a continuation has its slide's number.
    """
    return pdf.with_name(f"{pdf.name}.numbers")


class LibreOfficeConverter:
    """`ports.PdfConverter` for Office documents: `instances` at once, safe to call from several threads.

    A second try, on a fresh instance, follows a timeout, a crash or a limit passed. `workdir` is a folder for
    profiles and copies; what a killed run left in it is cleaned up on the way. `isolation` says in what
    LibreOffice is walled in; None: as far as possible here.
    """

    def __init__(
        self,
        workdir: Path,
        limits: OfficeLimits = _DEFAULT_LIMITS,
        *,
        instances: int = 1,
        isolation: Sandbox | None = None,
    ) -> None:
        self._workdir, self._limits = workdir, limits
        self._pool = OfficePool(workdir, limits, instances, isolation)
        self._maker = os.getpid()
        atexit.register(self.close)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """As `fingerprint` of this module."""
        return fingerprint()

    @property
    def pool(self) -> OfficePool:
        """The instances."""
        return self._pool

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Write the PDF of `source` to `target`; the same bytes for the same document and tools.

        Raises EncryptedDocument, CorruptDocument (also when LibreOffice dies of it twice),
        LimitExceeded (time, memory or disk, twice), ConverterUnavailable or DiskFull.
        """
        with self._pool.lent() as instance:
            try:
                self._attempt(instance, source, target, suffix, password)
            except OfficeDied:
                self._try_again(instance, source, target, suffix, password)

    def _try_again(
        self, instance: OfficeInstance, source: Path, target: Path, suffix: str, password: str | None
    ) -> None:
        instance.kill()
        try:
            self._attempt(instance, source, target, suffix, password)
        except OfficeDied as error:
            instance.kill()
            raise self._given_up(source, error) from error

    def close(self) -> None:
        """End the instances and remove their files."""
        if os.getpid() == self._maker:
            atexit.unregister(self.close)
            self._pool.close()

    def __enter__(self) -> LibreOfficeConverter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(
        self, instance: OfficeInstance, source: Path, target: Path, suffix: str, password: str | None
    ) -> None:
        home = instance.start()
        with tempfile.TemporaryDirectory(dir=home, prefix="job-", ignore_cleanup_errors=True) as folder:
            job = _prepare(source, Path(folder), suffix, password, self._limits.max_cells)
            output = Path(folder) / "output.pdf"
            prepare(job.document, job.document.suffix, hidden=self._limits.hidden)
            try:
                made = instance.convert(
                    job.document, output, read_as=job.read_as, password=job.password, titled=job.titled
                )
            except OfficeNothing as error:
                raise EmptyDocument(f"{source}: no sheet of it shows anything") from error
            except OfficePastLimit as error:
                raise LimitExceeded(f"{source}: {error}", remedy=_SPLIT, lasting=True) from error
            except OfficeRefused as error:
                reason = str(error).replace(str(job.document), source.name)
                raise self._refused(source, job, reason) from error
            target.write_bytes(canonical(_checked(source, output)))
            _keep(made, target)

    def _refused(self, source: Path, job: _Job, reason: str) -> DracError:
        if is_short_of_space(self._workdir, _ROOM):
            return DiskFull(f"{source}: no space left in {self._workdir}")
        if job.password is not None:
            return EncryptedDocument(f"{source}: encrypted, and the password given does not open it")
        return CorruptDocument(f"{source}: LibreOffice does not read it as {job.kind} ({reason})")

    def _given_up(self, source: Path, error: OfficeDied) -> DocumentError:
        if isinstance(error, OfficeTimeout):
            reason = f"LibreOffice took more than {self._limits.seconds:g} s, twice"
            return LimitExceeded(f"{source}: {reason}", lasting=True)
        if isinstance(error, OfficeTooLarge):
            return LimitExceeded(f"{source}: LibreOffice took {error}, twice", lasting=True)
        return CorruptDocument(f"{source}: LibreOffice died of it, twice ({error})", lasting=True)


def _keep(made: OfficeResult, target: Path) -> None:
    """Put beside the PDF what is to be known of it."""
    if made.numbers != tuple(range(1, len(made.numbers) + 1)):
        numbers_file(target).write_text(json.dumps(made.numbers), "utf-8")
    keep_remarks(target, made.remarks, made.left_out)


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
    titled: bool = True
    """Whether the pages of a spreadsheet name their sheet."""


def _prepare(source: Path, folder: Path, suffix: str, password: str | None, cells: int) -> _Job:
    """Put into `folder` what LibreOffice shall open; raises DocumentError."""
    kind = detect(source, suffix=suffix, password=password)
    if kind.converter != "office":
        raise CorruptDocument(f"{source}: it is {kind.name}, not {suffix[1:]}")
    if kind.name in ("csv", "tsv"):
        write_flat_sheet(source, folder / "document.fods", kind.suffix, cells)
        return _Job(folder / "document.fods", kind.name, _FILTERS[".fods"], None, titled=False)
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
