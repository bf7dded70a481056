"""Schedules: cron's five fields in a time zone.

When clocks are put back, the same hour on the wall comes twice: a schedule of certain hours counts it once, one of
every hour twice. When they are put forward, an hour is missing: the former has its times an hour later, the latter not
at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from croniter import croniter

EVERY_HOUR = ("@hourly", "*")
"""How the hours of a schedule begin that is of every hour."""
REACH = timedelta(hours=3)
"""No clock is put back or forward by more."""
SECOND = timedelta(seconds=1)


class ScheduleError(ValueError):
    """A schedule or time zone that is none; the message tells which field, and what to give."""


class WallClock(Protocol):
    """The times of a schedule as clocks on walls show them, which know of no zone."""

    def get_next(self, kind: type[datetime]) -> datetime:
        """The next one."""

    def get_prev(self, kind: type[datetime]) -> datetime:
        """The one before."""


@dataclass(frozen=True)
class Schedule:
    """When runs are due. All times have a zone."""

    cron: str
    zone: ZoneInfo

    @property
    def text(self) -> str:
        """What tells it apart from others."""
        return f"{self.cron} {self.zone.key}"

    def next(self, after: datetime) -> datetime:
        """The first time that is later."""
        here = self._wall(after)
        wall = self._clock(here).get_next(datetime)
        if self._is_steady(after, here - REACH, wall):
            return self._moment(wall)
        clock = self._clock(here - REACH)
        found: list[datetime] = []
        while not found or wall < here + REACH:
            wall = clock.get_next(datetime)
            found += [moment for moment in self._moments(wall) if moment > after]
        return min(found)

    def last(self, now: datetime) -> datetime:
        """The last time that is not later."""
        here = self._wall(now)
        wall = self._clock(here + SECOND).get_prev(datetime)
        if self._is_steady(now, here + REACH, wall):
            return self._moment(wall)
        clock = self._clock(here + REACH)
        found: list[datetime] = []
        while not found or wall > here - REACH:
            wall = clock.get_prev(datetime)
            found += [moment for moment in self._moments(wall) if moment <= now]
        return max(found)

    def _clock(self, wall: datetime) -> WallClock:
        clock: WallClock = croniter(self.cron, wall)
        return clock

    def _wall(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None, microsecond=0, fold=0)

    def _is_steady(self, moment: datetime, *walls: datetime) -> bool:
        """Whether clocks are as far from UTC at other times as at this one."""
        offset = moment.astimezone(self.zone).utcoffset()
        return all(wall.replace(tzinfo=self.zone, fold=fold).utcoffset() == offset for wall in walls for fold in (0, 1))

    def _moment(self, wall: datetime, fold: int = 0) -> datetime:
        return wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC)

    def _moments(self, wall: datetime) -> Iterator[datetime]:
        """When clocks show that time: as a rule once."""
        first, second = self._moment(wall), self._moment(wall, fold=1)
        is_missing = first > second
        if not (is_missing and self._is_hourly):
            yield first
        if first < second and self._is_hourly:
            yield second

    @property
    def _is_hourly(self) -> bool:
        hours = self.cron.split()[1] if " " in self.cron else self.cron
        return hours.startswith(EVERY_HOUR)


def schedule_of(cron: str, zone: str) -> Schedule:
    """The schedule of a spec. Raises `ScheduleError`."""
    try:
        schedule = Schedule(cron, ZoneInfo(zone))
    except (KeyError, ValueError, OSError) as error:
        raise ScheduleError(f"spec.timeZone: {zone} is not known; give a name of IANA's, as Europe/Berlin") from error
    try:
        schedule.next(datetime(2026, 1, 1, tzinfo=UTC))
    except (ValueError, KeyError) as error:
        raise ScheduleError(f"spec.schedule: {cron!r} names no time that ever comes ({error}); give another") from error
    return schedule
