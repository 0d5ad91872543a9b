"""Answers one request in another environment's Python: `python -I worker.py NAME`.

The first line of standard input is JSON: `out`, and `versions`, or `pdf`, `ranges` (pairs of 1-based pages)
and `options`. The file `out` gets JSON: the versions by package, none where the parser is not there; or
a list of results, a document each. The work ends with standard input, so as not to outlive who asked.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def main(name: str) -> None:
    """One request to the parser `name`."""
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    parser = importlib.import_module(f"run_{name}")
    if asked.get("versions"):
        answer: Any = _versions(parser.PACKAGES) if find_spec(name) else {}
    else:
        answer = parser.parse(asked["pdf"], asked["ranges"], asked["options"])
    Path(asked["out"]).write_text(json.dumps(answer), encoding="utf-8")


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(1)


def filled(stated: Any) -> Any:
    """Settings with `$NAME` in texts replaced from the environment: keys stand in no file and no digest."""
    if isinstance(stated, str):
        return os.path.expandvars(stated)
    if isinstance(stated, dict):
        return {name: filled(value) for name, value in stated.items()}
    return [filled(value) for value in stated] if isinstance(stated, list) else stated


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Of those that are there."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    main(sys.argv[1])
