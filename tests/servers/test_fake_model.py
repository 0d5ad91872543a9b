"""scripts/fake_model on a file of one's own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.servers.clients import bedrock, complete, converse, openai_client, text_of
from tests.servers.log import ServerLog


def test_it_answers_for_a_users_own_file_and_says_that_it_is_simulated(
    repository: Path, tmp_path: Path
) -> None:
    import pymupdf

    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "The ferry leaves Port Ansel at seven in the morning.")
    document.save(tmp_path / "my file.pdf")
    image = document[0].get_pixmap(dpi=150).tobytes("jpeg")
    script = str(repository / "scripts" / "fake_model")
    command = [sys.executable, script, "my file.pdf", "--log", "log.jsonl"]
    server = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        said = _until_ready(server)
        url = re.findall(r"http://127\.0\.0\.1:\d+", said)[0]
        assert f"drac run 'my file.pdf' --engine openai --planner openai --base-url {url}/v1 " in said
        assert "--model simulated\n" in said
        assert f"drac run 'my file.pdf' --engine bedrock --planner bedrock --endpoint-url {url}\n" in said
        assert "SIMULATED" in said
        with openai_client(f"{url}/v1") as client:
            replies = [converse(bedrock(url), ["Page 1", image]), complete(client, ["Page 1", image])]
        assert all("The ferry leaves Port Ansel at seven" in text_of(reply) for reply in replies)
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=20)
    finally:
        server.kill()
        server.wait(20)
    assert server.returncode == 0
    assert "Answered 2 requests" in told
    shown = [one["shown"][0] for one in ServerLog.load(tmp_path / "log.jsonl").entries]
    assert [(one["page"], one["exact"]) for one in shown] == [(1, False)] * 2


def _until_ready(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    lines: list[str] = []
    while not lines or "Ctrl-C" not in lines[-1]:
        line = server.stdout.readline()
        assert line, server.stderr.read() if server.stderr else ""
        lines.append(line)
    return "".join(lines)
