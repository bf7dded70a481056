"""Which messages wait in an overflow, so that none waits there twice and none ahead of those that come before it."""

from enum import Enum

from forebay.pb.router.v1 import router_pb2 as pb

MOST_PAIRS = 65_536
"""Senders and recipients that are told apart."""


class Place(Enum):
    """What a parcel is to those that wait."""

    NEXT = "next"
    """The one behind them, or the first."""
    KNOWN = "known"
    """It waits already: its sender has grown impatient."""
    EARLY = "early"
    """Others have to come before it, which were refused."""


class WaitingRuns:
    """Ends of what waits, by sender, its incarnation and recipient. A sender numbers its messages without gaps."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int, str], int] = {}

    def place(self, parcel: pb.Parcel) -> Place:
        """Look at a parcel; `add` it where it is next and finds room."""
        end = self._ends.get(_key(parcel))
        if end is None:
            return Place.NEXT if len(self._ends) < MOST_PAIRS else Place.EARLY
        if parcel.first + parcel.count <= end:
            return Place.KNOWN
        # Below the floor nothing comes any more: those were sent once, and refused.
        return Place.NEXT if min(parcel.floor, parcel.first) >= end or parcel.first == end else Place.EARLY

    def add(self, parcel: pb.Parcel) -> None:
        """A parcel waits from now on."""
        self._ends[_key(parcel)] = parcel.first + parcel.count

    def clear(self) -> None:
        """None waits any more."""
        self._ends.clear()


def _key(parcel: pb.Parcel) -> tuple[str, int, str]:
    return parcel.sender, parcel.incarnation, parcel.recipient
