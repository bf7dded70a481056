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

    __slots__ = ("fresh", "id", "parts", "refs", "size")

    def __init__(self, put: Put) -> None:
        self.id, self.parts, self.refs = put
        self.size = sum(map(len, self.parts))
        self.fresh = False
        """Nothing of that id was stored or flying before it: it need not be looked up again."""

    def body(self) -> bytes:
        """The body in one piece."""
        return b"".join(self.parts)


class Flights:
    """All flights by message id; several of one id fly in the order they were put. Its user locks."""

    def __init__(self) -> None:
        self._first: dict[bytes, Flight] = {}
        self._later: dict[bytes, list[Flight]] = {}
        """Those behind the first of their id; rare, and a list for each id would cost."""

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, flight: Flight) -> bool:
        """A put begins to fly; False when another of its id is flying."""
        alone = self._first.setdefault(flight.id, flight) is flight
        if not alone:
            self._later.setdefault(flight.id, []).append(flight)
        return alone

    def discard(self, flight: Flight) -> None:
        """It landed, or was given up."""
        id = flight.id
        later = self._later.get(id)
        if later is None:
            del self._first[id]
            return
        if self._first[id] is flight:
            self._first[id] = later.pop(0)
        else:
            later.remove(flight)
        if not later:
            del self._later[id]

    def cancel(self, id: bytes) -> bool:
        """Take one reference from a flight of that id; False when none has any left.

        While a flight has references its removes end here, so what it counts on in the index can't vanish.
        """
        flight = self.find(id)
        if flight is None:
            return False
        flight.refs -= 1
        return True

    def find(self, id: bytes) -> Flight | None:
        """The oldest flight of that id that still is wanted."""
        first = self._first.get(id)
        if first is None or first.refs:
            return first
        return next((flight for flight in self._later.get(id, ()) if flight.refs), None)
