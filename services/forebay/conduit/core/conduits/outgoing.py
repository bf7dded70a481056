"""Datagrams of conduits on their way out."""

from __future__ import annotations

from typing import NamedTuple


class Outgoing(NamedTuple):
    """One of them."""

    peer: int | None
    """Index of the peer that it is for; None: all of them."""
    datagram: bytes
