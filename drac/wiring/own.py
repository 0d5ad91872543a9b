"""A user's own chunker: a function, a class or an object, by what `registry.load` found."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from drac.errors import UsageError
from drac.ports import Chunker
from drac.stages.chunk.strategies.own import CheckedChunker, FunctionChunker
from drac.wiring.registry import Loaded


def own_chunker(loaded: Loaded, options: Mapping[str, Any]) -> Chunker:
    """Options go to the class, or with the text to the function; raises UsageError where they do not fit.

    The fingerprint holds the sha256 of the module's file: a change of it makes new chunks. Modules that
    it imports are not looked at.
    """
    made = _made(loaded, options)
    code = fingerprint(loaded)
    if not hasattr(made, "chunk"):
        if not callable(made):
            raise _wrong(loaded, f"{type(made).__name__} is neither a function nor has it a method `chunk`")
        return FunctionChunker(loaded.name, _with(loaded, made, options), code)
    own = {f"own {key}": str(value) for key, value in dict(getattr(made, "fingerprint", {})).items()}
    name = str(getattr(made, "name", loaded.name))
    return CheckedChunker(name, made, {**code, **own}, getattr(made, "embedder", None))


def fingerprint(loaded: Loaded) -> dict[str, str]:
    """Names what a name stood for: its module's file, or the distribution's version."""
    path = getattr(sys.modules.get(loaded.module), "__file__", None)
    code = sha256(Path(path).read_bytes()).hexdigest() if path and Path(path).is_file() else "unknown"
    return {"strategy": loaded.name, "module": loaded.module, "code": code, "version": loaded.version}


def _made(loaded: Loaded, options: Mapping[str, Any]) -> Any:
    if not inspect.isclass(loaded.found):
        if options and hasattr(loaded.found, "chunk"):
            raise _wrong(loaded, "an object that is made already takes no options")
        return loaded.found
    try:
        return loaded.found(**options)
    except Exception as error:  # whatever the user's class raises
        raise _wrong(loaded, f"{type(error).__name__}: {error}") from error


def _with(loaded: Loaded, function: Any, options: Mapping[str, Any]) -> Any:
    try:
        inspect.signature(function).bind("", **options)
    except TypeError as error:
        raise _wrong(loaded, str(error)) from error
    except ValueError:  # a function of C tells no signature
        pass
    return partial(function, **options)


def _wrong(loaded: Loaded, why: str) -> UsageError:
    return UsageError(
        f"chunker `{loaded.name}`: {why}",
        remedy="Give a function of the text, a class with `chunk(document)`, and options that it takes.",
    )
