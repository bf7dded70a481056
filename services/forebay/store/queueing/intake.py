"""A batch of messages as columns, as it is taken in: what is kept of each, and what queues need to know of it."""

from array import array
from collections.abc import Sequence
from typing import TypeVar

from forebay.msgstore import embeds
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import protowire
from forebay.store.backing.arrivals import Arrivals
from forebay.store.queueing import expiry
from forebay.store.queueing.messages import Messages

T = TypeVar("T")

_FIELDS = {name: field.number for name, field in pb.Message.DESCRIPTOR.fields_by_name.items()}
_TAKEN = protowire.tag(_FIELDS["taken_ms"], protowire.VARINT)
_NUMBER = protowire.tag(_FIELDS["number"], protowire.VARINT)


class Intake:
    """Messages of one publisher at one moment; a message is named by its position in the batch, from 0 on."""

    def __init__(
        self, messages: Messages, taken_ms: int, *, publisher: str = "", first: int = 0, letters: bool = False
    ) -> None:
        """first: number of the first one, which says something where there is a publisher.

        letters: they are dead letters, which tell how they became that.
        """
        self.taken_ms = taken_ms
        self.messages = messages
        count = len(messages)
        address = messages.plain_address
        contents = messages.contents
        if address is None:
            contents = contents if letters else _without_deaths(messages)
        self.contents = list(map(bytes.__add__, contents, stamps(taken_ms, publisher, first, count)))
        """What is kept of each."""
        self.sizes = array("I", map(len, self.contents))
        self.octets = sum(self.sizes)
        self.largest = max(self.sizes)
        """Octets of the largest content."""
        self.addresses = [address] * count if address is not None else [each.address for each in messages.read]
        self.ttls = None if address is not None else _ttls(messages.read)
        """Milliseconds to live as messages say; None when none of them says anything."""
        self.transients = bytes(count) if address is not None else bytes([each.transient for each in messages.read])
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
    ) -> Arrivals:
        """These messages as a queue takes them.

        embedded: for all messages, as `embedded` says. ttl_ms: time that the queue gives them to live.
        """
        count = len(positions)
        return Arrivals(
            self._chosen(self.contents, positions),
            self._chosen(self.ids, positions),
            self.sizes if count == len(self) else array("I", [self.sizes[position] for position in positions]),
            stored=self._stored(positions, embedded),
            expiries=self._expiries(positions, ttl_ms),
            priorities=[self.messages.read[position].priority for position in positions] if priorities else None,
            persistent=self._persistent(positions, durable=durable),
        )

    def _stored(self, positions: Sequence[int], embedded: Sequence[bool]) -> bytes | None:
        if all(embedded):
            return None
        return bytes([not embedded[position] for position in positions])

    def _expiries(self, positions: Sequence[int], ttl_ms: int | None) -> "array[int] | None":
        if ttl_ms is None and self.ttls is None:
            return None
        return array("Q", expiry.expiries(self.taken_ms, ttl_ms, self.ttls, positions))

    def _persistent(self, positions: Sequence[int], *, durable: bool) -> bool | bytes:
        transients = self.transients
        if not durable or 1 not in transients:
            return durable
        return bytes([not transients[position] for position in positions])

    def _chosen(self, column: list[T], positions: Sequence[int]) -> list[T]:
        if len(positions) == len(column):
            return column
        return [column[position] for position in positions]


def stamps(taken_ms: int, publisher: str, first: int, count: int) -> list[bytes]:
    """Fields that the store sets, to stand behind each serialised message: what comes last counts."""
    name = publisher.encode()
    ends = _TAKEN + protowire.varint(taken_ms) + protowire.opening(_FIELDS["publisher"], len(name)) + name + _NUMBER
    return protowire.varints(first, count, ends) if publisher else [ends + b"\0"] * count


def _without_deaths(messages: Messages) -> list[bytes]:
    """A publisher does not tell how its messages were dead-lettered."""
    contents = messages.contents
    if not any(message.deaths for message in messages.read):
        return contents
    return [
        _without_death(message) if message.deaths else content
        for message, content in zip(messages.read, contents, strict=True)
    ]


def _without_death(message: pb.Message) -> bytes:
    stripped = pb.Message()
    stripped.CopyFrom(message)
    stripped.ClearField("deaths")
    return stripped.SerializeToString()


def _ttls(messages: Sequence[pb.Message]) -> list[int | None] | None:
    given = [message.HasField("ttl_ms") for message in messages]
    if not any(given):
        return None
    return [message.ttl_ms if has else None for message, has in zip(messages, given, strict=True)]
