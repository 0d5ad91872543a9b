"""Finds LibreOffice, a Python with its bridge, unoserver and the fonts; says what is missing."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from drac.adapters import sandbox
from drac.adapters.fonts import font_health
from drac.errors import ConverterUnavailable
from drac.records import Health

_BUNDLED = ("/opt/libreoffice*/program/python", "/Applications/LibreOffice.app/Contents/Resources/python")


@dataclass(frozen=True, slots=True)
class OfficeProgram:
    """The programs that an instance runs."""

    soffice: Path
    """LibreOffice."""
    python: Path
    """A Python that can `import uno`."""
    site_packages: Path
    """Folder that holds unoserver."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the programs are installed, as far as that is not the system's own place for programs."""
        homes = (self.soffice.resolve().parent.parent, self.python.resolve().parent.parent)
        return tuple(one for one in homes if not one.is_relative_to("/usr") and one != Path("/"))


@functools.cache
def find_program() -> OfficeProgram:
    """LibreOffice, a Python with its bridge, and unoserver; raises ConverterUnavailable with the remedy."""
    return OfficeProgram(find_soffice(), find_python(), find_unoserver())


@functools.cache
def libreoffice_version() -> str:
    """Version and build, e.g. `LibreOffice 7.4.7.2 40(Build:2)`; raises ConverterUnavailable."""
    soffice = find_soffice()
    try:
        done = subprocess.run([soffice, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise ConverterUnavailable(f"{soffice} --version fails: {error}") from error
    return done.stdout.strip()


def health() -> list[Health]:
    """LibreOffice, its Python bridge, its isolation and the fonts, for `drac doctor`."""
    return [_office_health(), _bridge_health(), sandbox.health(), font_health()]


def _office_health() -> Health:
    try:
        detail = f"{libreoffice_version()}, {find_soffice()}"
    except ConverterUnavailable as error:
        return Health("LibreOffice", "missing", error.message, error.remedy)
    if not has_math():
        hint = "Install it: `sudo apt-get install libreoffice-math` (Debian, Ubuntu)"
        return Health("LibreOffice", "warning", f"{detail}: without Math formulas are left out", hint)
    return Health("LibreOffice", "ok", detail)


def has_math() -> bool:
    """Whether the part of LibreOffice is there that draws formulas; without it they vanish."""
    program = find_soffice().resolve().parent
    folders = (program, program.parent / "Frameworks")
    return any(True for folder in folders for _ in folder.glob("libsm*lo.*"))


def _bridge_health() -> Health:
    name = "Bridge to LibreOffice"
    try:
        return Health(name, "ok", f"{find_python()}, unoserver in {find_unoserver()}")
    except ConverterUnavailable as error:
        return Health(name, "missing", error.message, error.remedy)


@functools.cache
def find_soffice() -> Path:
    """LibreOffice's program; raises ConverterUnavailable."""
    bundled = "/Applications/LibreOffice.app/Contents/MacOS/soffice"
    for name in ("soffice", "libreoffice", bundled):
        if found := shutil.which(name):
            return Path(found)
    raise ConverterUnavailable("LibreOffice is not installed", remedy=install_hint())


@functools.cache
def find_python() -> Path:
    """A Python that can `import uno`: DRAC_UNO_PYTHON, the system's, LibreOffice's own."""
    for candidate in _pythons():
        if candidate.is_file() and _can_import_uno(candidate):
            return candidate
    raise ConverterUnavailable("no Python here can `import uno`", remedy=install_hint())


def _pythons() -> list[Path]:
    asked = os.environ.get("DRAC_UNO_PYTHON")
    if asked:
        return [Path(asked)]
    bundled = [found for pattern in _BUNDLED for found in sorted(Path("/").glob(pattern[1:]))]
    return [Path("/usr/bin/python3"), *bundled, Path("/usr/local/bin/python3")]


def _can_import_uno(python: Path) -> bool:
    try:
        done = subprocess.run(
            [python, "-I", "-c", "import uno"], capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@functools.cache
def find_unoserver() -> Path:
    """The folder that holds the package unoserver."""
    spec = importlib.util.find_spec("unoserver")
    if spec is None or spec.origin is None:
        raise ConverterUnavailable(
            "the package unoserver is missing", remedy="Install it: pip install unoserver"
        )
    return Path(spec.origin).parent.parent


def install_hint() -> str:
    """How to install LibreOffice and its bridge."""
    return (
        "Install LibreOffice and its Python bridge: `sudo apt-get install libreoffice python3-uno` (Debian, "
        "Ubuntu), `sudo dnf install libreoffice libreoffice-pyuno` (Fedora), `brew install --cask "
        "libreoffice` (macOS). DRAC_UNO_PYTHON names another Python that can import uno."
    )
