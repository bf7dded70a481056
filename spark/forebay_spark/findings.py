"""What a verification finds, in parts that add up, and what follows from all of them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from forebay_spark.sources.messagefiles import DAMAGED
from forebay_spark.verdict import Fault, FileVerdict, Verdict

T = TypeVar("T")

ORPHAN = "orphan"
"""Fault of a message that the index keeps and nobody needs: it would never be deleted."""
LEAKED = "leaked"
"""Fault of a message that somebody needs and that is not there."""
MISCOUNTED = "miscounted"
"""Fault of a message for which the index counts other references than there are."""
TOLD = 1000
"""Faults of a kind that come to the driver one by one from each task; others are only counted."""


class Message(NamedTuple):
    """A message, and where it is or, by the index, should be."""

    id: bytes
    file: int | None
    place: int | None

    def is_in(self, stretch: "Stretch") -> bool:
        """Whether its place is in a stretch of its file."""
        return self.place is not None and stretch.place <= self.place < stretch.place + stretch.octets

    def __str__(self) -> str:
        name = f"message {self.id.hex()}"
        return name if self.file is None else f"{name} at {self.place} of file {self.file}"


class Stretch(NamedTuple):
    """Octets of a message file that are no whole record."""

    file: int
    place: int
    octets: int
    id: bytes
    """Of the message, where that can be told, else empty."""
    is_torn: bool

    def __str__(self) -> str:
        name = f"message {self.id.hex()}" if self.id else "no whole record"
        return f"{name}, {self.octets} octets at {self.place} of file {self.file}"


@dataclass(frozen=True)
class Findings:
    """Findings of some tasks."""

    live: Mapping[int, int] = field(default_factory=dict)
    """Octets of records that somebody needs, by file."""
    messages: int = 0
    """That somebody needs, and that are there."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Faults of messages."""
    faulty: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)
    """Some of the messages that have them."""
    damaged: Mapping[int, int] = field(default_factory=dict)
    """Stretches that are not torn, by file."""
    torn: int = 0
    stretches: tuple[Stretch, ...] = ()
    """Some of both."""
    damage: frozenset[str] = frozenset()
    """Damage of other files than message files, in words."""
    gone: frozenset[int] = frozenset()
    """Files that were deleted before they could be read."""

    def __add__(self, other: "Findings") -> "Findings":
        kinds = self.faulty.keys() | other.faulty.keys()
        return Findings(
            _sum(self.live, other.live),
            self.messages + other.messages,
            _sum(self.faults, other.faults),
            {kind: self.faulty.get(kind, ()) + other.faulty.get(kind, ()) for kind in kinds},
            _sum(self.damaged, other.damaged),
            self.torn + other.torn,
            self.stretches + other.stretches,
            self.damage | other.damage,
            self.gone | other.gone,
        )

    def verdict(self, sizes: Mapping[int, int]) -> Verdict:
        """What follows. sizes: octets by file."""
        lost = dict(self._lost())
        # A write that was cut short is no fault; but who needs a message was told that it was whole once.
        rotten = {stretch for stretch in lost.values() if stretch.is_torn}
        faults = Counter(self.faults)
        faults[LEAKED] -= len(lost)
        faults[DAMAGED] += sum(self.damaged.values()) + len(rotten) + len(self.damage)
        damaged = Counter(self.damaged) + Counter(stretch.file for stretch in rotten)
        return Verdict(
            files=[
                FileVerdict(number, size, self.live.get(number, 0), damaged[number]) for number, size in sizes.items()
            ],
            messages=self.messages,
            torn=self.torn - len(rotten),
            faults=+faults,
            named=[*self._damages(rotten), *self._faults(lost)],
        )

    def _lost(self) -> Iterator[tuple[Message, Stretch]]:
        """Messages that are not there because their record is damaged."""
        by_id = {stretch.id: stretch for stretch in self.stretches if stretch.id}
        by_file: defaultdict[int | None, list[Stretch]] = defaultdict(list)
        for stretch in self.stretches:
            by_file[stretch.file].append(stretch)
        for message in self.faulty.get(LEAKED, ()):
            found = by_id.get(message.id) or next(filter(message.is_in, by_file[message.file]), None)
            if found is not None:
                yield message, found

    def _damages(self, rotten: Collection[Stretch]) -> Iterator[Fault]:
        for text in sorted(self.damage):
            yield Fault(DAMAGED, text)
        for stretch in sorted(self.stretches):
            if not stretch.is_torn or stretch in rotten:
                yield Fault(DAMAGED, str(stretch))

    def _faults(self, lost: Collection[Message]) -> Iterator[Fault]:
        for kind, messages in self.faulty.items():
            yield from (Fault(kind, str(message)) for message in sorted(messages) if message not in lost)


def _sum(one: Mapping[T, int], other: Mapping[T, int]) -> dict[T, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in one.keys() | other.keys()}
