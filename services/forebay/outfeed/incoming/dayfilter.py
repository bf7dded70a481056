"""A filter before the remembered days: one look tells in which of them a key may be, and mostly that it is in none.

One octet a place, one bit of it a span of days; a key's place is told by its low bits. A span's bits are cleared once
all its days have gone.
"""

_SPANS = 8
_PLACES_PER_KEY = 8
_FEWEST_PLACES = 1 << 16
_MOST_PLACES = 1 << 24


class DayFilter:
    """For each place the spans in which a key of that place was added, as a bitmap."""

    def __init__(self, days: int, keys_a_day: int) -> None:
        """`days` is the most days that are remembered at once."""
        # Days that are remembered at once begin within a span, so they touch one span more than they fill.
        self._days_a_span = -(-days // (_SPANS - 1))
        self.places = bytearray(_FEWEST_PLACES)
        self.mask = _FEWEST_PLACES - 1
        self.fit(keys_a_day)

    def span(self, day: int) -> int:
        """The bit of the span that a day belongs to."""
        return 1 << (day // self._days_a_span) % _SPANS

    def fit(self, keys_a_day: int) -> None:
        """Grow for so many keys a day.

        Doubling repeats what is there: a key may then be suspected in two places, but is never missed.
        """
        while len(self.places) < min(keys_a_day * _PLACES_PER_KEY, _MOST_PLACES):
            self.places = self.places * 2
        self.mask = len(self.places) - 1

    def clear(self, spans: int) -> None:
        """Forget all keys of these spans, given as a bitmap."""
        self.places = self.places.translate(bytes(octet & ~spans for octet in range(256)))
