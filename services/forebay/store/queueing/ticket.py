"""What becomes of a batch of messages: known once every queue that they go to has kept them or not."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

UNROUTED, DUPLICATE, CONFIRMED, REFUSED = range(4)
"""Outcomes of a message. Where queues differ the higher one counts."""


class Outcomes(NamedTuple):
    """Messages in a row with the same outcome."""

    first: int
    """Number of the first."""
    count: int  # type: ignore[assignment]  # the tuple's own method of that name is of no use here
    outcome: int
    reason: str = ""
    """Why they were refused."""


class Ticket:
    """One batch. `done` is called with it when nothing is waited for any more; that is not before `close`."""

    __slots__ = ("_codes", "_done", "_reasons", "_waiting", "broken", "count", "first", "octets")

    def __init__(self, first: int, count: int, octets: int, done: "Callable[[Ticket], None]") -> None:
        self.first = first
        self.count = count
        self.octets = octets
        self.broken: set[int] = set()
        """Positions of messages that a queue has lost by a crash: another try may go well."""
        self._codes = bytearray(count)
        self._reasons: dict[int, str] = {}
        self._waiting = 1
        self._done = done

    @property
    def finished(self) -> bool:
        """All outcomes are known."""
        return not self._waiting

    def note(self, positions: Sequence[int], outcome: int, reason: str = "") -> None:
        """One queue says this of the messages at these positions."""
        codes = self._codes
        if len(positions) == self.count and max(codes) <= outcome:
            self._codes = bytearray((outcome,)) * self.count
        else:
            for position in positions:
                codes[position] = max(codes[position], outcome)
        if reason:
            for position in positions:
                self._reasons.setdefault(position, reason)

    def wait(self) -> None:
        """One more has to be waited for."""
        self._waiting += 1

    def close(self) -> None:
        """One less: all queues have been asked, or one of them has kept its part."""
        self._waiting -= 1
        if not self._waiting:
            self._done(self)

    def outcomes(self) -> Iterator[Outcomes]:
        """All outcomes, in order."""
        codes = self._codes
        if codes.count(codes[0]) == self.count and not self._reasons:
            yield Outcomes(self.first, self.count, codes[0])
            return
        number = self.first
        for (code, reason), group in groupby(range(self.count), lambda at: (codes[at], self._reasons.get(at, ""))):
            count = sum(1 for _ in group)
            yield Outcomes(number, count, code, reason)
            number += count


class Share(NamedTuple):
    """The part of a batch that waits for one queue."""

    ticket: Ticket
    positions: Sequence[int]

    def kept(self) -> None:
        """The queue has it."""
        self.ticket.close()

    def failed(self, reason: str) -> None:
        """The queue may have lost it."""
        self.ticket.note(self.positions, REFUSED, reason)
        self.ticket.broken.update(self.positions)
        self.ticket.close()
