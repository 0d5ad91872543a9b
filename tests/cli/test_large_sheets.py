"""A sheet past the limit is named by the run and by `drac status`, and the run ends as incomplete."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import openpyxl


def test_a_sheet_that_is_left_out_ends_with_4_and_stays_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["small", "sheet"])
    large = book.create_sheet("Large")
    for row in range(30):
        large.append([row] * 10)
    book.save(tmp_path / "book.xlsx")
    (tmp_path / "drac.toml").write_text("[normalize]\nmax_cells = 200\n")

    def drac(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "drac", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)

    reason = "sheet 'Large' has 300 cells, more than the limit of 200"
    made = drac("convert", "book.xlsx", "--config", "drac.toml", "--json")
    named = json.loads(made.stdout)["left_out"]
    assert made.returncode == 4
    assert [(one["source"], one["part"]) for one in named] == [("book.xlsx", reason)]
    known = json.loads(drac("status", "--json").stdout)["left_out"]
    assert [reason in json.dumps(one) for one in known] == [True]
    assert reason in " ".join(drac("status").stdout.split())
