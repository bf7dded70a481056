"""All that a swarm holds, at one moment, for whoever writes it down."""

from array import array
from typing import NamedTuple


class Lineup(NamedTuple):
    """The peers of one family, in the order in which they stand: seeders first."""

    octets: bytes
    """Their endpoints, 6 or 18 octets each."""
    clients: list[bytes]
    """Their peer ids, each with its key behind it."""
    seen: "array[float]"
    """When each was seen last, in monotonic seconds."""
    seeders: int
    paused: frozenset[bytes]
    """Endpoints of partial seeds."""

    def since(self, before: float) -> "Lineup":
        """Without those that were last seen before a time."""
        if not self.seen or min(self.seen) >= before:
            return self
        width = len(self.octets) // len(self.seen)
        places = [place for place, seen in enumerate(self.seen) if seen >= before]
        return Lineup(
            b"".join([self.octets[place * width : (place + 1) * width] for place in places]),
            [self.clients[place] for place in places],
            array("d", [self.seen[place] for place in places]),
            sum(place < self.seeders for place in places),
            self.paused,
        )


class Record(NamedTuple):
    """A swarm. What other trackers told of it is left out: they are asked again."""

    downloaded: int
    """How often it was completed."""
    lineups: tuple[Lineup, Lineup]
    """IPv4 and IPv6."""

    @property
    def peers(self) -> int:
        """How many peers there are."""
        return sum(len(lineup.seen) for lineup in self.lineups)

    def since(self, before: float) -> "Record":
        """Without peers that were last seen before a time."""
        v4, v6 = self.lineups
        return self._replace(lineups=(v4.since(before), v6.since(before)))


EMPTY = Lineup(b"", [], array("d"), 0, frozenset())
"""Nobody."""
