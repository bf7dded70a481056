"""Drawing some out of many that stand in a row, at a cost that does not grow with the row."""

from collections.abc import Callable

Random = Callable[[], float]
"""Gives numbers from 0 up to 1, as `random.random` does."""
Spans = list[tuple[int, int]]
"""Pieces of a row: where each begins, and where it ends."""


def draw(low: int, high: int, own: int, count: int, random: Random) -> Spans:
    """Draw `count` of the places from `low` up to `high`, never `own`, which need not be among them.

    The places are a ring, and what is drawn is a run of it that begins anywhere. Over all callers each place is as
    likely as any other.
    """
    others = size = high - low
    if low <= own < high:
        others -= 1
        start = own + 1
        if count < others:
            start += int(random() * (others - count + 1))
        if start >= high:
            start -= size
    else:
        start = low + int(random() * size)
    end = start + (count if count < others else others)
    if end <= start:
        return []
    return [(start, end)] if end <= high else [(start, high), (low, end - size)]
