"""Numbers of samples: they wrap on the wire, and count on without end inside of a node."""

from __future__ import annotations

from functools import cache

from forebay.conduit.core.wire.vle import vle, vle_size

LOW_BITS = 14
LOW_MASK = (1 << LOW_BITS) - 1


class Numbers:
    """Arithmetic with numbers of so many bits, and how runs of them look on the wire."""

    __slots__ = ("bits", "half", "mask", "octets")

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.mask = (1 << bits) - 1
        self.half = 1 << (bits - 1)
        self.octets = vle_size(self.mask)
        """What a number takes at most."""

    def distance(self, number: int, origin: int) -> int:
        """How far `number` is ahead of `origin`; negative when it is behind. Either may be wrapped."""
        return ((number - origin + self.half) & self.mask) - self.half

    def after(self, number: int, origin: int) -> int:
        """The unwrapped number that a wrapped one stands for, if it is `origin` or one of those that follow."""
        return origin + ((number - origin) & self.mask)

    def encoded(self, first: int, count: int) -> list[bytes]:
        """How `count` numbers look on the wire, beginning with an unwrapped one."""
        found: list[bytes] = []
        while len(found) < count:
            at = (first + len(found)) & self.mask
            high, low = at >> LOW_BITS, at & LOW_MASK
            stop = min(low + count - len(found), LOW_MASK + 1, self.mask + 1 - (high << LOW_BITS))
            if high:
                tail = vle(high)
                found += [pair + tail for pair in _pairs()[low:stop]]
            else:
                found += _low_table()[low:stop]
        return found


@cache
def _low_table() -> list[bytes]:
    return [vle(number) for number in range(1 << LOW_BITS)]


@cache
def _pairs() -> list[bytes]:
    """The two octets of the lowest bits, when more follow."""
    return [bytes((low & 0x7F | 0x80, low >> 7 | 0x80)) for low in range(1 << LOW_BITS)]
