"""Passwords of Office documents."""

from __future__ import annotations

import stat
from pathlib import Path

import olefile
import pytest
from fakes_normalize import docx_of, encrypted_docx

from drac.adapters.office_crypto import decrypt, is_encrypted
from drac.errors import EncryptedDocument


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "a.docx"
    path.write_bytes(data)
    return path


def test_the_right_password_gives_the_document(tmp_path: Path) -> None:
    source, target = _file(tmp_path, encrypted_docx("secret", "text")), tmp_path / "plain"
    assert is_encrypted(source)
    decrypt(source, target, "secret")
    assert target.read_bytes()[:2] == b"PK"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize("password", [None, "", "hunter2"])
def test_no_or_a_wrong_password_is_named(tmp_path: Path, password: str | None) -> None:
    source = _file(tmp_path, encrypted_docx("secret", "text"))
    with pytest.raises(EncryptedDocument, match=r"a\.docx") as raised:
        decrypt(source, tmp_path / "plain", password)
    assert "hunter2" not in raised.value.message
    assert not (tmp_path / "plain").exists()


def test_what_excel_opens_without_asking_opens(tmp_path: Path) -> None:
    source = _file(tmp_path, encrypted_docx("VelvetSweatshop", "text"))
    decrypt(source, tmp_path / "plain", None)
    assert (tmp_path / "plain").read_bytes()[:2] == b"PK"


def test_open_and_broken_files_count_as_open(tmp_path: Path) -> None:
    assert not is_encrypted(_file(tmp_path, docx_of("x")))
    assert not is_encrypted(_file(tmp_path, bytes.fromhex("d0cf11e0a1b11ae1") + b"\xff" * 1500))


def test_a_damaged_encrypted_file_is_named(tmp_path: Path) -> None:
    data = encrypted_docx("secret", "text")
    with pytest.raises(EncryptedDocument):
        decrypt(_file(tmp_path, data[: len(data) // 2]), tmp_path / "plain", "secret")


def test_encryption_of_another_kind_is_not_answered_by_asking_for_the_password(tmp_path: Path) -> None:
    source = _file(tmp_path, encrypted_docx("secret", "text"))
    with olefile.OleFileIO(source, write_mode=True) as ole:
        info = ole.openstream("EncryptionInfo").read()
        ole.write_stream("EncryptionInfo", info.replace(b'keyBits="256"', b'keyBits="160"'))
    with pytest.raises(EncryptedDocument, match="in a way that cannot be opened here") as raised:
        decrypt(source, tmp_path / "plain", "secret")
    assert "without a password" in raised.value.remedy


@pytest.mark.parametrize("name", ["docx/example_password.docx", "ppt/rc4cryptoapi_password.ppt"])
def test_real_documents(corpora: Path, tmp_path: Path, name: str) -> None:
    source = corpora / "documents" / name
    assert is_encrypted(source)
    decrypt(source, tmp_path / "plain", "Password1234_")
    assert not is_encrypted(tmp_path / "plain")
