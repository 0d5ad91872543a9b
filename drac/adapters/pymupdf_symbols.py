"""Private-use characters of symbol fonts to the Unicode characters that they show.

Symbol after Adobe's `symbol.txt`, Wingdings after the Unicode Standard's own names for its glyphs. Fonts of
other names keep theirs: there U+F041 is as likely a letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BLANK = "□"
"""Stands for a symbol that has no known character."""


def _table(rows: Mapping[int, str]) -> dict[int, str]:
    """Code to character; a space in a row is a code without a character."""
    return {first + at: one for first, row in rows.items() for at, one in enumerate(row) if one != " "}


_SYMBOL = {0x20: " "} | _table(
    {
        0x21: "!∀#∃%&∋()∗+,−./0123456789:;<=>?",
        0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
        0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈… —↵",
        0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
        0xE0: "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
    }
)
_WINGDINGS = {0x20: " "} | _table(
    {
        0x22: "✂✁", 0x28: "☎✆✉", 0x36: "⌛", 0x3E: "✇✍", 0x41: "✌", 0x45: "☜☞☝☟", 0x4A: "☺ ☹ ☠",
        0x51: "✈☼ ❄ ✞ ✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓", 0x6C: "●❍■□□❑❒⬧⧫◆❖⬥⌧⍓⌘", 0x7D: "❝❞",
        0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", 0x9E: "·•▪○○○◉◎○▪◻ ✦★✶✴✹✵", 0xB1: "⌖⟡⌑ ✪✰",
        0xD5: "⌫⌦ ➢   ➲  ←→↑↓↖↗↙↘ ➔", 0xEF: "⇦⇨⇧⇩⬄⇳", 0xFB: "✗✓☒☑",
    }
)  # fmt: skip
_WINGDINGS_2 = _table({0x4F: "✗✓☒☑☒☒", 0x97: "●•", 0xA3: "□"})
_WINGDINGS_3 = _table({0x7D: "▶"})
_TICKS = {code: _WINGDINGS[code] for code in (0x9F, 0xA7, 0xA8, 0xFB, 0xFC, 0xFD, 0xFE)}
_OPEN = _SYMBOL | _TICKS
"""OpenSymbol stands in for any of them and keeps their codes; what opens a line is a bullet of Wingdings."""
_OPENING = {**_WINGDINGS, 0xB7: "•"}
_FONTS: tuple[tuple[str, Mapping[int, str]], ...] = (
    ("wingdings2", _WINGDINGS_2), ("wingdings3", _WINGDINGS_3), ("wingdings", _WINGDINGS),
    ("opensymbol", _OPEN), ("webdings", {}), ("symbol", _SYMBOL),
)  # fmt: skip


def read_symbols(blocks: Sequence[dict[str, Any]]) -> None:
    """Put Unicode's characters in the place of private ones, in MuPDF's blocks."""
    for line in (line for block in blocks for line in block.get("lines", ())):
        opens = True
        for table, glyph in _glyphs(line):
            if table is not None and "\uf020" <= glyph["c"] <= "\uf0ff":
                meant = _OPENING if opens and table is _OPEN else table
                glyph["c"] = meant.get(ord(glyph["c"]) - 0xF000, _BLANK)
            opens = opens and glyph["c"].isspace()


def _glyphs(line: Mapping[str, Any]) -> Iterator[tuple[Mapping[int, str] | None, dict[str, Any]]]:
    """The line's glyphs, each with its font's table; None for a font that is none of symbols."""
    for span in line["spans"]:
        table = _table_of(span["font"])
        for glyph in span["chars"]:
            yield table, glyph


def _table_of(font: str) -> Mapping[int, str] | None:
    """By the font's name, subset's tag and style aside."""
    name = font.rpartition("+")[2].casefold().replace(" ", "").replace("-", "")
    return next((table for start, table in _FONTS if name.startswith(start)), None)
