"""The work queue: which resources are to be looked at, when, and how closely. Pure but for the clock."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from random import Random
from typing import NamedTuple

from forebay.runtime import Backoff, BackoffSettings, Clock


class Key(NamedTuple):
    """A resource that is reconciled."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class Depth(IntEnum):
    """How closely a resource is looked at."""

    OBSERVE = 0
    """Ask its pods how they fare."""
    RECONCILE = 1
    """Read what it is made of, and bring about what differs."""
    VERIFY = 2
    """Also read again what no watch tells of, and compare every owned object."""


@dataclass(frozen=True)
class QueueSettings:
    """Times of the queue."""

    gather: float = 0.2
    """Seconds that a change waits for others of the same resource."""
    backoff: BackoffSettings = field(default_factory=lambda: BackoffSettings(first=0.5, longest=60.0))
    """Between tries of a resource that fails."""


@dataclass
class _Entry:
    """One resource that waits."""

    due: float
    since: float
    depth: Depth


class WorkQueue:
    """Resources that wait, each once however often it is put, and none of them taken twice at the same time."""

    def __init__(self, clock: Clock, random: Random, settings: QueueSettings | None = None) -> None:
        self._clock = clock
        self._random = random
        self._settings = settings or QueueSettings()
        self._waiting: dict[Key, _Entry] = {}
        self._running: dict[Key, Depth] = {}
        self._again: dict[Key, _Entry] = {}
        """Those of the running ones that were put meanwhile."""
        self._failing: dict[Key, Backoff] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._again)

    def put(self, key: Key, depth: Depth = Depth.RECONCILE, delay: float | None = None) -> None:
        """Have a resource looked at in `delay` seconds, by default those that changes are gathered.

        One that waits already is looked at by the earlier of both times, and as closely as any asked. To observe it
        does not shorten the wait of one that fails.
        """
        now = self._clock.monotonic()
        due = now + (self._settings.gather if delay is None else delay)
        waiting = self._again if key in self._running else self._waiting
        entry = waiting.setdefault(key, _Entry(due, now, depth))
        if depth > Depth.OBSERVE or key not in self._failing:
            entry.due = min(entry.due, due)
        entry.depth = max(entry.depth, depth)

    def take(self) -> tuple[Key, Depth] | None:
        """The resource that has been due for longest; None when none is. `done` or `failed` has to follow."""
        key = min(self._waiting, key=lambda key: self._waiting[key].due, default=None)
        if key is None or self._waiting[key].due > self._clock.monotonic():
            return None
        depth = self._running[key] = self._waiting.pop(key).depth
        return key, depth

    def done(self, key: Key) -> None:
        """It went well."""
        self._failing.pop(key, None)
        self._release(key)

    def failed(self, key: Key) -> float:
        """It is to be tried again; the seconds until then."""
        backoff = self._failing.setdefault(key, Backoff(self._settings.backoff, self._clock, self._random))
        delay, depth = backoff.fail(), self._running[key]
        self._release(key)
        self.put(key, depth, delay)
        return delay

    def _release(self, key: Key) -> None:
        del self._running[key]
        if again := self._again.pop(key, None):
            self._waiting[key] = again

    def wait(self) -> float | None:
        """Seconds until one is due, 0 when one is; None when nothing waits."""
        due = min((entry.due for entry in self._waiting.values()), default=None)
        return None if due is None else max(0.0, due - self._clock.monotonic())

    def ages(self) -> Iterator[tuple[str, float]]:
        """By kind, the seconds that the resource which is most overdue has been so."""
        now = self._clock.monotonic()
        oldest: dict[str, float] = {}
        for key, entry in [*self._waiting.items(), *self._again.items()]:
            oldest[key.kind] = max(oldest.get(key.kind, 0.0), now - max(entry.due, entry.since))
        yield from oldest.items()
