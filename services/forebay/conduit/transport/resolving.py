"""Addresses of the peers that are sought by name or address."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

from forebay.conduit.core.wire.locators import Locator

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from forebay.conduit.transport.places import Place

_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}


def is_name(host: str) -> bool:
    """Whether it has to be looked up."""
    try:
        ip_address(host)
    except ValueError:
        return True
    return False


class Resolver:
    """Looks up places again and again; one that cannot be looked up now keeps the addresses it had."""

    def __init__(self, places: Sequence[Place], version: int) -> None:
        """`version`: 4 or 6, of the addresses that the node's UDP socket reaches."""
        self._places = places
        self._family = _FAMILIES[version]
        self._found: dict[Place, tuple[Hashable, ...]] = {}

    @property
    def has_names(self) -> bool:
        """Whether addresses may change."""
        return any(is_name(place.host) for place in self._places)

    async def look_up(self, within: float) -> tuple[Hashable, ...]:
        """All addresses, without repeats; `within` in seconds."""
        await asyncio.gather(*(self._look_up(place, within) for place in self._places))
        return tuple(dict.fromkeys(address for found in self._found.values() for address in found))

    async def _look_up(self, place: Place, within: float) -> None:
        stream = place.transport == "tcp"
        kind = socket.SOCK_STREAM if stream else socket.SOCK_DGRAM
        family = socket.AF_UNSPEC if stream else self._family
        # A socket for both kinds of addresses reaches those of IPv4 in this form.
        flags = socket.AI_V4MAPPED if family == socket.AF_INET6 else 0
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(within):
                answers = await loop.getaddrinfo(place.host, place.port, type=kind, family=family, flags=flags)
        except OSError:
            return
        ends = [answer[4] for answer in answers]
        self._found[place] = tuple(Locator("tcp", str(end[0]), int(end[1])) for end in ends) if stream else tuple(ends)
