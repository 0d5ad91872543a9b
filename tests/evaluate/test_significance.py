"""The randomisation test and the bootstrap: by hand, seeded, and against every sign pattern."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from drac.evaluate.significance import compare, randomisation


def test_no_difference_is_not_significant() -> None:
    found = compare([0.5, 1.0, 0.0], [0.5, 1.0, 0.0], 200, 0)
    assert (found.mean, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert (found.wins, found.losses, found.ties) == (0, 0, 3)


def test_a_steady_gain_is_significant_and_counted() -> None:
    found = compare([0.0] * 30 + [1.0], [1.0] * 30 + [0.0], 2_000, 0)
    assert found.p < 0.01
    assert found.low > 0
    assert (found.wins, found.losses, found.ties) == (30, 1, 0)
    assert found.mean == pytest.approx(29 / 31)


def test_same_seed_same_result_whatever_the_order_of_calls() -> None:
    values = np.linspace(0, 1, 20)
    first = compare(values, values**2, 1_000, 7)
    compare(values, values, 500, 1)
    assert compare(values, values**2, 1_000, 7) == first
    assert compare(values, values**2, 1_000, 8) != first


def test_p_comes_near_the_share_of_all_sign_patterns() -> None:
    change = np.array([0.5, -0.2, 0.3, 0.4, -0.1, 0.6, 0.2, 0.1])
    means = [abs(np.dot(signs, change)) for signs in product((1, -1), repeat=len(change))]
    exact = np.mean(np.array(means) >= abs(change.sum()) - 1e-12)
    assert randomisation(change, 20_000, 3) == pytest.approx(exact, abs=0.01)


def test_no_queries_are_no_difference() -> None:
    assert compare([], [], 100, 0).p == 1.0
