"""What can be set of a node's sessions."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.session.identity import LIFE_BITS
from forebay.conduit.core.wire.extras import NO_EXTRAS, Extras
from forebay.conduit.core.wire.messages import LEASE_UNIT, MAX_PEER_ID, Properties, Role

if TYPE_CHECKING:
    from collections.abc import Hashable
    from random import Random

KEEPALIVES_A_LEASE = 4


@dataclass(frozen=True)
class SessionSettings:
    """How a node finds peers and keeps its sessions with them. Times are in seconds."""

    peer_id: bytes
    """Own id, 1 to 16 octets: another one for each start of a node, unless `life` tells its starts apart."""
    life: int = 0
    """Which start of a node with this id it is, 0 to 2^32 - 1: each later one has a higher number."""
    lease: float = 5.0
    """How long others take the node for alive after its last datagram; 0: for ever."""
    role: Role = Role.PEER
    """What the node tells others that it is."""
    seeks: Role = Role.PEER | Role.BROKER
    """Whom its SCOUTs ask for."""
    scout_interval: float = 3.0
    """Time between two SCOUTs; infinity: none is sent."""
    scout_count: int = 0
    """How many SCOUTs are sent; 0: for ever."""
    static_peers: tuple[Hashable, ...] = ()
    """Addresses that are scouted one by one, beside the group."""
    open_interval: float = 1.0
    """Time between two OPENs to a peer that does not answer."""
    open_tries: int = 5
    """OPENs after which such a peer is forgotten."""
    max_peers: int = 256
    """Peers at once; more are refused."""
    locators: tuple[str, ...] = ()
    """Where the node is reached, as HELLO and OPEN tell."""
    properties: Properties = ((12, b"\x02\x03"),)
    """Sent with OPEN and ACCEPT; this one is what zhe programs send."""
    extras: Extras = NO_EXTRAS
    """What is offered to other nodes of our own kind; a zhe program is spoken to without."""
    extended: bool = True
    """Tell other nodes of our own kind which session is meant, so that late duplicates of OPEN end none."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.peer_id) <= MAX_PEER_ID:
            raise SettingError(f"peer_id has {len(self.peer_id)} octets: take 1 to {MAX_PEER_ID}")
        if not 0 <= self.life < 1 << LIFE_BITS:
            raise SettingError(f"life is {self.life}: take 0 to {(1 << LIFE_BITS) - 1}")
        if self.lease < 0:
            raise SettingError(f"lease is {self.lease}: take 0, which never ends, or more")
        for name in ("scout_interval", "open_interval", "open_tries", "max_peers"):
            if getattr(self, name) <= 0:
                raise SettingError(f"{name} is {getattr(self, name)}: take more than 0")

    def first_session(self, random: Random) -> int:
        """Where the numbers of its sessions begin: anywhere in this life, but not at its end."""
        return self.life << LIFE_BITS | random.getrandbits(LIFE_BITS - 1)

    @property
    def lease_units(self) -> int:
        """The lease as OPEN and ACCEPT tell it."""
        return ceil(self.lease / LEASE_UNIT - 1e-9)

    @property
    def keepalive_interval(self) -> float:
        """The longest silence towards any peer."""
        return self.lease_units * LEASE_UNIT / KEEPALIVES_A_LEASE or inf


def lease_seconds(units: int) -> float:
    """What a lease on the wire means."""
    return units * LEASE_UNIT or inf
