"""Flying writes: messages given to the store and not yet in its index."""

from collections.abc import Sequence
from typing import NamedTuple

from forebay.msgstore.disk import Buffer


class Put(NamedTuple):
    """A message to be stored, or to be counted up when it is stored already."""

    id: bytes
    """16 octets."""
    parts: Sequence[Buffer]
    """The body, end to end."""
    refs: int = 1
    """References that it gets."""


class Flight:
    """One `Put` on its way to the disk; `refs` goes down as removes overtake it."""

    __slots__ = ("id", "parts", "refs", "size")

    def __init__(self, put: Put) -> None:
        self.id, self.parts, self.refs = put
        self.size = sum(map(len, put.parts))

    def body(self) -> bytes:
        """The body in one piece."""
        return b"".join(self.parts)


class Flights:
    """All flights by message id; several of one id fly in the order they were put. Its user locks."""

    def __init__(self) -> None:
        self._by_id: dict[bytes, list[Flight]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_id)

    def add(self, flight: Flight) -> None:
        """A put begins to fly."""
        self._by_id.setdefault(flight.id, []).append(flight)

    def discard(self, flight: Flight) -> None:
        """It landed, or was given up."""
        flights = self._by_id[flight.id]
        flights.remove(flight)
        if not flights:
            del self._by_id[flight.id]

    def cancel(self, id: bytes) -> bool:
        """Take one reference from a flight of that id; False when none has any left.

        While a flight has references its removes end here, so what it counts on in the index can't vanish.
        """
        for flight in self._by_id.get(id, ()):
            if flight.refs:
                flight.refs -= 1
                return True
        return False

    def find(self, id: bytes) -> Flight | None:
        """A flight of that id that still is wanted."""
        return next((flight for flight in self._by_id.get(id, ()) if flight.refs), None)
