"""Passwords of Office documents, by msoffcrypto."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path
from typing import Any

from drac.errors import EncryptedDocument

_EXCEL_DEFAULT = "VelvetSweatshop"
"""The password that Excel tries without asking ([MS-OFFCRYPTO] 2.4.2.3)."""

_MALFORMED = (AssertionError, struct.error, KeyError, IndexError, ValueError, TypeError, OSError)
"""What msoffcrypto and olefile raise on damaged files, beside their own errors."""

_NOT_SUPPORTED = ("Invalid key size", "Unsupported", "is not supported")
"""Words of msoffcrypto, and of cryptography below it, on a cipher that they lack."""
_OTHER_KIND = "encrypted with a password, in a way that cannot be opened here"
_OTHER_REMEDY = "Save it without a password in its own program, then run again."


def is_encrypted(source: Path) -> bool:
    """Whether an OLE2 file (old Office, or encrypted OOXML) needs a password.

    A file that msoffcrypto cannot judge counts as open: LibreOffice has the last word on it.
    """
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, ParseError

    with source.open("rb") as file:
        try:
            return bool(msoffcrypto.OfficeFile(file).is_encrypted())
        except DecryptionError:
            return True
        except (FileFormatError, ParseError, *_MALFORMED):
            return False


def decrypt(source: Path, target: Path, password: str | None) -> None:
    """Write the decrypted document to `target`, readable by its owner only.

    Raises EncryptedDocument without a password that fits, or for encryption that msoffcrypto lacks.
    A workbook that Excel opens without asking opens here without a password.
    """
    for candidate in filter(None, (password, _EXCEL_DEFAULT)):
        plain = _decrypted(source, candidate)
        if plain is not None:
            return _write_private(target, plain)
    what = "encrypted; the password given does not open it" if password else "encrypted with a password"
    raise EncryptedDocument(f"{source}: {what}")


def _decrypted(source: Path, password: str) -> bytes | None:
    """The document, or None when the password does not fit."""
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, ParseError

    out = io.BytesIO()
    try:
        with source.open("rb") as file:
            _unlock(file, password, out)
    except (DecryptionError, FileFormatError, ParseError, *_MALFORMED) as error:
        if any(word in str(error) for word in _NOT_SUPPORTED):
            raise EncryptedDocument(f"{source}: {_OTHER_KIND}", remedy=_OTHER_REMEDY) from error
        return None
    return out.getvalue()


def _unlock(file: Any, password: str, out: io.BytesIO) -> None:
    import msoffcrypto

    document = msoffcrypto.OfficeFile(file)
    document.load_key(password=password)
    document.decrypt(out)


def _write_private(target: Path, data: bytes) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
