import numpy as np

from drac.adapters.ink import gaps_of, glyph_spans, ink_columns, with_spaces


def line(*glyphs: tuple[int, int]) -> np.ndarray:
    image = np.full((40, 200, 3), 250, np.uint8)
    for start, end in glyphs:
        image[10:30, start:end] = 20
    return image


def spans(text: str, seen: list[float], *glyphs: tuple[int, int]) -> list[tuple[float, float]]:
    return glyph_spans(text, seen, gaps_of(ink_columns(line(*glyphs))), 200)


def test_characters_stand_where_their_ink_does() -> None:
    found = spans("ab c", [15, 31, 0, 72], (10, 20), (24, 40), (60, 80))
    assert found == [(10, 20), (24, 40), (40, 60), (60, 80)]


def test_light_print_on_dark_has_the_same_places() -> None:
    image = 255 - line((10, 20), (24, 40))
    assert gaps_of(ink_columns(image)) == gaps_of(ink_columns(line((10, 20), (24, 40))))


def test_characters_that_touch_are_parted_in_the_middle() -> None:
    assert spans("rn", [14, 26], (10, 30)) == [(10, 20), (20, 30)]


def test_a_space_that_the_recogniser_left_out_is_put_in() -> None:
    text, seen = "ofthe", [12.0, 22.0, 62.0, 72.0, 82.0]
    glyphs = ((8, 16), (18, 26), (58, 66), (68, 76), (78, 86))
    assert with_spaces(text, spans(text, seen, *glyphs), 40) == [2]
    assert with_spaces("東京は今日", spans("東京は今日", seen, *glyphs), 40) == []


def test_print_with_wide_letter_spacing_stays_together() -> None:
    glyphs = ((10, 20), (35, 45), (60, 70), (85, 95))
    assert with_spaces("WIDE", spans("WIDE", [15, 40, 65, 90], *glyphs), 40) == []
