"""What both model adapters share on the wire: which endpoint it is, and whether it may be asked at all."""

from __future__ import annotations

import http.client
import json
import os
import threading
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

from drac.errors import EngineUnavailable, UsageError

FORBID = "DRAC_FORBID_PAID_MODELS"
"""Environment variable; with any value but an empty one, only servers on this machine are asked."""
SIMULATED_PATH = "/drac-simulated"
"""Where a server that only plays a model says so."""
_PROBE_SECONDS = 5.0


def split_url(url: str) -> SplitResult:
    """Parts of an http(s) URL; raises UsageError for anything else."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            f"{url!r} is not the address of a server", remedy="Give it as http://host:port/path, or https."
        )
    return parts


def public_url(url: str) -> str:
    """The URL without user, password, query and closing slash: fit for digests, messages and files."""
    parts = split_url(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    place = f"{host}:{parts.port}" if parts.port else str(host)
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine by its very name: `localhost`, 127.0.0.0/8 or ::1.

    No name is looked up: what another name resolves to may change between this check and the request.
    """
    host = (split_url(url).hostname or "").rstrip(".")
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def forbid_paid(url: str) -> None:
    """Raise EngineUnavailable where the switch is set and the URL is not on this machine."""
    if os.environ.get(FORBID) and not is_loopback(url):
        raise EngineUnavailable(
            f"{FORBID} is set and {split_url(url).hostname} is not this machine; nothing was sent",
            remedy=f"Unset {FORBID} to let requests leave this machine.",
        )


class Simulation:
    """Whether the server at a URL says that it only plays a model.

    Asked once, when first needed, and of a loopback host only. A server that does not answer is not
    taken for a real one: its replies would enter the wrong journal.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._answer: bool | None = None if is_loopback(url) else False

    def __call__(self) -> bool:
        """Raises EngineUnavailable where nothing answers."""
        with self._lock:
            if self._answer is None:
                self._answer = self._ask()
            return self._answer

    def _ask(self) -> bool:
        try:
            status, body = self._get()
        except (OSError, http.client.HTTPException) as error:
            raise EngineUnavailable(
                f"no server answers at {public_url(self._url)}: {error}",
                remedy="Start the server, or give another address, then run again.",
            ) from error
        return status == 200 and _says_simulated(body)

    def _get(self) -> tuple[int, bytes]:
        # http.client rather than urllib: it follows no redirect and asks no proxy
        parts = split_url(self._url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(str(parts.hostname), parts.port, timeout=_PROBE_SECONDS)
        try:
            connection.request("GET", SIMULATED_PATH)
            response = connection.getresponse()
            return response.status, response.read(1000)
        finally:
            connection.close()


def _says_simulated(body: bytes) -> bool:
    try:
        answer = json.loads(body)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("simulated") is True
