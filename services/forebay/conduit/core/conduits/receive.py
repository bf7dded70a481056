"""One conduit of one peer as its receiver sees it: what comes next, what is missing, and what to answer."""

from __future__ import annotations

from math import inf
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.numbers import Numbers

MASK_BITS = 32
"""The most samples that one request asks for beside the first one."""
STRAY_SYNCHS = 5
"""So many SYNCHs in a row that do not agree with what was received mean that the receiver is astray,"""
STRAY_SECONDS = 0.5
"""if they come over such a time, which no datagram spends in the network."""


class Numbered(Protocol):
    """A message of a conduit."""

    @property
    def number(self) -> int:
        """Its number, wrapped."""
        ...


T = TypeVar("T", bound=Numbered)


class Answer(NamedTuple):
    """What an ACKNACK says."""

    number: int
    """The first number that was not received."""
    mask: int | None
    """Bit i asks for number + 1 + i, beside the number itself; None asks for nothing."""


class ReceiveConduit:
    """Reliable samples once and in order, unreliable ones at most once and never backwards.

    Samples that come too early are kept while one before them is missing. Nothing counts as received before `accept`:
    a sample that its subscriber refuses comes again. Hold `busy` while samples are arriving; where it is held, other
    samples of the conduit are as good as lost. Numbers are wrapped, as on the wire.
    """

    __slots__ = (
        "_answered",
        "_answered_number",
        "_held",
        "_most_held",
        "_numbers",
        "_round_trip",
        "_seen",
        "_started",
        "_stray",
        "_stray_since",
        "_unreliable",
        "busy",
        "closed",
        "expected",
        "known",
        "lost",
        "nack_due",
        "part",
        "refused",
        "resynchronised",
        "synched",
        "taken",
    )

    def __init__(self, numbers: Numbers, most_held: int, round_trip: float) -> None:
        """`most_held`: samples kept that came too early; `round_trip` in seconds."""
        self.busy = Lock()
        self.synched = False
        """Whether the sender has said where its samples begin; those before it are ignored."""
        self.expected = 0
        """The number of the next sample in order."""
        self.known = 0
        """The number after the last one that the sender is known to have sent."""
        self.lost = 0
        """Samples that the sender no longer has, though they never arrived."""
        self.resynchronised = 0
        """How often the receiver was astray, and began again."""
        self.refused = False
        """Whether a subscriber refused the expected sample."""
        self.taken: set[int] = set()
        """Subscriptions that have had the expected sample already, while another one refused it."""
        self.part = 0
        """How many samples of the expected batch have been delivered, while a subscriber refused the next one."""
        self.closed = False
        """Whether the sender has said that nothing more comes."""
        self.nack_due = inf
        """When a request that was held back goes out."""
        self._numbers = numbers
        self._most_held = most_held
        self._round_trip = round_trip
        self._held: dict[int, Numbered] = {}
        self._answered = -inf
        self._answered_number = -1
        self._stray = 0
        self._stray_since = 0.0
        self._unreliable: int | None = None
        self._seen: int | None = None
        """Up to which number the receiver has come before it began where it did last."""
        self._started: int | None = None
        """Where that was."""

    @property
    def missing(self) -> bool:
        """Whether the sender has sent something that did not arrive in order."""
        return self.synched and self.known != self.expected

    def successor(self) -> ReceiveConduit:
        """For a new session with a sender that counts on: what was received before does not come twice."""
        successor = ReceiveConduit(self._numbers, self._most_held, self._round_trip)
        successor._seen = self._reached()
        return successor

    def has_come_to(self, number: int) -> bool:
        """Whether all before that number was received, or where the sender begins is not even known."""
        return not self.synched or self._numbers.distance(number, self.expected) <= 0

    def arrive(self, samples: Sequence[T]) -> list[T]:
        """The samples that can be delivered now: of these, and of those that came before; to be accepted next."""
        if not self.synched:
            return []
        expected, mask = self.expected, self._numbers.mask
        ready = []
        for sample in samples:
            if sample.number == expected:
                ready.append(sample)
                expected = (expected + 1) & mask
            else:
                self._keep(sample, expected)
        held = self._held
        while held and (sample_held := held.get(expected)) is not None:
            ready.append(sample_held)  # type: ignore[arg-type]
            expected = (expected + 1) & mask
        if self._numbers.distance(expected, self.known) > 0:
            self.known = expected
        return ready

    def accept(self, ready: int, accepted: int) -> None:
        """Of so many samples that were ready, the first ones have been delivered."""
        expected, mask = self.expected, self._numbers.mask
        if self._held:
            for number in range(expected, expected + accepted):
                self._held.pop(number & mask, None)
        self.expected = (expected + accepted) & mask
        self.refused = accepted < ready

    def fresh(self, samples: Sequence[T]) -> list[T]:
        """Of unreliable samples those that are newer than what was delivered."""
        found = []
        for sample in samples:
            last = self._unreliable
            if last is None or self._numbers.distance(sample.number, last) > 0:
                self._unreliable = sample.number
                found.append(sample)
        return found

    def synch(self, number: int, unacknowledged: int, now: float) -> bool:
        """The sender's next number, and how many before it somebody has not acknowledged.

        Whether that agrees with what was received: if not, it may be another sender, or another session.
        """
        numbers = self._numbers
        if unacknowledged >= numbers.half:
            # No window is as large as that.
            return False
        base = (number - unacknowledged) & numbers.mask
        ahead = numbers.distance(number, self.expected)
        if not self.synched:
            self._begin(number, base)
            return True
        agrees = ahead >= 0 >= numbers.distance(base, self.expected)
        if agrees:
            self._stray = 0
        else:
            self._disagree(number, base, now)
        if ahead > numbers.distance(self.known, self.expected):
            self.known = number
        return agrees

    def answer(self, now: float, *, asked: bool = False, synch: bool = False) -> Answer | None:
        """What to tell the sender now, if anything.

        `asked`: it wants an answer; `synch`: because of a SYNCH. Only that brings a refused sample again, since its
        sender waits longer and longer between them. A request that follows the last answer within a round trip is held
        back until `nack_due`.
        """
        if not self.synched:
            return None
        self.nack_due = inf
        if not self.missing or (self.refused and not synch):
            return self._answer(None, now) if asked else None
        again = self._answered + self._round_trip
        if now < again and self._answered_number == self.expected:
            self.nack_due = again
            return self._answer(None, self._answered) if asked else None
        return self._answer(self._mask(), now)

    def _answer(self, mask: int | None, now: float) -> Answer:
        if mask is not None:
            self._answered = now
            self._answered_number = self.expected
        return Answer(self.expected, mask)

    def _mask(self) -> int:
        expected, modulus = self.expected, self._numbers.mask
        count = min(self._numbers.distance(self.known, expected) - 1, MASK_BITS)
        held = self._held
        if not held:
            return (1 << count) - 1
        return sum(1 << bit for bit in range(count) if (expected + 1 + bit) & modulus not in held)

    def _keep(self, sample: Numbered, expected: int) -> None:
        number = sample.number
        numbers = self._numbers
        ahead = numbers.distance(number, expected)
        # No window reaches as far as that: it is a sample of a turn of the numbers ago.
        if not 0 < ahead < numbers.half - 1:
            return
        if ahead <= self._most_held:
            self._held[number] = sample
        if ahead >= numbers.distance(self.known, expected):
            self.known = (number + 1) & numbers.mask

    def _begin(self, number: int, base: int, *, sure: bool = False) -> None:
        """Where the sender has begun; but what was received before does not come twice.

        sure: the sender has got no further than `number`.
        """
        numbers, seen = self._numbers, self._reached()
        if sure and seen is not None and numbers.distance(seen, number) > 0:
            # A sender that counts on is never behind what was received of it.
            seen = None
        self.expected, self.known = base, number
        # The SYNCH may be older than what was received; if that seems to be very far ahead, the numbers have wrapped.
        if seen is not None and numbers.distance(seen, base) > 0 and numbers.distance(seen, number) < numbers.half // 2:
            self.expected = seen
            if numbers.distance(seen, number) > 0:
                self.known = seen
        self._seen, self._started = seen, self.expected
        self.synched = True

    def _reached(self) -> int | None:
        """The number after the last sample that was received; None when none was."""
        return self._seen if not self.synched or self.expected == self._started else self.expected

    def _disagree(self, number: int, base: int, now: float) -> None:
        """What the receiver waits for is beyond what the sender has, or before it.

        A SYNCH that was long on its way says so too, and one of an earlier session may have led the receiver astray.
        """
        self._stray += 1
        if self._stray == 1:
            self._stray_since = now
        elif self._stray >= STRAY_SYNCHS and now - self._stray_since >= STRAY_SECONDS:
            self._stray = 0
            self.resynchronised += 1
            reached = self._reached()
            self._begin(number, base, sure=True)
            if reached is not None and (gap := self._numbers.distance(self.expected, reached)) > 0:
                self.lost += gap
            self._held.clear()
            self.taken.clear()
            self.part = 0
            self.refused = False
