"""Credentials are named as present or not; no secret is shown and no network is asked."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from drac.adapters import credentials

SECRET = "s3cr3t-value"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def own_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path


def test_nothing_there_is_a_warning_with_a_remedy() -> None:
    lines = credentials.health({})
    assert [line.state for line in lines] == ["warning", "warning"]
    assert "AWS_ACCESS_KEY_ID" in lines[0].remedy
    assert "OPENAI_API_KEY" in lines[1].remedy


@pytest.mark.parametrize(
    ("environ", "what"),
    [
        ({"AWS_BEARER_TOKEN_BEDROCK": SECRET}, "a Bedrock key"),
        ({"AWS_ACCESS_KEY_ID": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET}, "an access key"),
        ({"AWS_WEB_IDENTITY_TOKEN_FILE": SECRET}, "a web identity"),
        ({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": SECRET}, "a container's role"),
    ],
)
def test_aws_from_the_environment(environ: dict[str, str], what: str) -> None:
    without = credentials.health(environ)[0]
    assert (without.state, without.remedy) == ("warning", "Only for --engine bedrock: set AWS_REGION.")
    found = credentials.health({**environ, "AWS_REGION": "eu-west-1"})[0]
    assert found.state == "ok"
    assert what in found.detail
    assert "eu-west-1" in found.detail
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (f"aws_access_key_id = {SECRET}\naws_secret_access_key = {SECRET}", "an access key"),
        (f"sso_session = {SECRET}", "single sign-on"),
        (f"credential_process = {SECRET}", "a credential process"),
        (f"role_arn = {SECRET}", "a role"),
    ],
)
def test_aws_from_the_configuration(own_files: Path, settings: str, what: str) -> None:
    (own_files / "config").write_text(f"[profile work]\nregion = us-east-1\n{settings}\n")
    found = credentials.health({"AWS_PROFILE": "work"})[0]
    assert (found.state, SECRET in repr(found)) == ("ok", False)
    assert what in found.detail
    assert credentials.health({})[0].state == "warning"


def test_a_damaged_configuration_is_no_crash(own_files: Path) -> None:
    (own_files / "config").write_text("no section at all [[")
    assert credentials.health({})[0].state == "warning"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", "the default"),
        (f"http://user:{SECRET}@localhost:8000/v1?key={SECRET}", "localhost:8000"),
        ("nonsense", "not valid"),
        ("http://host:port/", "not valid"),
    ],
)
def test_openai(url: str, shown: str) -> None:
    found = credentials.health({"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": url})[1]
    assert found.state == "ok"
    assert shown in found.detail
    assert SECRET not in repr(found)
