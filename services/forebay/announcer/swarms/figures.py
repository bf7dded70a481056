"""What is told of a swarm, and of a peer."""

from typing import NamedTuple


class Figures(NamedTuple):
    """The sizes of a swarm."""

    complete: int
    """Clients that have all of it."""
    downloaded: int
    """How often it was completed."""
    incomplete: int
    """Clients that lack something."""
    downloaders: int
    """Those of them that want it still: partial seeds are left out (BEP 21)."""


class Candidate(NamedTuple):
    """A peer that is told by more than its octets."""

    endpoint: bytes
    """4 or 16 octets of address, 2 of port."""
    peer_id: bytes
    """20 octets; empty: unknown, since another tracker told of the peer."""


NOBODY = Figures(0, 0, 0, 0)
"""Of a torrent that nobody has announced."""
