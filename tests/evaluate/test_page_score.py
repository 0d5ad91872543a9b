"""How a page's chunks give its score, as the settings name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from drac import wiring
from drac.errors import UsageError


def test_names_and_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_page_scores.py").write_text("def second(scores):\n    return scores[1]\n")
    monkeypatch.chdir(tmp_path)
    assert wiring.aggregate("my_page_scores:second")([3.0, 1.5]) == 1.5
    assert [wiring.aggregate(name)([3.0, 1.0]) for name in ("max", "mean", "sum")] == [3.0, 2.0, 4.0]


@pytest.mark.parametrize("name", ["median", "math:nothing", "no_such_module:f", "json:dumps", ""])
def test_what_is_no_function_of_scores_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        wiring.aggregate(name)
    assert "max, mean, sum" in raised.value.remedy
