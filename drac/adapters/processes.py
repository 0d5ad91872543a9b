"""Executor over worker processes (pebble): a task has a time limit, a dead worker fails its own task only."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from drac.errors import DocumentError, LimitExceeded, WorkerDied

T = TypeVar("T")
R = TypeVar("R")
_RECYCLE = 2_000
"""Tasks after which a worker is replaced, so that what a library leaks does not add up."""


class ProcessExecutor:
    """Implements ports.Executor on this machine.

    `memory` is how many bytes a worker may ask the system for (Linux); a task that wants more fails alone.
    """

    def __init__(
        self, workers: int, initializer: Callable[[], None] | None = None, *, memory: int | None = None
    ) -> None:
        self.workers = workers
        self._pool = ProcessPool(
            max_workers=workers,
            max_tasks=_RECYCLE,
            initializer=_start_worker,
            initargs=[initializer, os.getpid(), max(1, (os.cpu_count() or 1) // workers), memory],
            context=multiprocessing.get_context("spawn"),
        )

    def submit(self, work: Callable[[T], R], task: T, *, timeout: float) -> Future[R]:
        """See ports.Executor."""
        with _uninterrupted():
            inner: Future[Any] = self._pool.schedule(work, args=[task], timeout=timeout)
        outer: Future[R] = Future()
        outer.set_running_or_notify_cancel()
        inner.add_done_callback(lambda done: _hand_over(done, outer, timeout))
        return outer

    def close(self) -> None:
        """Kill the workers; unfinished tasks are dropped."""
        self._pool.stop()
        self._pool.join()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """The pool's threads, and the workers that they start, begin with Ctrl-C blocked: it is the parent's."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hand_over(inner: Future[R], outer: Future[R], timeout: float) -> None:
    """Copy a result; name in our own terms why there is none."""
    if inner.cancelled():
        outer.set_exception(DocumentError("the task was dropped because the run ended"))
        return
    error = inner.exception()
    if error is None:
        outer.set_result(inner.result())
    elif isinstance(error, FutureTimeout):
        outer.set_exception(LimitExceeded(f"took longer than {timeout:g} s and was stopped", lasting=True))
    elif isinstance(error, ProcessExpired):
        outer.set_exception(WorkerDied(f"the worker process died (exit status {error.exitcode})"))
    elif isinstance(error, MemoryError):
        outer.set_exception(LimitExceeded("took more memory than a worker may ask for", lasting=True))
    else:
        outer.set_exception(error)


def _start_worker(
    initializer: Callable[[], None] | None, parent: int, threads: int, memory: int | None
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if memory is not None and sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if initializer is not None:
        initializer()


def _end_with(parent: int) -> None:
    """End this worker when the process that owns it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
