"""Feed hours: when a peer may be fed, by the week's days and the clock of a time zone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

WEEK = 7


@dataclass(frozen=True)
class Window:
    """A time of day on some days."""

    days: frozenset[int]
    """From 0, which is Monday."""
    start: int
    """Minute of the day at which it begins."""
    end: int
    """Minute of the day at which it ends; on the next day where it is not after the start."""

    def holds(self, day: int, minute: int) -> bool:
        """Whether a minute of a day lies within."""
        if self.start < self.end:
            return day in self.days and self.start <= minute < self.end
        began_yesterday = (day - 1) % WEEK in self.days and minute < self.end
        return began_yesterday or (day in self.days and minute >= self.start)


@dataclass(frozen=True)
class FeedHours:
    """When a peer may be fed: in any of the windows."""

    windows: tuple[Window, ...]
    zone: tzinfo

    def are_now(self, wall: float) -> bool:
        """Whether a time, in seconds since the epoch, lies within."""
        local = datetime.fromtimestamp(wall, self.zone)
        minute = local.hour * 60 + local.minute
        return any(window.holds(local.weekday(), minute) for window in self.windows)


def feed_hours(windows: Iterable[tuple[Iterable[int], str, str]], zone: str) -> FeedHours:
    """`windows` are days, none of which stand for all, and times of day as `22:30`.

    Raises `ValueError` where this machine does not know the time zone.
    """
    held = tuple(Window(frozenset(days) or frozenset(range(WEEK)), _minute(a), _minute(b)) for days, a, b in windows)
    if zone == "UTC":
        return FeedHours(held, UTC)
    try:
        return FeedHours(held, ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"this machine knows no time zone {zone}; give another, as UTC or Europe/Berlin") from error


def _minute(text: str) -> int:
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes)
