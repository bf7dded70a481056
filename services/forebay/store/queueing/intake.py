"""A batch of messages as columns, as it is taken in: what is kept of each, and what queues need to know of it."""

from collections.abc import Iterator, Sequence
from itertools import count, repeat
from typing import TypeVar

from forebay.msgstore import embeds
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.backing.run import Arrival
from forebay.store.queueing import expiry

T = TypeVar("T")

_TAKEN, _PUBLISHER, _NUMBER = (
    pb.Message.DESCRIPTOR.fields_by_name[name].number << 3 | wire_type
    for name, wire_type in (("taken_ms", 0), ("publisher", 2), ("number", 0))
)
"""Tags of the fields that the store sets."""


class Intake:
    """Messages of one publisher at one moment; a message is named by its position in the batch, from 0 on."""

    def __init__(
        self,
        messages: Sequence[pb.Message],
        taken_ms: int,
        *,
        publisher: str = "",
        first: int = 0,
        letters: bool = False,
    ) -> None:
        """The messages are changed. first: number of the first one, which says something where there is a publisher.

        letters: they are dead letters, which tell how they became that.
        """
        self.taken_ms = taken_ms
        # Each pass over a repeated field of protobuf wraps all of its messages anew.
        self.messages = messages = list(messages)
        if not letters:
            _forget_deaths(messages)
        ends = stamps(taken_ms, publisher)
        if publisher:
            for message, number in zip(messages, count(first), strict=False):
                message.number = number
        self.contents = [message.SerializeToString() + ends for message in messages]
        """What is kept of each."""
        self.added = len(ends)
        """Octets of each that its sender has not sent."""
        self.sizes = list(map(len, self.contents))
        self.octets = sum(self.sizes)
        self.largest = max(self.sizes)
        """Octets of the largest content."""
        self.addresses = [message.address for message in messages]
        self.ttls = _ttls(messages)
        """Milliseconds to live as messages say; None when none of them says anything."""
        self.transients = bytes([message.transient for message in messages])
        self.ids: list[bytes] = []
        """16 octets each."""

    def __len__(self) -> int:
        return len(self.contents)

    @property
    def positions(self) -> range:
        """Of all messages."""
        return range(len(self.contents))

    def embedded(self, queues: Sequence[int]) -> list[bool]:
        """For each message whether its queue keeps it itself. queues: how many it reaches."""
        if queues.count(queues[0]) == len(queues):
            if embeds(self.largest, queues[0]):
                return [True] * len(queues)
            if not embeds(0, queues[0]):
                return [False] * len(queues)
        return list(map(embeds, self.sizes, queues))

    def arrivals(
        self, positions: Sequence[int], embedded: Sequence[bool], *, ttl_ms: int | None, durable: bool, priorities: bool
    ) -> list[Arrival]:
        """These messages as a queue takes them.

        embedded: for all messages, as `embedded` says. ttl_ms: time that the queue gives them to live.
        """
        messages = self.messages
        columns = zip(
            self._chosen(self.contents, positions),
            self._chosen(self.ids, positions),
            self._chosen(embedded, positions),
            expiry.expiries(self.taken_ms, ttl_ms, self.ttls, positions),
            (messages[position].priority for position in positions) if priorities else repeat(0),
            self._persistent(positions, durable=durable),
            strict=False,
        )
        return list(map(Arrival._make, columns))

    def _persistent(self, positions: Sequence[int], *, durable: bool) -> Iterator[bool]:
        transients = self.transients
        if not durable or 1 not in transients:
            return repeat(durable)
        return (not transients[position] for position in positions)

    def _chosen(self, column: Sequence[T], positions: Sequence[int]) -> Sequence[T]:
        if len(positions) == len(column):
            return column
        return [column[position] for position in positions]


def stamps(taken_ms: int, publisher: str) -> bytes:
    """Fields that the store sets, to stand behind a serialised message: what comes last counts."""
    name = publisher.encode()
    ends = _varint(_TAKEN) + _varint(taken_ms) + _varint(_PUBLISHER) + _varint(len(name)) + name
    return ends if publisher else ends + _varint(_NUMBER) + b"\0"


def _forget_deaths(messages: Sequence[pb.Message]) -> None:
    """A publisher does not tell how its messages were dead-lettered."""
    for message in messages:
        if message.deaths:
            message.ClearField("deaths")


def _ttls(messages: Sequence[pb.Message]) -> list[int | None] | None:
    given = [message.HasField("ttl_ms") for message in messages]
    if not any(given):
        return None
    return [message.ttl_ms if has else None for message, has in zip(messages, given, strict=True)]


def _varint(number: int) -> bytes:
    octets = bytearray()
    while number > 0x7F:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    octets.append(number)
    return bytes(octets)
