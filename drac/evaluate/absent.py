"""Judgments of documents and pages that a corpus does not have, such as those of a misspelt name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from drac.mistakes import nearest
from drac.records import Judgment

Pages = Mapping[tuple[str, str], int | None]
"""Number of pages by collection and source; None where it is not known."""
SHOWN = 5
"""Documents and pages that are named, and queries of each."""


def absent(judgments: Iterable[Judgment], pages: Pages) -> list[Judgment]:
    """Those that no chunk can meet: the document is not there, or has fewer pages."""
    return [one for one in judgments if _is_absent(one, pages)]


def _is_absent(one: Judgment, pages: Pages) -> bool:
    key = (one.collection, one.source)
    return key not in pages or one.page > (pages[key] or one.page)


def told(found: Sequence[Judgment], pages: Pages) -> Iterator[str]:
    """What to say of them, in lines, the first SHOWN documents and pages by name; nothing where none is."""
    if not found:
        return
    together: dict[tuple[str, str, int | None], list[str]] = defaultdict(list)
    for one in found:
        there = (one.collection, one.source) in pages
        together[one.collection, one.source, one.page if there else None].append(one.query_id)
    queries = len({one.query_id for one in found})
    yield (
        f"{_counted(len(found), 'judgment')} of {_counted(queries, 'query', 'queries')} cannot be met: "
        "the corpus has no such document or page here"
    )
    for key, names in list(together.items())[:SHOWN]:
        yield f"  {_line(*key, pages)} ({_some(list(dict.fromkeys(names)))})"
    if len(together) > SHOWN:
        yield f"  and {len(together) - SHOWN} more"


def _line(collection: str, source: str, page: int | None, pages: Pages) -> str:
    name = f"{collection}/{source}"
    if page is not None:
        return f"{name}, page {page}: it has {_counted(pages[collection, source] or 0, 'page')}"
    others = [path for other, path in pages if other == collection]
    return f"{name}: no such document{_meant(source, others) or _elsewhere(source, pages)}"


def _meant(source: str, others: Sequence[str]) -> str:
    """The document of that name in another folder, else the one whose path is most like it."""
    same = [one for one in others if _last(one) == _last(source)]
    return (
        nearest(source, same) or nearest(source, others) or (f"; did you mean `{same[0]}`?" if same else "")
    )


def _last(path: str) -> str:
    return PurePosixPath(path).name.casefold()


def _elsewhere(source: str, pages: Pages) -> str:
    found = next((collection for collection, path in pages if path == source), None)
    return f"; the collection {found!r} has one" if found is not None else ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or f'{one}s'}"
