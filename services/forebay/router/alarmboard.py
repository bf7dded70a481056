"""The alarms that are on, and those who watch them."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.runtime.clock import Clock
from forebay.runtime.errors import NotFoundError, Resource

MOST_ALARMS = 10_000
"""Alarms that are on at once; beyond it the oldest is dropped."""

Key = tuple[str, str]
"""Name and origin."""
Watcher = Callable[[pb.Alarm], None]

log = structlog.stdlib.get_logger(__name__)


class AlarmBoard:
    """Alarms by name and origin."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._on: OrderedDict[Key, pb.Alarm] = OrderedDict()
        self._watchers: set[Watcher] = set()

    def raised(self) -> list[pb.Alarm]:
        """Those that are on, the oldest first."""
        return list(self._on.values())

    def raise_(self, name: str, origin: str, severity: pb.Severity, comment: str, *, auto_off: bool = False) -> None:
        """Turn an alarm on, or tell anew of one that is."""
        self.change(pb.Alarm(name=name, origin=origin, severity=severity, comment=comment, on=True, auto_off=auto_off))

    def change(self, alarm: pb.Alarm) -> None:
        """Turn an alarm on or off, as it says itself."""
        if not alarm.on:
            self._clear((alarm.name, alarm.origin))
            return
        key = (alarm.name, alarm.origin)
        known = self._on.get(key)
        changed = pb.Alarm()
        changed.CopyFrom(alarm)
        if not alarm.HasField("time"):
            self._stamp(changed, known)
        self._on[key] = changed
        if len(self._on) > MOST_ALARMS:
            self._on.popitem(last=False)
        if known is None:
            log.warning("alarm", name=alarm.name, origin=alarm.origin, comment=alarm.comment)
        if changed != known:
            self._tell(changed)

    def _stamp(self, alarm: pb.Alarm, known: pb.Alarm | None) -> None:
        """An alarm that is raised again keeps the time of the first."""
        if known:
            alarm.time.CopyFrom(known.time)
        else:
            alarm.time.FromMilliseconds(int(self._clock.wall() * 1000))

    def clear(self, name: str, origin: str) -> pb.Alarm:
        """Turn an alarm off; what it is like now. Raises `NotFoundError` when it is not on."""
        alarm = self._clear((name, origin))
        if alarm is None:
            raise NotFoundError(
                f"no alarm {name} of {origin} is on: ListAlarms tells which are", resource=Resource("Alarm", name)
            )
        return alarm

    def settle(self, name: str, origin: str) -> None:
        """Turn an alarm off if it is on."""
        self._clear((name, origin))

    def _clear(self, key: Key) -> pb.Alarm | None:
        alarm = self._on.pop(key, None)
        if alarm is None:
            return None
        alarm.on = False
        alarm.time.FromMilliseconds(int(self._clock.wall() * 1000))
        log.info("alarm is off", name=alarm.name, origin=alarm.origin)
        self._tell(alarm)
        return alarm

    def _tell(self, alarm: pb.Alarm) -> None:
        for watcher in list(self._watchers):
            watcher(alarm)

    def watch(self, watcher: Watcher) -> None:
        """Tell of every change from now on."""
        self._watchers.add(watcher)

    @contextmanager
    def watched(self, watcher: Watcher) -> Iterator[None]:
        """Tell of every change meanwhile."""
        self._watchers.add(watcher)
        try:
            yield
        finally:
            self._watchers.discard(watcher)
