"""The interval until a tracker is announced to again, kept within reason whatever the tracker says."""

SHORTEST = 300.0
"""Seconds: a tracker is not asked more often about a torrent."""
LONGEST = 3 * 3600.0
"""Seconds: nor more seldom."""
UNTOLD = 1800.0
"""Seconds where the tracker says nothing, or no number."""
JITTER = 0.05
"""The part of an interval by which a client may come early, and is due all the same."""
MOST_JITTER = 60.0
"""Seconds, likewise, however long the interval is."""


def announce_interval(interval: object, min_interval: object = None) -> float:
    """Seconds to the next announce, from the values of `interval` and `min interval` of an answer."""
    wanted = UNTOLD if not _is_number(interval) else interval
    if _is_number(min_interval):
        wanted = max(wanted, min_interval)  # type: ignore[call-overload]
    # Compared before it becomes a float: a whole number in an answer may be longer than any float.
    return float(min(LONGEST, max(SHORTEST, wanted)))  # type: ignore[call-overload]


def due_after(interval: float) -> float:
    """Seconds from an answer with this interval to when the torrent is due.

    Timers of clients differ: one that has the same interval from us, and comes a second early, would else wait for a
    whole one more.
    """
    return interval - min(MOST_JITTER, JITTER * interval)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
