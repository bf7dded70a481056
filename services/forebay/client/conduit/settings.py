"""What can be set of a node on real sockets."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.errors import SettingError
from forebay.conduit.transport.places import parse_place
from forebay.conduit.transport.settings import TransportSettings

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class ConduitNodeSettings:
    """A node: where it listens, whom it seeks, and its limits. Times are in seconds."""

    listen: str = "udp/0.0.0.0:0"
    """Where datagrams come in and go out; port 0: any free one."""
    group: str | None = None
    """Multicast place, such as `udp/239.255.0.1:7447`; None: what is for all goes to each peer by itself."""
    interface: str = "0.0.0.0"  # noqa: S104 the system's own choice
    """IPv4 address of the interface that multicast goes over; 127.0.0.1: it stays on this machine."""
    streams: str | None = None
    """Where streams are taken, such as `tcp/0.0.0.0:7447`; None: nowhere, though the node may open some."""
    peers: tuple[str, ...] = ()
    """Places that are sought one by one; names are looked up again, and stand for all their addresses."""
    resolve_interval: float = 30.0
    """Time between two look-ups of names; it is also how long one may take."""
    lease: float = 5.0
    """How long others take the node for alive after its last datagram."""
    scout_interval: float = 3.0
    """Time between two SCOUTs."""
    max_peers: int = 256
    """Peers at once."""
    peer_id: bytes = b""
    """Own id, 1 to 16 octets; empty: another one for each node."""
    conduits: tuple[ConduitSettings, ...] = (ConduitSettings(), ConduitSettings())
    """The conduits to all peers, by their number."""
    unicast: ConduitSettings = field(default_factory=lambda: ConduitSettings(window_octets=65536))
    """The conduit to each peer alone."""
    largest_sample: int = 4 << 20
    """Octets of the largest sample that is taken in pieces, from nodes of our own kind; 0: none is."""
    long_numbers: bool = True
    """Whether samples to and from one node of our own kind alone are counted in 28 bits, for fast or slow networks."""
    keys: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    """Keys that datagrams are sealed with, by id: each 16 to 64 octets, the first one seals. None: they are not sealed,
    and a node that seals is not spoken to."""
    queue_samples: int = 16384
    """Samples that wait for one subscriber to take them; more stay with their senders."""
    spill_octets: int = 16 << 20
    """Octets of one publisher's samples that are laid aside with `Congestion.SPILL`."""
    socket_octets: int = 4 << 20
    """What the system is asked to keep of datagrams that come in; it may keep less."""

    def __post_init__(self) -> None:
        for setting, text in (("listen", self.listen), ("group", self.group), ("streams", self.streams)):
            if text is not None:
                transport = parse_place(text, setting).transport
                if (transport == "tcp") != (setting == "streams"):
                    raise SettingError(f"{setting} is {text!r}: take {'tcp' if setting == 'streams' else 'udp'}/…")
        for peer in self.peers:
            parse_place(peer, "peers")
        self._check_group()
        if self.largest_sample < 0:
            raise SettingError(f"largest_sample is {self.largest_sample}: take 0, or more")
        for name in ("resolve_interval", "queue_samples", "spill_octets", "socket_octets"):
            if getattr(self, name) <= 0:
                raise SettingError(f"{name} is {getattr(self, name)}: take more than 0")

    @property
    def transport(self) -> TransportSettings:
        """The part of the sockets."""
        return TransportSettings(
            listen=parse_place(self.listen, "listen"),
            group=parse_place(self.group, "group") if self.group else None,
            interface=self.interface,
            streams=parse_place(self.streams, "streams") if self.streams else None,
            most_streams=self.max_peers,
            socket_octets=self.socket_octets,
            peers=tuple(parse_place(peer, "peers") for peer in self.peers),
            resolve_interval=self.resolve_interval,
        )

    def _check_group(self) -> None:
        if self.group is None:
            return
        try:
            multicast = IPv4Address(parse_place(self.group, "group").host).is_multicast
            IPv4Address(self.interface)
        except ValueError as error:
            raise SettingError(f"group and interface take IPv4 addresses: {error}") from None
        if not multicast:
            raise SettingError(f"group is {self.group!r}: take an address in 224.0.0.0/4")
