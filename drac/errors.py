"""The tree of errors; each class owns its exit code and says what to do next.

    DracError                 1  unexpected
    ├── UsageError            2  the command cannot be meant this way
    │   └── MissingExtra      2  an optional package is needed
    ├── NothingUsable         3  no document in the input could be used
    ├── DocumentError         4  one document is named and skipped; its neighbours finish
    │   ├── EmptyDocument     4  no bytes, or no pages
    │   ├── CorruptDocument   4  damaged, or not what its name says
    │   ├── EncryptedDocument 4  needs a password
    │   ├── UnsupportedType   4  no converter for this type
    │   ├── LimitExceeded     4  too large, too long or too slow
    │   ├── WorkerDied        4  the process that worked on it was killed or crashed
    │   └── PageError         4  one page could not be read
    ├── ModelError            4  one request to a model did not give a usable reply
    │   ├── ModelBusy         4  transient: throttled, timed out; the same request may pass later
    │   └── RequestRejected   4  this request will never pass as it is: too large, not valid
    ├── BudgetReached         5  --max-usd would be passed; resumable
    ├── EngineUnavailable     6  credentials, server, LibreOffice; resumable
    │   ├── ConverterUnavailable 6  LibreOffice or its bridge is missing or does not start
    │   └── DiskFull          6  no space left for the workspace
    └── WorkspaceBusy         6  another process writes to this workspace
    Interrupted             130  Ctrl-C or SIGTERM; resumable

A command ends with the first that applies of 130, 1, 2, 6, 5, 3, 4, 0.
"""

from __future__ import annotations

EXIT_ORDER = (130, 1, 2, 6, 5, 3, 4, 0)
"""Exit codes in the order in which they win over each other."""


class DracError(Exception):
    """Base of all errors that D-RAC raises on purpose.

    `message` says what happened to which document and page, `remedy` what the reader can do.
    """

    exit_code = 1
    remedy = "Run again with -v and report the log."

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if remedy is not None:
            self.remedy = remedy


class UsageError(DracError):
    """The command line or a configuration file cannot be meant this way."""

    exit_code = 2
    remedy = "See `drac --help`."


class MissingExtra(UsageError):
    """A command needs a package that an extra of ours would install."""

    def __init__(self, what: str, extra: str, *, remedy: str = "") -> None:
        super().__init__(
            f"{what} needs the extra '{extra}'",
            remedy=remedy or f"Install it with: pip install 'drac[{extra}]'",
        )
        self.extra = extra


class NothingUsable(DracError):
    """No document in the input could be used."""

    exit_code = 3
    remedy = "Give files or folders that hold documents of a supported type."


class DocumentError(DracError):
    """One document cannot be used; the run goes on without it."""

    exit_code = 4
    remedy = "Repair or replace the document, then run again."

    def __init__(self, message: str, *, remedy: str | None = None, lasting: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.lasting = lasting
        """Whether it took long to find out and will be so next time: a rerun leaves the document out."""


class EmptyDocument(DocumentError):
    """A document of no bytes or no pages."""

    remedy = "Replace the file; it holds nothing."


class CorruptDocument(DocumentError):
    """A document that is damaged, or that is not what its name says."""

    remedy = "Open it in its own program, save it anew, then run again."


class EncryptedDocument(DocumentError):
    """A document that opens with a password only."""

    remedy = "Give the password with --password."


class UnsupportedType(DocumentError):
    """A document of a type that no converter reads."""

    remedy = "Save it as PDF and give that."


class LimitExceeded(DocumentError):
    """A document past a documented limit of size, pages, time or memory."""

    remedy = "Split the document, or raise the limit."


class WorkerDied(DocumentError):
    """The worker process ended in the middle: a crash, or the system killed it for memory."""

    remedy = "Run again with fewer --workers if memory is short; else repair or replace the document."


class PageError(DocumentError):
    """One page could not be read."""

    remedy = "Run again with --retry failed, or with another --engine."


class ModelError(DracError):
    """One request to a model did not give a usable reply."""

    exit_code = 4
    remedy = "Run again with --retry failed, or with another --model."


class ModelBusy(ModelError):
    """Transient: the same request may pass later."""

    def __init__(
        self,
        message: str,
        *,
        throttled: bool = False,
        retry_after: float | None = None,
        maybe_billed: bool = False,
        gone: bool = False,
    ) -> None:
        super().__init__(message)
        self.throttled = throttled
        """Whether the server asked for fewer requests."""
        self.retry_after = retry_after
        """Seconds that the server asked to wait, or None."""
        self.maybe_billed = maybe_billed
        """Whether the server may have done the work, as after a read timeout."""
        self.gone = gone
        """Whether nobody listens where a server answered before."""


class RequestRejected(ModelError):
    """This request will never pass as it is."""

    def __init__(self, message: str, *, too_large: bool = False, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.too_large = too_large
        """Whether smaller images or fewer of them may pass."""


class BudgetReached(DracError):
    """The next request could pass --max-usd."""

    exit_code = 5
    remedy = "Run again with a higher --max-usd; what is finished is kept."


class EngineUnavailable(DracError):
    """Something that the whole run needs is not there; what is finished is kept."""

    exit_code = 6
    remedy = "Run `drac doctor`, mend what it names, then run again."


class ConverterUnavailable(EngineUnavailable):
    """LibreOffice or its Python bridge is missing or does not start."""

    remedy = "Install LibreOffice and python3-uno (see `drac doctor`), then run again."


class DiskFull(EngineUnavailable):
    """No space is left where the workspace lies."""

    remedy = "Free some space or choose a place on another disk, then run again; finished pages are kept."


class WorkspaceBusy(DracError):
    """Another process writes to this workspace."""

    exit_code = 6
    remedy = "Wait for the other run to end, or choose another --workspace."


class Interrupted(DracError):
    """The user stopped the run; what is finished is kept."""

    exit_code = 130
    remedy = "Run the same command again to go on."
