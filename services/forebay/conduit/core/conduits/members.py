"""The peers that a conduit's samples are for, and how far each has acknowledged them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Members:
    """Peers by the index of their slot. The window's floor is the lowest acknowledgement of any of them."""

    __slots__ = ("_acked",)

    def __init__(self) -> None:
        self._acked: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._acked)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._acked))

    def __contains__(self, peer: int) -> bool:
        return peer in self._acked

    def join(self, peer: int, number: int) -> None:
        """The peer gets the samples from `number` on."""
        self._acked[peer] = number

    def leave(self, peer: int) -> None:
        """The peer no longer holds the window up."""
        self._acked.pop(peer, None)

    def acked(self, peer: int) -> int:
        """The first number that the peer has not acknowledged."""
        return self._acked[peer]

    def acknowledge(self, peer: int, number: int) -> bool:
        """Whether that is more than the peer had acknowledged before."""
        if number <= self._acked[peer]:
            return False
        self._acked[peer] = number
        return True

    def floor(self, number: int) -> int:
        """The first number that some member has not acknowledged; `number` when there are no members."""
        return min(self._acked.values(), default=number)

    def lagging(self, number: int) -> list[int]:
        """The members that have not acknowledged everything before `number`."""
        return [peer for peer, acked in self._acked.items() if acked < number]
