"""How many articles a second a peer is done with."""

SECONDS = 5
"""Over about so many seconds."""


class Rate:
    """Follows a count that only rises, looked at once a second."""

    def __init__(self) -> None:
        self.per_second = 0.0
        self._count = 0

    def look(self, count: int) -> None:
        """So many are done by now."""
        self.per_second += (count - self._count - self.per_second) / SECONDS
        self._count = count
