"""What is said of a table that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from drac.config import load_settings
from drac.errors import UsageError


def told(tmp_path: Path, toml: str) -> UsageError:
    file = tmp_path / "drac.toml"
    file.write_text(toml, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_settings(file, {})
    return caught.value


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[serch]\ntop_k = 3", "settings: serch: no such table; did you mean `search`?"),
        ("[search]\nmodle = 'x'", "settings: search.modle: no such key; did you mean `model`?"),
        (
            "[structure]\ntarget_tokens = 3",
            "settings: structure.target_tokens: no such key; it is a key of [plan]",
        ),
        (
            "[audit]\nmany = 3",
            "settings: audit.many: no such key; there are sample, on_mismatch",
        ),
        ("search = 3", "settings: search: should be a table"),
        ("[search]\ntop_k = 0", "settings: search.top_k: should be greater than or equal to 1"),
        (
            "[models.mine]\nprice_inptu = 1.0",
            "settings: models.mine.price_inptu: no such key; did you mean `price_input`?",
        ),
    ],
)
def test_a_setting_that_is_wrong(tmp_path: Path, toml: str, message: str) -> None:
    assert told(tmp_path, toml).message.startswith(message)


def test_a_table_of_an_engine(tmp_path: Path) -> None:
    error = told(tmp_path, "[openai]\nmodel = 'x'")
    assert "openai: no such table; there are normalize, render, convert, model," in error.message
    assert "`openai` are set in [model]" in error.remedy
