"""Reading the fields of one datagram, one after the other."""

from __future__ import annotations

from forebay.conduit.core.wire.vle import MORE, id_from_wire

WIDE = 1 << 64
"""Numbers that nothing else limits are below this."""


class UnreadableError(Exception):
    """Kept inside of this package: what a field holds cannot be read, the decoder makes a `Malformed` of it."""


class Reader:
    """A place in a datagram; each method reads a field there, and raises `UnreadableError` if it can't."""

    __slots__ = ("at", "data", "numbers")

    def __init__(self, data: bytes, numbers: int) -> None:
        self.data = data
        self.at = 0
        """Where the next field begins."""
        self.numbers = numbers
        """Numbers of samples are below this."""

    def octet(self, name: str) -> int:
        """One octet."""
        at = self.at
        if at >= len(self.data):
            raise UnreadableError(f"the datagram ends before {name}")
        self.at = at + 1
        return self.data[at]

    def vle(self, name: str, limit: int = WIDE) -> int:
        """A number below the limit."""
        octet = self.octet(name)
        if octet < MORE:
            number = octet
        else:
            number, shift = octet & 0x7F, 7
            while octet >= MORE:
                octet = self.octet(name)
                number |= (octet & 0x7F) << shift
                shift += 7
                if number >= limit:
                    break
            if not octet:
                raise UnreadableError(f"{name} has zeros at its upper end")
        if number >= limit:
            raise UnreadableError(f"{name} is not below {limit}")
        return number

    def low_bits(self, name: str, bits: int) -> int:
        """The lowest bits of a number of any length; higher ones are passed over."""
        start = self.at
        while self.octet(name) >= MORE:
            pass
        octets = self.data[start : min(self.at, start + bits // 7 + 1)]
        number = 0
        for octet in reversed(octets):
            number = number << 7 | octet & 0x7F
        return number & (1 << bits) - 1

    def number(self) -> int:
        """The number of a sample."""
        return self.vle("the number of a sample", self.numbers)

    def id(self, name: str) -> int:
        """The id of a resource, or below 0 of a selection."""
        return id_from_wire(self.vle(name))

    def octets(self, name: str) -> bytes:
        """A vector of octets."""
        size = self.vle(name)
        start = self.at
        end = start + size
        if end > len(self.data):
            raise UnreadableError(f"{name} has {size} octets, the datagram ends after {len(self.data) - start}")
        self.at = end
        return self.data[start:end]

    def text(self, name: str) -> str:
        """A string, whatever its octets are: whether it is sound is for those to say who use it."""
        return self.octets(name).decode("latin-1")

    def count(self, name: str) -> int:
        """How many items follow, of which each has one octet at least."""
        found = self.vle(name)
        left = len(self.data) - self.at
        if found > left:
            raise UnreadableError(f"{name} is {found}, the datagram ends after {left} octets")
        return found
