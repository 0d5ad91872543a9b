"""A corpus by its file, its folder or its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from drac.corpus.description import TOML, Corpus, load_corpus
from drac.errors import UsageError

_CHECKOUT = Path(__file__).resolve().parents[2]


def find_corpus(
    text: str, *, folders: Sequence[Path], root: Path | None = None, corpora: Path | None = None,
    said: str = "corpus",
) -> Corpus:  # fmt: skip
    """A corpus file by path, by its folder, or by the corpus's name under `corpora`.

    Paths and `corpora` are looked for in `folders`, in their order, and the checkout's `corpora` at last;
    `root` and `corpora` as in `load_corpus`. Raises UsageError, which calls the option `said`.
    """
    for toml in _tomls(text, folders):
        if toml.is_file():
            return load_corpus(toml, cwd=folders[0], root=root, corpora=corpora)
    raise UsageError(
        f"{said} {text}: no corpus file there",
        remedy=f"Give a {TOML}, a folder that holds one, or its name.",
    )


def _tomls(text: str, folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (folder / text, folder / text / TOML)
    if Path(text).name == text:
        yield from (place / "corpora" / text / TOML for place in (*folders, _CHECKOUT))
