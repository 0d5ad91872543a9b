"""Several warm LibreOffice instances, lent out one document at a time."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drac.adapters.libreoffice_instance import OfficeInstance, OfficeLimits
from drac.adapters.libreoffice_processes import sweep
from drac.adapters.sandbox import Sandbox


class OfficePool:
    """Starts instances on demand, replaces those that have served enough. Safe for several threads.

    `size` instances at most. What a killed run left in `workdir` is cleaned up first.
    """

    def __init__(
        self, workdir: Path, limits: OfficeLimits, size: int, isolation: Sandbox | None = None
    ) -> None:
        sweep(workdir)
        self._all = [OfficeInstance(workdir, limits, isolation) for _ in range(size)]
        self._idle: queue.LifoQueue[OfficeInstance] = queue.LifoQueue()
        for instance in reversed(self._all):
            self._idle.put(instance)

    @property
    def memory(self) -> int:
        """Bytes of memory of all instances; 0 where the system does not tell."""
        return sum(one.memory for one in self._all)

    @property
    def groups(self) -> list[int]:
        """Process groups that run now."""
        return [one.group for one in self._all if one.group is not None]

    @contextmanager
    def lent(self) -> Iterator[OfficeInstance]:
        """An instance for one document, a warm one first; waits until one is free."""
        instance = self._idle.get()
        try:
            yield instance
            if instance.spent:
                instance.kill()
        finally:
            self._idle.put(instance)

    def close(self) -> None:
        """End all instances; a document that one of them works on fails."""
        for instance in self._all:
            instance.close()
