"""Runs a command and ends with the exit code that DESIGN section 5 documents."""

from __future__ import annotations

import logging
import os
import signal
import sys
from types import FrameType

import typer
from typer.exceptions import TyperException

from drac.errors import DracError, Interrupted, UsageError
from drac.store.files import full_disk, no_space

log = logging.getLogger(__name__)


def main() -> None:
    """Entry point of `drac`."""
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns its exit code."""
    from drac.cli.commands import app

    try:
        code = int(app(args=arguments, prog_name="drac", standalone_mode=False) or 0)
        sys.stdout.flush()
        return _interrupted() if code == Interrupted.exit_code else code
    except typer.Exit as error:
        return _interrupted() if error.exit_code == Interrupted.exit_code else error.exit_code
    except TyperException as error:
        return _complain(UsageError(_words(error))) if _words(error) else UsageError.exit_code
    except (KeyboardInterrupt, typer.Abort, Interrupted):
        return _interrupted()
    except BrokenPipeError:
        return _nobody_reads()
    except SystemExit as error:  # typer's answer to a closed pipe
        if isinstance(error.__context__, BrokenPipeError):
            return _nobody_reads()
        raise
    except DracError as error:
        return _complain(error)
    except Exception as error:
        return _unexpected(error)


def _nobody_reads() -> int:
    """The reader of a pipe, such as `head`, has gone: no failure."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _interrupted() -> int:
    return _complain(Interrupted("interrupted; what is finished is kept"))


def _complain(error: DracError) -> int:
    sys.stderr.write(f"drac: {error.message}\n      {error.remedy}\n")
    log.debug("the error above", exc_info=error)
    return error.exit_code


def _unexpected(error: Exception) -> int:
    if full := full_disk(error):
        return _complain(no_space(full.filename or "a file", full))
    log.debug("unexpected error", exc_info=error)
    return _complain(DracError(f"unexpected {type(error).__name__}: {error}"))


def _words(error: Exception) -> str:
    """What is wrong with the command line, as typer says it."""
    say = getattr(error, "format_message", None)
    return str(say() if say else error)


def _terminated(number: int, frame: FrameType | None) -> None:
    # no Exception: libraries catch those, and would tell an end as a failure of their own
    raise KeyboardInterrupt
