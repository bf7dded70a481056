"""Names of trackers, looked up at most once in a while."""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from typing import Any, NamedTuple

REMEMBERED = 10.0
"""Seconds for which addresses are remembered."""
MOST = 1000
"""Names that are remembered."""

AddressInfo = tuple[Any, ...]
"""As `socket.getaddrinfo` gives it: family, type, protocol, canonical name, address."""
_Place = tuple[str, int]


class _Known(NamedTuple):
    addresses: list[AddressInfo]
    until: float


class Names:
    """Looks names up for all who connect; who asks for a name that is being looked up waits for the same answer."""

    def __init__(self) -> None:
        self._known: OrderedDict[_Place, _Known] = OrderedDict()
        self._lookups: dict[_Place, asyncio.Task[list[AddressInfo]]] = {}

    async def addresses(self, host: str, port: int) -> list[AddressInfo]:
        """Addresses of a host, at least one. Raises `socket.gaierror`."""
        if numeric := _numeric(host, port):
            return numeric
        place = host, port
        known = self._known.get(place)
        if known is not None and known.until > asyncio.get_running_loop().time():
            return known.addresses
        lookup = self._lookups.get(place)
        if lookup is None:
            lookup = self._lookups[place] = asyncio.create_task(self._look_up(place), name=f"look up {host}")
            lookup.add_done_callback(lambda done: self._looked_up(place, done))
        return await asyncio.shield(lookup)

    async def close(self) -> None:
        """Look nothing up any more."""
        for lookup in self._lookups.values():
            lookup.cancel()
        await asyncio.gather(*self._lookups.values(), return_exceptions=True)

    async def _look_up(self, place: _Place) -> list[AddressInfo]:
        host, port = place
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [tuple(address) for address in found]

    def _looked_up(self, place: _Place, lookup: asyncio.Task[list[AddressInfo]]) -> None:
        del self._lookups[place]
        # Nobody may wait for it any more, and then nobody else asks what went wrong.
        if lookup.cancelled() or lookup.exception() is not None:
            return
        self._known[place] = _Known(lookup.result(), asyncio.get_running_loop().time() + REMEMBERED)
        self._known.move_to_end(place)
        if len(self._known) > MOST:
            self._known.popitem(last=False)


def _numeric(host: str, port: int) -> list[AddressInfo]:
    """The address that the host is written as; none when it is a name. Raises `socket.gaierror` when it is neither."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, str(error)) from error
    try:
        return [*socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)]
    except socket.gaierror:
        return []
