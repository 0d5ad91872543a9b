"""The second reader is always of another kind, and a sample is the same in every run."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from drac.config import ConvertSettings
from drac.pipeline.second_reader import is_sampled, second_readers
from drac.records import Page, PageState, PageText


def _page(method: str, state: PageState = PageState.OK) -> PageText:
    return PageText(Page("p", 1), state, "text", "local", method)


def _recipe(engine: str, ocr: str = "auto", dpi: int = 200) -> dict[str, Any]:
    return {"settings": {"engine": engine, "ocr": ocr, "ocr_dpi": dpi}}


def _asked(method: str, recipe: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one.ocr, one.ocr_dpi) for one in second_readers(_page(method), recipe)]


def test_the_rule() -> None:
    assert _asked("image", _recipe("bedrock")) == [("auto", 200), ("always", 200)]
    assert _asked("text-layer", _recipe("local")) == [("always", 200)]
    assert _asked("ocr", _recipe("local")) == [("always", 300)]
    assert _asked("ocr", _recipe("local", "always")) == [("auto", 200), ("always", 300)]
    assert _asked("ocr", _recipe("openai")) == [("auto", 200), ("always", 300)]
    assert _asked("ocr", _recipe("local", dpi=300)) == [("always", 200)]


def test_nobody_is_asked_about_pages_without_text() -> None:
    for state in (PageState.BLANK, PageState.FAILED):
        assert second_readers(_page("image", state), _recipe("bedrock")) == ()


def test_the_second_reader_is_always_the_engine_local() -> None:
    every = [second_readers(_page(one), _recipe("bedrock")) for one in ("image", "ocr", "text-layer")]
    assert all(one.engine == ConvertSettings().engine == "local" for readers in every for one in readers)


@given(st.integers(0, 16**64 - 1), st.floats(0, 1), st.floats(0, 1))
def test_a_page_of_a_sample_is_in_every_larger_one(number: int, share: float, other: float) -> None:
    digest, page = f"{number:064x}", _page("text-layer")
    small, large = sorted((share, other))
    assert is_sampled(page, digest, large) >= is_sampled(page, digest, small)
    assert is_sampled(page, digest, 1.0) and not is_sampled(page, digest, 0.0)
    assert is_sampled(_page("ocr"), digest, 0.0) and is_sampled(_page("image"), digest, 0.0)


def test_a_sample_has_about_its_share_of_pages() -> None:
    import hashlib

    names = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(4000)]
    found = sum(is_sampled(_page("text-layer"), name, 0.05) for name in names)
    assert 150 < found < 250
