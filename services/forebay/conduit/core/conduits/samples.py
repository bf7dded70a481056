"""How a run of samples becomes numbered messages on the wire, many at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.numbers import vle

if TYPE_CHECKING:
    from collections.abc import Sequence


class SampleForm:
    """What all messages of one kind share: the first octet, and what stands between the number and the payload."""

    __slots__ = ("_prefix", "_sized", "_tails", "head")

    KEPT_TAILS = 64

    def __init__(self, head: int, prefix: bytes, *, sized: bool = True) -> None:
        """`prefix` follows the number; `sized` says that the payload's length does too."""
        self.head = bytes((head,))
        self._prefix = prefix
        self._sized = sized
        self._tails: dict[int, bytes] = {}

    def tail(self, size: int) -> bytes:
        """What stands between the number and a payload of so many octets."""
        tail = self._tails.get(size)
        if tail is None:
            tail = self._prefix + vle(size) if self._sized else self._prefix
            if len(self._tails) < self.KEPT_TAILS:
                self._tails[size] = tail
        return tail

    def size(self, payload: int, number: int) -> int:
        """Octets of a message with a payload of so many octets and a number that takes `number` octets."""
        return 1 + number + len(self.tail(payload)) + payload

    def encode(self, numbers: Sequence[bytes], payloads: Sequence[bytes]) -> list[bytes]:
        """One message for each payload."""
        head = self.head
        if len(set(map(len, payloads))) == 1:
            tail = self.tail(len(payloads[0]))
            return [head + number + tail + payload for number, payload in zip(numbers, payloads, strict=True)]
        size_tail = self.tail
        return [
            head + number + size_tail(len(payload)) + payload for number, payload in zip(numbers, payloads, strict=True)
        ]


def within(messages: Sequence[bytes], octets: int) -> Sequence[bytes]:
    """The first of the messages that fit into so many octets."""
    if sum(map(len, messages)) <= octets:
        return messages
    for count, message in enumerate(messages):
        octets -= len(message)
        if octets < 0:
            return messages[:count]
    return messages
