"""Which credentials the engines `bedrock` and `openai` would find; no request is made, no secret shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from drac.records import Health

_AWS_REMEDY = (
    "Only for --engine bedrock: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY, or run `aws configure`."
)
_REGION_REMEDY = "Only for --engine bedrock: set AWS_REGION."
_OPENAI_REMEDY = (
    "Only for --engine openai: set OPENAI_API_KEY, and OPENAI_BASE_URL for a server of your own "
    "(any key will do for one that asks none)."
)
_PROFILE_KINDS = {
    "aws_access_key_id": "an access key",
    "sso_session": "single sign-on",
    "sso_start_url": "single sign-on",
    "role_arn": "a role",
    "credential_process": "a credential process",
    "web_identity_token_file": "a web identity",
    "login_session": "a login session",
}
"""What a profile of the AWS configuration holds, by the setting that tells; the first wins."""


def health(environ: Mapping[str, str] | None = None) -> list[Health]:
    """One line for AWS and one for OpenAI-compatible servers: present or not, never a value.

    A `warning` where they are absent, since engine `local` needs none. A role of the machine itself
    (EC2) is not asked for: that would be a network call.
    """
    environ = os.environ if environ is None else environ
    return [aws(environ, _profile(environ)), openai(environ)]


def aws(environ: Mapping[str, str], profile: Mapping[str, Any]) -> Health:
    """Health of the AWS credentials from the environment and the chosen profile's settings."""
    name = "AWS credentials"
    found = _aws_source(environ, profile)
    if found is None:
        return Health(name, "warning", "none in the environment or the AWS configuration", _AWS_REMEDY)
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or profile.get("region")
    if not region:
        return Health(name, "warning", f"{found}, but no region", _REGION_REMEDY)
    return Health(name, "ok", f"{found}, region {region} (not tried)")


def openai(environ: Mapping[str, str]) -> Health:
    """Health of the key for OpenAI-compatible servers, from the environment."""
    name = "OpenAI credentials"
    server = _host(environ.get("OPENAI_BASE_URL", ""))
    if not environ.get("OPENAI_API_KEY"):
        return Health(name, "warning", f"OPENAI_API_KEY is not set (server: {server})", _OPENAI_REMEDY)
    return Health(name, "ok", f"OPENAI_API_KEY is set, server: {server} (not tried)")


def _aws_source(environ: Mapping[str, str], profile: Mapping[str, Any]) -> str | None:
    if environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        return "a Bedrock key in the environment"
    if environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY"):
        return "an access key in the environment"
    kind = next((what for key, what in _PROFILE_KINDS.items() if profile.get(key)), None)
    if kind is not None:
        return f"{kind} in the AWS configuration"
    if environ.get("AWS_WEB_IDENTITY_TOKEN_FILE"):
        return "a web identity in the environment"
    container = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")
    return "a container's role" if any(environ.get(key) for key in container) else None


def _profile(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """The chosen profile's settings; empty where there is none or the files cannot be read."""
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    chosen = environ.get("AWS_PROFILE") or environ.get("AWS_DEFAULT_PROFILE") or "default"
    try:
        profiles: Mapping[str, Mapping[str, Any]] = Session().full_config["profiles"]
    except BotoCoreError:
        return {}
    return profiles.get(chosen, {})


def _host(url: str) -> str:
    """Host and port only: an address may carry a password or a token."""
    if not url:
        return "the default"
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that is not valid"
    return f"{parts.hostname}{port}" if parts.hostname else "an address that is not valid"
