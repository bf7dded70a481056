"""An announce: what one client told of itself and one torrent, by whichever front it came."""

from dataclasses import dataclass
from enum import StrEnum


class Event(StrEnum):
    """What has happened to the client's download since its last announce (BEP 3, 21)."""

    NONE = ""
    STARTED = "started"
    STOPPED = "stopped"
    COMPLETED = "completed"
    PAUSED = "paused"
    """A partial seed: it has all it wants, but not all there is."""


# To look a member up in its class costs as much as a call, and each announce is asked for these.
STOPPED, COMPLETED, PAUSED = Event.STOPPED, Event.COMPLETED, Event.PAUSED


# Not frozen, though nobody changes one: making it is a fifth as dear so, and one is made for each request.
@dataclass(slots=True)
class Announce:
    """One client's announce. It is never changed once it is made."""

    info_hash: bytes
    """20 octets."""
    peer_id: bytes
    """20 octets."""
    port: int
    """1 to 65535; 0 only with `STOPPED`."""
    uploaded: int
    """Octets."""
    downloaded: int
    """Octets."""
    left: int | None
    """Octets that are missing; None: not told, which counts as a leecher."""
    event: Event
    numwant: int | None
    """How many peers are wanted, at least 0; None: as many as the tracker thinks right."""
    key: bytes
    """Tells the same client when its address has changed; decoded, at most 32 octets; empty: none."""
    address: bytes
    """Where it came from: 4 or 16 octets; an IPv4 address in an IPv6 one is told as IPv4."""
    compact: bool = True
    """Whether peers are wanted as octets (BEP 23), not as dictionaries."""
    no_peer_id: bool = False
    """Whether dictionaries of peers shall be without the peer ids."""
