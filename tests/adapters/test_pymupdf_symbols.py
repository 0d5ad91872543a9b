"""Private-use characters of symbol fonts."""

from __future__ import annotations

from typing import Any

import pytest

from drac.adapters.pymupdf_symbols import read_symbols


def read(*spans: tuple[str, str]) -> str:
    parts: list[dict[str, Any]] = [{"font": font, "chars": [{"c": c} for c in text]} for font, text in spans]
    read_symbols([{"type": 1}, {"type": 0, "lines": [{"spans": parts}]}])
    return "".join(glyph["c"] for part in parts for glyph in part["chars"])


@pytest.mark.parametrize(
    ("font", "private", "shown"),
    [
        ("SymbolMT", "\uf0b7\uf061\uf0a3\uf057", "•α≤Ω"),
        ("ABCDEF+Wingdings-Regular", "\uf0a7\uf0fc\uf0d8\uf06c\uf0fe", "▪✓➢●☑"),
        ("Wingdings2", "\uf052\uf0a3", "☑□"),
        ("Symbol", "\uf094\uf020\uf0ff", "□ □"),
        ("Webdings", "\uf061", "□"),
        ("Garamond-Subset", "\uf041", "\uf041"),
        ("Symbol", "\ue000x", "\ue000x"),
    ],
)
def test_each_font_has_its_own_meaning(font: str, private: str, shown: str) -> None:
    assert read((font, private)) == shown


def test_what_opens_a_line_of_opensymbol_is_a_bullet_and_else_a_symbol() -> None:
    assert read(("OpenSymbol", "\uf0d8"), ("Arial", " a "), ("OpenSymbol", "\uf0d8")) == "➢ a ¬"
    assert read(("OpenSymbol", "\uf06e"), ("Arial", " = "), ("OpenSymbol", "\uf06e")) == "■ = ν"
    assert read(("Arial", "a "), ("OpenSymbol", "\uf0b7\uf0a8\uf0fc")) == "a •◻✓"
