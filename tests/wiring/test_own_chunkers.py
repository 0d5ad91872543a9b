"""A user's own chunker: functions, classes, entry points, and errors that name them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any, cast

import pytest
from fakes_documents import DOCUMENTS, covered, faults, inked, parsed, texts
from fakes_retrieval import LetterEmbedder
from hypothesis import given, settings

from drac.config import Settings
from drac.errors import UsageError
from drac.ports import Chunked, Draft, ParsedDocument
from drac.stages.chunk.strategies.found import Finder
from drac.stages.chunk.strategies.own import CheckedChunker, FunctionChunker
from drac.wiring import registry
from drac.wiring.registry import ChunkerContext, chunker, load

CONTEXT = ChunkerContext(Settings(), LetterEmbedder)
MODULE = """
from drac.ports import Chunked, Draft

def lines(text, least=1):
    return [one for one in text.split("\\n") if len(one) >= least]

def spaced(text):
    return [" ".join(one.split()) for one in text.split("\\n\\n")] + ["This stands nowhere."]

def spans(text):
    return [(0, 5), [5, len(text)]]

def beyond(text):
    return [(0, len(text) + 1)]

def numbers(text):
    return [1, 2]

def breaks(text):
    raise ValueError("no luck")

class Halves:
    name = "halves (own)"
    fingerprint = {"by": "half"}
    def __init__(self, at=2):
        self.at = at
    def chunk(self, document):
        middle = len(document.text) // self.at
        return Chunked((Draft(((0, middle),)), Draft(((middle, len(document.text)),))))

class Backwards:
    def chunk(self, document):
        return Chunked((Draft(((3, 4), (0, 1))),))

class Wrong:
    def chunk(self, document):
        return ["text"]
"""
TEXT = "First line  here.\nSecond line.\n\nThird one."


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module in the current folder."""
    (tmp_path / "own_chunkers_of_test.py").write_text(MODULE, "utf-8")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    yield "own_chunkers_of_test"
    assert sys.path == before
    sys.modules.pop("own_chunkers_of_test", None)


def test_strings_are_found_again(module: str) -> None:
    document = parsed(TEXT)
    made = chunker(f"{module}:lines", {"least": 5}, CONTEXT).chunk(document)
    assert [document.text[slice(*one.spans[0])] for one in made.drafts] == [
        "First line  here.", "Second line.", "Third one."
    ]  # fmt: skip
    assert all(one.text is None for one in made.drafts)
    assert made.counts == {"invented": 0}


def test_white_space_may_differ_and_what_is_not_there_is_counted(module: str) -> None:
    document = parsed(TEXT)
    made = chunker(f"{module}:spaced", {}, CONTEXT).chunk(document)
    assert texts(document, made) == [
        "First line here. Second line.", "Third one.", "This stands nowhere."
    ]  # fmt: skip
    assert [one.spans for one in made.drafts] == [((0, 30),), ((32, 42),), ()]
    assert made.counts == {"invented": 1}


def test_a_function_may_give_stretches(module: str) -> None:
    document = parsed(TEXT)
    made = chunker(f"{module}:spans", {}, CONTEXT).chunk(document)
    assert [one.spans for one in made.drafts] == [((0, 5),), ((6, 42),)]


