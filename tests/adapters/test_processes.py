"""Worker processes: what one task may use is no other task's problem."""

from __future__ import annotations

import os
import sys
import time

import pytest

from drac.adapters.processes import ProcessExecutor
from drac.errors import LimitExceeded, WorkerDied


def take(size: int) -> int:
    return len(bytearray(size))


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def die(status: int) -> None:
    os._exit(status)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_task_that_wants_too_much_memory_fails_alone() -> None:
    executor = ProcessExecutor(1, memory=1 << 30)
    try:
        with pytest.raises(LimitExceeded, match="memory") as raised:
            executor.submit(take, 2 << 30, timeout=60).result()
        assert raised.value.lasting
        assert executor.submit(take, 1 << 20, timeout=60).result() == 1 << 20
    finally:
        executor.close()


def test_a_task_that_takes_too_long_or_dies_fails_alone() -> None:
    executor = ProcessExecutor(1)
    try:
        with pytest.raises(LimitExceeded, match=r"longer than 0\.5 s"):
            executor.submit(sleep, 60.0, timeout=0.5).result()
        with pytest.raises(WorkerDied, match="exit status 7"):
            executor.submit(die, 7, timeout=60).result()
        assert executor.submit(sleep, 0.0, timeout=60).result() == 0.0
    finally:
        executor.close()
