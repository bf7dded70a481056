"""How what a caller writes becomes numbered messages on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from forebay.conduit.core.wire.encoder import encode
from forebay.conduit.core.wire.messages import Data, WriteData
from forebay.conduit.core.wire.samples import encode_samples
from forebay.conduit.core.wire.vle import id_to_wire, vle_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.numbers import Numbers
    from forebay.conduit.core.wire.messages import Declare
    from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Migrate, Pull, Query, Reply

    Unnumbered: TypeAlias = BatchData | ConduitClose | Data | Declare | Migrate | Pull | Query | Reply | WriteData
    """A message that is complete but for its number, whatever stands there."""

T_contra = TypeVar("T_contra", contravariant=True)


class Form(Protocol[T_contra]):
    """One kind of message. Its octets have to be the same each time but for those of the number."""

    def encode(self, first: int, numbers: Numbers, items: Sequence[T_contra]) -> list[bytes]:
        """One message for each item, with the numbers from `first` on, which is not wrapped."""
        ...

    def largest(self, items: Sequence[T_contra], number: int) -> int:
        """Octets of the largest message that one of the items can become, when a number takes `number` octets."""
        ...

    def message(self, item: T_contra) -> Data | WriteData | None:
        """The sample that an item becomes, complete but for its number; None when it can't go in pieces."""
        ...


class DataForm:
    """Payloads of one resource or selection."""

    __slots__ = ("_overhead", "_reliable", "_rid")

    def __init__(self, rid: int, *, reliable: bool) -> None:
        self._rid = rid
        self._reliable = reliable
        self._overhead = 1 + vle_size(id_to_wire(rid))

    def encode(self, first: int, numbers: Numbers, items: Sequence[bytes]) -> list[bytes]:  # noqa: D102
        return encode_samples(numbers.encoded(first, len(items)), self._rid, items, reliable=self._reliable)

    def largest(self, items: Sequence[bytes], number: int) -> int:  # noqa: D102
        return self.size(max(map(len, items), default=0), number)

    def message(self, item: bytes) -> Data:  # noqa: D102
        return Data(0, self._reliable, False, 0, self._rid, None, item)

    def size(self, payload: int, number: int) -> int:
        """Octets of a message with a payload of so many octets and a number of `number` octets."""
        return self._overhead + number + vle_size(payload) + payload


class MessageForm:
    """Messages that are complete but for their number."""

    __slots__ = ()

    def encode(self, first: int, numbers: Numbers, items: Sequence[Unnumbered]) -> list[bytes]:  # noqa: D102
        return [_encoded(item, first + place & numbers.mask) for place, item in enumerate(items)]

    def largest(self, items: Sequence[Unnumbered], number: int) -> int:  # noqa: D102
        return max((len(_encoded(item, 0)) + number - 1 for item in items), default=0)

    def message(self, item: Unnumbered) -> Data | WriteData | None:  # noqa: D102
        return item if isinstance(item, (Data, WriteData)) else None


MESSAGE_FORM = MessageForm()
"""There is nothing in it that differs."""


def _encoded(message: Unnumbered, number: int) -> bytes:
    out = bytearray()
    encode(out, message._replace(number=number))
    return bytes(out)


def within(messages: list[bytes], octets: int) -> list[bytes]:
    """The first of the messages that fit into so many octets."""
    if sum(map(len, messages)) <= octets:
        return messages
    for count, message in enumerate(messages):
        octets -= len(message)
        if octets < 0:
            return messages[:count]
    return messages
