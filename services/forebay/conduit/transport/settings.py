"""Where a node is on the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.conduit.transport.places import Place


@dataclass(frozen=True)
class TransportSettings:
    """Where a node listens, and whom it seeks."""

    listen: Place
    """Where datagrams come in and go out; port 0: any free one."""
    group: Place | None = None
    """The multicast group; None: what is for all goes to each peer by itself."""
    interface: str = "0.0.0.0"  # noqa: S104 the system's own choice
    """IPv4 address of the interface that multicast goes over."""
    streams: Place | None = None
    """Where streams are taken; None: nowhere, though the node may open some."""
    most_streams: int = 256
    """Streams at once; more are closed."""
    socket_octets: int = 4 << 20
    """What the system is asked to keep of datagrams that come in; it may keep less."""
    peers: tuple[Place, ...] = ()
    """Places that are sought one by one; names are looked up again, and stand for all their addresses."""
    resolve_interval: float = 30.0
    """Seconds between two look-ups of names; it is also how long one may take."""

    @property
    def group_address(self) -> tuple[str, int] | None:
        """Where what is for all goes."""
        return (self.group.host, self.group.port) if self.group else None
