"""What can go wrong with a node on real sockets, beside the errors of the core.

ConduitError               of `forebay.conduit.core.errors`
├── NodeClosedError        a node was used that has not begun, or has ended
├── ExpiredError           samples had no room in the window until their deadline
└── SpillFullError         as much is laid aside as may
"""

from __future__ import annotations

from forebay.conduit.core.errors import ConduitError


class NodeClosedError(ConduitError):
    """A node, or something of it, was used that has not begun, or has ended: use it within its `async with`."""


class ExpiredError(ConduitError):
    """The first `written` samples of a write were sent; the others had no room in the window until their deadline."""

    def __init__(self, written: int, expired: int) -> None:
        super().__init__(
            f"{expired} samples had no room in the window until their deadline, {written} before them were sent: "
            "write fewer, or raise the deadline or window_octets"
        )
        self.written = written
        self.expired = expired


class SpillFullError(ConduitError):
    """As much is laid aside as may; none of the samples was taken."""

    def __init__(self, octets: int, limit: int) -> None:
        super().__init__(
            f"{octets} octets of samples are laid aside, and spill_octets is {limit}: "
            "write again once there is room, or raise spill_octets"
        )
