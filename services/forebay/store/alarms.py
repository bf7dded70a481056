"""Alarms: too much memory taken by messages, or too little room on the disk. Publishers wait while there is one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import structlog

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.clock import Clock

log = structlog.stdlib.get_logger(__name__)

Kind = Literal["MEMORY", "DISK"]

CALM = 0.1
"""Part of a limit by which a figure must be better than the limit before its alarm ends, so that none flickers."""


@dataclass(frozen=True)
class _Raised:
    """One alarm from its start on."""

    kind: Kind
    message: str
    wall: float
    monotonic: float


class PressureAlarms:
    """`Alarms` of memory and disk. Figures and limits are in octets."""

    def __init__(self, clock: Clock) -> None:
        self.on_change: Callable[[], None] = lambda: None
        """Called after each change of `blocked`."""
        self._clock = clock
        self._memory = self._memory_limit = 0
        self._disk_free = self._disk_limit = 0
        self._seen = False
        self._raised: dict[Kind, _Raised] = {}

    @property
    def blocked(self) -> str:
        """Why publishers have to wait; empty: they need not."""
        return "; ".join(f"{alarm.kind}: {alarm.message}" for alarm in self._raised.values())

    def raised(self) -> Sequence[pb.Alarm]:
        """The alarms of this moment."""
        return [self._shown(alarm) for alarm in self._raised.values()]

    def _shown(self, alarm: _Raised) -> pb.Alarm:
        shown = pb.Alarm(kind=alarm.kind, message=alarm.message)
        shown.since.FromMilliseconds(int(alarm.wall * 1000))
        shown.age.FromMilliseconds(int((self._clock.monotonic() - alarm.monotonic) * 1000))
        return shown

    def set_limits(self, memory: int, disk_free: int) -> None:
        """Octets of messages in memory above which, and octets left on disk below which there is an alarm."""
        self._memory_limit, self._disk_limit = memory, disk_free
        if self._seen:
            self._judge()

    def check(self, memory: int, disk_free: int) -> None:
        """How much messages take of the memory now, and how much the disk has left."""
        self._memory, self._disk_free, self._seen = memory, disk_free, True
        self._judge()

    def _judge(self) -> None:
        before = self.blocked
        calm = CALM if "MEMORY" in self._raised else 0.0
        self._set("MEMORY", self._memory > self._memory_limit * (1 - calm), self._memory_message)
        calm = CALM if "DISK" in self._raised else 0.0
        self._set("DISK", self._disk_free < self._disk_limit * (1 + calm), self._disk_message)
        if self.blocked != before:
            self.on_change()

    def _set(self, kind: Kind, on: bool, message: Callable[[], str]) -> None:
        known = self._raised.get(kind)
        if on and known is None:
            clock = self._clock
            self._raised[kind] = alarm = _Raised(kind, message(), clock.wall(), clock.monotonic())
            log.warning("alarm: publishers wait", kind=kind, problem=alarm.message)
        elif known and not on:
            del self._raised[kind]
            log.info("alarm is over", kind=kind, seconds=round(self._clock.monotonic() - known.monotonic, 3))

    def _memory_message(self) -> str:
        return (
            f"messages take {self._memory} octets of memory, above the limit of {self._memory_limit}: consume, or "
            "raise spec.memory.limit of the Store"
        )

    def _disk_message(self) -> str:
        return (
            f"the disk has {self._disk_free} octets left, below the limit of {self._disk_limit}: consume, make the "
            "volume larger, or lower spec.storage.freeLimit of the Store"
        )
