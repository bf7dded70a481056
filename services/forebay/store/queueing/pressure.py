"""Why publishers have to wait: alarms that others watch for, and a disk that takes nothing more."""

from collections.abc import Callable, Sequence
from typing import Protocol

from forebay.pb.store.v1 import store_pb2 as pb


class Alarms(Protocol):
    """Watches memory and disk."""

    on_change: Callable[[], None]
    """Called after each change of `blocked`."""

    @property
    def blocked(self) -> str:
        """Why publishers have to wait; empty: they need not."""
        ...

    def check(self, memory: int, disk_free: int) -> None:
        """How much messages take of the memory now, and how much the disk has left, in octets."""
        ...

    def raised(self) -> Sequence[pb.Alarm]:
        """The alarms of this moment."""
        ...

    def set_limits(self, memory: int, disk_free: int) -> None:
        """Octets of messages in memory above which, and octets left on disk below which there is an alarm."""
        ...


class Unwatched:
    """`Alarms` that never are raised."""

    def __init__(self) -> None:
        self.blocked = ""
        self.on_change: Callable[[], None] = lambda: None

    def check(self, memory: int, disk_free: int) -> None:
        """Nothing comes of it."""

    def raised(self) -> Sequence[pb.Alarm]:
        """None."""
        return ()

    def set_limits(self, memory: int, disk_free: int) -> None:
        """Nothing comes of it."""
