"""PageText records of readers that hand over a page's Markdown and nothing else."""

from __future__ import annotations

from drac.errors import DracError
from drac.records import Attempt, Page, PageState, PageText


def read_page(
    page: Page, markdown: str, engine: str, *, method: str = "text-layer", ink: bool = True, note: str = ""
) -> PageText:
    """What `engine` read on the page; a page without text and without ink is blank."""
    text = markdown.strip()
    state = PageState.OK if text or ink else PageState.BLANK
    notes = (note,) if note else ()
    return PageText(page, state, text, engine, method, notes=notes, attempts=(Attempt(engine, "ok"),))


def failed_page(page: Page, engine: str, reason: str) -> PageText:
    """A page without text, and why."""
    return PageText(page, PageState.FAILED, "", engine, attempts=(Attempt(engine, reason),))


def no_such_page(page: Page, engine: str, count: int) -> PageText:
    """A page that the document does not have."""
    return failed_page(page, engine, f"there is no page {page.number}; the document has {count}")


def one_line(error: BaseException, folder: str = "") -> str:
    """What went wrong, without the path of the working folder in which the document lies."""
    said = error.message if isinstance(error, DracError) else f"{type(error).__name__}: {error}"
    first = said.splitlines()[0] if said else type(error).__name__
    return first.replace(f"{folder}/", "") if folder else first
