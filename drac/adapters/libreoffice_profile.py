"""The user profile that LibreOffice starts with: nothing asked, nothing fetched, nothing run."""

from __future__ import annotations

import hashlib
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

_COMMON = "/org.openoffice.Office.Common"

_SETTINGS: tuple[tuple[str, str, str], ...] = (
    (f"{_COMMON}/Security/Scripting", "MacroSecurityLevel", "3"),
    (f"{_COMMON}/Security/Scripting", "DisableMacrosExecution", "true"),
    (f"{_COMMON}/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    (f"{_COMMON}/Misc", "FirstRun", "false"),
    (f"{_COMMON}/Misc", "CrashReport", "false"),
    (f"{_COMMON}/Misc", "ShowTipOfTheDay", "false"),
    # The paper size of a printer that is installed here must not move page breaks.
    (f"{_COMMON}/Save/Document", "LoadPrinter", "false"),
    (f"{_COMMON}/History", "PickListSize", "0"),
    ("/org.openoffice.Setup/Office", "ooSetupInstCompleted", "true"),
    # Formats of dates, numbers and paper must not follow the machine's locale.
    ("/org.openoffice.Setup/L10N", "ooLocale", "en-US"),
    ("/org.openoffice.Setup/L10N", "ooSetupSystemLocale", "en-US"),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
    ("/org.openoffice.Office.Recovery/RecoveryInfo", "SessionData", "false"),
    # Links: 2 is never. Formulas: 1 keeps the values that the file stores.
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Calc/Formula/Load", "OOXMLRecalcMode", "1"),
    ("/org.openoffice.Office.Calc/Formula/Load", "ODFRecalcMode", "1"),
)
"""Path in LibreOffice's registry, property, value."""

EXPORT = (
    # Images keep their pixels.
    "ReduceImageResolution=false",
    "Quality=90",
    "ExportNotes=false",
    "ExportHiddenSlides=false",
    # Links to files beside the document must not name the folder in which the copy lies.
    "ExportLinksRelativeFsys=true",
)
"""PDF export settings; LibreOffice's own for the rest."""

_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
"""
_ITEM = '<item oor:path={path}><prop oor:name={name} oor:op="fuse"><value>{value}</value></prop></item>\n'


def write_profile(profile: Path) -> None:
    """Make the folder `profile` with our settings in it."""
    user = profile / "user"
    user.mkdir(parents=True, mode=0o700)
    items = (
        _ITEM.format(path=quoteattr(path), name=quoteattr(name), value=escape(value))
        for path, name, value in _SETTINGS
    )
    (user / "registrymodifications.xcu").write_text(_HEADER + "".join(items) + "</oor:items>\n", "utf-8")


def settings_digest() -> str:
    """16 hexadecimal digits of everything that LibreOffice is told by us."""
    return hashlib.sha256(repr((_SETTINGS, EXPORT)).encode()).hexdigest()[:16]


def pipe_name(profile: Path, user_id: int) -> str:
    """File name of the socket by which a LibreOffice finds another with the same profile.

    A killed process leaves it behind. After desktop/source/app/officeipcthread.cxx: MD5 of the profile's URL
    in UTF-16, bytes in hexadecimal without leading zeros.
    """
    digest = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    return f"OSL_PIPE_{user_id}_SingleOfficeIPC_" + "".join(f"{byte:x}" for byte in digest)