def test_a_class_takes_options_and_names_itself(module: str) -> None:
    own = chunker(f"{module}:Halves", {"at": 2}, CONTEXT)
    assert own.name == "halves (own)"
    assert own.fingerprint["own by"] == "half"
    assert len(own.chunk(parsed(TEXT)).drafts) == 2


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("beyond", "the text has 42 characters"),
        ("numbers", "neither a string nor a stretch"),
        ("breaks", "ValueError: no luck"),
        ("Backwards", "not ascending"),
        ("Wrong", "it returned list"),
    ],
)
def test_what_is_wrong_names_function_and_document(module: str, function: str, said: str) -> None:
    own = chunker(f"{module}:{function}", {}, CONTEXT)
    with pytest.raises(UsageError, match=said) as caught:
        own.chunk(parsed(TEXT, source="some folder/a.pdf"))
    assert f"{module}:{function}" in caught.value.message
    assert "c/some folder/a.pdf" in caught.value.message


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("absent", {}, "AttributeError"),
        ("lines", {"most": 1}, "most"),
        ("Halves", {"most": 1}, "most"),
        ("MODULE_CONSTANT", {}, "AttributeError"),
        ("Chunked.drafts", {}, "neither a function"),
    ],
)
def test_what_cannot_be_made_is_named(module: str, name: str, options: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        chunker(f"{module}:{name}", options, CONTEXT)
    assert f"{module}:{name}" in caught.value.message


def test_a_change_of_the_module_changes_the_fingerprint(module: str, tmp_path: Path) -> None:
    before = chunker(f"{module}:lines", {}, CONTEXT).fingerprint
    (tmp_path / f"{module}.py").write_text(MODULE + "\n# changed\n", "utf-8")
    assert chunker(f"{module}:lines", {}, CONTEXT).fingerprint != before


def test_an_entry_point_is_found_by_its_name(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("by-lines", f"{module}:lines", "drac.chunkers")])
    monkeypatch.setattr(registry, "entry_points", points.select)
    with registry.modules_in(Path.cwd()):
        made = chunker("by-lines", {}, CONTEXT)
        assert made.name == "by-lines"
        assert load("chunkers", "by-lines").module == module
    with pytest.raises(UsageError, match="no such name") as caught:
        chunker("by-words", {}, CONTEXT)
    assert "by-lines" in caught.value.remedy


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_any_split_is_found_again(document: ParsedDocument) -> None:
    """Cut at every sentence end, with the white space lost."""
    own = FunctionChunker("own", lambda text: [" ".join(one.split()) for one in text.split(".")], {})
    made = own.chunk(document)
    assert not list(faults(document, made.drafts))
    assert made.counts == {"invented": 0}
    dots = {at for at, one in enumerate(document.text) if one == "."}
    assert inked(document) - dots <= covered(document, made.drafts) | dots


def test_overlapping_and_repeated_strings_have_their_own_places() -> None:
    finder = Finder("ab ab abc")
    assert [finder.find(one) for one in ("ab", "ab", "abc", "bc", "a b", "x", " ")] == [
        (0, 2), (3, 5), (6, 9), (7, 9), (0, 2), None, None
    ]  # fmt: skip


class Returning:
    """A chunker that returns what it was given, whatever that is."""

    def __init__(self, returned: Any) -> None:
        self.returned = returned

    def chunk(self, document: ParsedDocument) -> Any:
        return self.returned


WHOLE = Draft(((0, 5),))


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (Chunked((cast(Draft, None),)), "draft 0: it is NoneType"),
        (Chunked(cast(Any, iter([WHOLE]))), "not a tuple"),
        (Chunked((Draft(cast(Any, ((0.0, 5.0),))),)), "ascending"),
        (Chunked((Draft(cast(Any, (("0", "5"),))),)), "ascending"),
        (Chunked((Draft(((False, True),)),)), "ascending"),
        (Chunked((Draft(cast(Any, None)),)), "ascending"),
        (Chunked((Draft(((0, 5),), text=cast(Any, 5)),)), "its text is int"),
        (Chunked((Draft(((0, 5),), breadcrumb=cast(Any, (1, None))),)), "breadcrumb"),
        (Chunked((Draft(((0, 5),), parent=0),)), "its own parent"),
        (Chunked((WHOLE, Draft(((0, 2),), parent=2), Draft(((2, 4),), parent=1))), "its own parent"),
        (Chunked((WHOLE,), usage=cast(Any, None)), "usage"),
        (Chunked((WHOLE,), counts=cast(Any, {"odd": float("nan")})), "counts"),
    ],
)
def test_what_no_chunk_can_be_made_of_is_named(returned: Chunked, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        CheckedChunker("mine", Returning(returned), {}).chunk(parsed("A text."))
    assert said in raised.value.message


def test_parents_over_several_levels_are_no_circle() -> None:
    made = Chunked(
        (WHOLE, Draft(((0, 4),), parent=0), Draft(((0, 2),), parent=1), Draft(((2, 4),), parent=1))
    )
    assert CheckedChunker("mine", Returning(made), {}).chunk(parsed("A text.")) is made


def test_a_function_that_ends_the_program_is_named() -> None:
    with pytest.raises(UsageError, match="SystemExit"):
        FunctionChunker("mine", sys.exit, {}).chunk(parsed("A text."))
