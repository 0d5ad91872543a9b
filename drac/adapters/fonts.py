"""The fonts installed here, by fontconfig: they shape every page that is set here."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess

from drac.records import Health

_FAMILIES = {
    "Liberation": "fonts-liberation",
    "Carlito": "fonts-crosextra-carlito",
    "Caladea": "fonts-crosextra-caladea",
    "DejaVu": "fonts-dejavu",
    "Noto Sans CJK": "fonts-noto-cjk",
    "Noto Color Emoji": "fonts-noto-color-emoji",
}
"""Families that stand in for those which documents ask for, and Debian's package of each."""


@functools.cache
def fonts_digest() -> str:
    """16 hexadecimal digits of the list of installed fonts, as fontconfig gives it; they shape the pages."""
    return hashlib.sha256("\n".join(sorted(installed_fonts())).encode()).hexdigest()[:16]


@functools.cache
def installed_fonts() -> frozenset[str]:
    """Lines of `fc-list : family style fontversion`; empty where fontconfig is missing."""
    if not (program := shutil.which("fc-list")):
        return frozenset()
    command = [program, ":", "family", "style", "fontversion"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return frozenset(done.stdout.splitlines())


def font_health() -> Health:
    """Whether the families are there that stand in for those which documents ask for."""
    fonts = installed_fonts()
    if not fonts:
        hint = "Install it: `sudo apt-get install fontconfig` (Debian, Ubuntu)"
        return Health("Fonts", "warning", "fontconfig lists none, or is missing: fonts are not known", hint)
    missing = [family for family in _FAMILIES if not any(line.startswith(family) for line in fonts)]
    if not missing:
        return Health("Fonts", "ok", f"{len(fonts)} faces, among them {', '.join(_FAMILIES)}")
    packages = " ".join(_FAMILIES[family] for family in missing)
    return Health(
        "Fonts",
        "warning",
        f"missing {', '.join(missing)}: text is set in other fonts and breaks elsewhere",
        f"Install them: `sudo apt-get install {packages}` (Debian, Ubuntu)",
    )


def replaced(asked: tuple[str, ...], used: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(family asked for and not installed, family that stands in for it) where `used` has the stand-in."""
    there = {_plain(name): name for name in used}
    pairs = ((name, _match(name)) for name in asked if _plain(name) not in there)
    return tuple((name, found) for name, found in pairs if _plain(found) in there)


def _plain(family: str) -> str:
    return family.replace(" ", "").casefold()


@functools.cache
def _match(family: str) -> str:
    """The family that fontconfig, and LibreOffice by it, takes; empty where fontconfig is missing."""
    if not (program := shutil.which("fc-match")):
        return ""
    command = [program, "-f", "%{family[0]}", family.replace("-", "\\-").replace(":", "\\:")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout
