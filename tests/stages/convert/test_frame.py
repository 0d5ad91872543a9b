"""Boxes of a page that was turned and straightened, back on the page as shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.stages.convert.frame import Frame

_TURNS = st.sampled_from((0, 90, 180, 270))


@pytest.mark.parametrize(
    ("turned", "shown"),
    [
        (0, (10, 20, 40, 30)),
        (90, (20, 760, 30, 790)),
        (180, (560, 770, 590, 780)),
        (270, (570, 10, 580, 40)),
    ],
)
def test_a_box_at_the_top_left_is_where_the_page_was_before(
    turned: int, shown: tuple[float, float, float, float]
) -> None:
    assert Frame(600, 800, turned).shown((10, 20, 40, 30)) == pytest.approx(shown)


def test_a_turned_page_is_as_wide_as_it_was_high() -> None:
    assert Frame(600, 800, 90).size == (800, 600)
    assert Frame(600, 800, 180).size == (600, 800)


@given(_TURNS, st.floats(-8, 8))
def test_the_middle_stays_and_the_whole_page_is_inside(turned: int, skew: float) -> None:
    frame = Frame(600, 800, turned, skew)
    width, height = frame.size
    x0, y0, x1, y1 = frame.shown((width / 2, height / 2, width / 2, height / 2))
    assert (x0, y0, x1, y1) == pytest.approx((300, 400, 300, 400))
    assert frame.shown((0, 0, width, height)) == pytest.approx((0, 0, 600, 800))


@given(_TURNS, st.floats(-8, 8), st.floats(0, 500), st.floats(0, 500))
def test_no_box_leaves_the_page(turned: int, skew: float, x: float, y: float) -> None:
    x0, y0, x1, y1 = Frame(600, 800, turned, skew).shown((x, y, x + 100, y + 10))
    assert 0 <= x0 <= 600 and 0 <= y0 <= 800 and x1 <= 600 and y1 <= 800
