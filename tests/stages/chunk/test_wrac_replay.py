"""Real plans of a real model, replayed through the reply check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_what_the_plans_of_the_reference_leave_out_is_in_ours(
    rag_multi_corpus: Path, repository: Path
) -> None:
    script = repository / "scripts" / "replay_wrac"
    done = subprocess.run(
        [sys.executable, str(script), str(rag_multi_corpus)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["documents"], report["documents_without_a_plan"]) == (236, 1)
    assert (report["theirs"]["left_out"], report["theirs"]["left_out_without_a_plan"]) == (426, 5)
    assert round(report["theirs"]["share_of_characters"], 2) == 0.08
    assert report["ours"]["left_out"] == report["ours"]["in_two_chunks"] == 0
    assert report["ours"]["fallback_chunks"] > 0
    assert report["reply_check"]["unreadable"] == 1
