"""How many workers run: one more a second while the queue is rather full, one fewer while it is rather empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.announcer.forwarding.jobqueue import JobQueue
    from forebay.announcer.forwarding.settings import ForwardingSettings

SCALE_DOWN = 40
"""Fill of the queue, in per cent, below which workers leave."""
PACE = 1.0
"""Seconds from one change to the next, at least."""


class Scaling:
    """Decides about one worker at a time."""

    def __init__(self, settings: ForwardingSettings) -> None:
        self.settings = settings
        self._changed = float("-inf")

    def step(self, queue: JobQueue, workers: int, now: float) -> int:
        """1: start a worker; -1: tell one to leave; 0: neither. `workers` leaves out those that were told to leave."""
        if now - self._changed < PACE:
            return 0
        change = self._wanted(queue, workers)
        if change:
            self._changed = now
        return change

    def _wanted(self, queue: JobQueue, workers: int) -> int:
        if workers < self.settings.workers:
            return 1
        if queue.reaches(self.settings.scale_threshold):
            return 1 if workers < self.settings.most_workers else 0
        if not queue.reaches(SCALE_DOWN):
            return -1 if workers > self.settings.workers else 0
        return 0
