"""Topologies: which server serves a slot. One server (found directly or by Sentinels), or a cluster."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Protocol

from redis.asyncio.sentinel import Sentinel
from redis.exceptions import RedisError, ResponseError

from forebay.runtime import Supervisor
from forebay.spill.address import Address, Endpoint, Form
from forebay.spill.errors import SpillCheckError, SpillUnavailableError
from forebay.spill.link import new_connection
from forebay.spill.server import Server, Watcher
from forebay.spill.settings import RESTART, SpillSettings

SLOTS = 16384
REFRESH_PAUSE = 0.5
"""Seconds between two looks at a cluster that is not whole."""


class Topology(Protocol):
    """Finds servers."""

    def server(self, slot: int) -> Server:
        """The server of a slot. Raises `SpillUnavailableError` when none is known."""

    def servers(self) -> Collection[Server]:
        """All servers that hold slots."""

    def at(self, endpoint: Endpoint) -> Server:
        """The server a redirection names. Raises `SpillUnavailableError`."""

    def moved(self, slot: int, server: Server) -> None:
        """A slot was said to be at this server."""

    def authenticate(self, address: Address) -> None:
        """Use the user and password of an address when connecting next."""

    async def close(self) -> None:
        """Close all servers."""


def new_topology(address: Address, settings: SpillSettings, watcher: Watcher) -> Topology:
    """The topology an address asks for; it connects in the background."""
    if address.form is Form.CLUSTER:
        return ClusterTopology(address, settings, watcher)
    return SingleTopology(address, settings, watcher)


class SingleTopology:
    """One server, or one master and the Sentinels that know which it is."""

    def __init__(self, address: Address, settings: SpillSettings, watcher: Watcher) -> None:
        self._address = address
        self._sentinel = _sentinel(address, settings) if address.form is Form.SENTINEL else None
        self._server = Server(address, self._locate, settings, watcher)

    def server(self, slot: int) -> Server:
        """The one server."""
        return self._server

    def servers(self) -> Collection[Server]:
        """The one server."""
        return (self._server,)

    def at(self, endpoint: Endpoint) -> Server:
        """No server redirects here."""
        raise SpillUnavailableError(f"{self._server} sends its clients to {endpoint}")

    def moved(self, slot: int, server: Server) -> None:
        """Not in one server."""

    def authenticate(self, address: Address) -> None:
        """Tell the one server."""
        self._address = address
        self._server.authenticate(address)

    async def close(self) -> None:
        """Close the server and the connections to Sentinels."""
        await self._server.close()
        if self._sentinel:
            await self._sentinel.aclose()

    async def _locate(self) -> Endpoint | None:
        if self._sentinel is None:
            return self._address.endpoints[0] if self._address.endpoints else None
        try:
            host, port = await self._sentinel.discover_master(self._address.service)
        except (RedisError, OSError) as error:
            raise SpillUnavailableError(f"the Sentinels name no master: {error}") from error
        return Endpoint(host, int(port))


class ClusterTopology:
    """The masters of a cluster. Its map of slots is read again whenever it proves wrong."""

    def __init__(self, address: Address, settings: SpillSettings, watcher: Watcher) -> None:
        self._address = address
        self._settings = settings
        self._watcher = watcher
        self._slots: list[Server | None] = [None] * SLOTS
        self._servers: dict[Endpoint, Server] = {}
        self._error: SpillUnavailableError | SpillCheckError = SpillUnavailableError("not connected to the cluster yet")
        self._stale = asyncio.Event()
        self._stale.set()
        self._supervisor = Supervisor()
        self._supervisor.spawn("spill map of the cluster", self._keep, RESTART)

    def server(self, slot: int) -> Server:
        """The master of a slot."""
        server = self._slots[slot]
        if server is None:
            raise self._error
        return server

    def servers(self) -> Collection[Server]:
        """All masters."""
        return self._servers.values()

    def at(self, endpoint: Endpoint) -> Server:
        """A master by its place, also one that the map does not name yet."""
        if endpoint not in self._servers:
            self._servers[endpoint] = self._new_server(endpoint)
        return self._servers[endpoint]

    def moved(self, slot: int, server: Server) -> None:
        """Follow one redirection at once; the rest of the map comes with the next look."""
        self._slots[slot] = server
        self._stale.set()

    def authenticate(self, address: Address) -> None:
        """Tell all servers, and have it for those to come."""
        self._address = address
        for server in self._servers.values():
            server.authenticate(address)

    async def close(self) -> None:
        """Close all servers."""
        await self._supervisor.close()
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    def _new_server(self, endpoint: Endpoint) -> Server:
        async def locate() -> Endpoint:
            return endpoint

        return Server(self._address, locate, self._settings, self._watcher)

    async def _keep(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_PAUSE):
                    await self._stale.wait()
            if not self._stale.is_set() and all(server.available for server in self._servers.values()):
                continue
            self._stale.clear()
            try:
                await self._apply(await self._look())
            except (SpillUnavailableError, SpillCheckError) as error:
                self._error = error
                self._stale.set()
                self._tell(error)
                await asyncio.sleep(REFRESH_PAUSE)

    def _tell(self, error: SpillUnavailableError | SpillCheckError) -> None:
        if not self._servers:
            self._watcher.left(None, error)

    async def _apply(self, slots: dict[range, Endpoint]) -> None:
        wanted = set(slots.values())
        gone = [self._servers.pop(endpoint) for endpoint in set(self._servers) - wanted]
        fresh: list[Server | None] = [None] * SLOTS
        for covered, endpoint in slots.items():
            fresh[covered.start : covered.stop] = [self.at(endpoint)] * len(covered)
        self._slots = fresh
        self._error = SpillUnavailableError("the cluster has no master for a slot")
        await asyncio.gather(*(server.close() for server in gone))

    async def _look(self) -> dict[range, Endpoint]:
        error = self._error
        for endpoint in dict.fromkeys((*self._servers, *self._address.endpoints)):
            try:
                return await self._ask(endpoint)
            except SpillUnavailableError as failure:
                error = failure
        raise error

    async def _ask(self, endpoint: Endpoint) -> dict[range, Endpoint]:
        connection = new_connection(self._address, endpoint, self._settings)
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                await connection.connect()  # type: ignore[no-untyped-call]
                await connection.send_command("CLUSTER", "SLOTS")
                reply = await connection.read_response(disable_decoding=True)
        except ResponseError as error:
            raise SpillCheckError("cluster-enabled", str(error), "give a URL of the form redis://") from error
        except (RedisError, OSError) as error:
            raise SpillUnavailableError(f"{endpoint} does not tell the cluster's slots: {error}") from error
        finally:
            await connection.disconnect(nowait=True)
        return _parse_slots(reply, endpoint)


def _parse_slots(reply: list[list[object]], asked: Endpoint) -> dict[range, Endpoint]:
    """Ranges of slots and their masters, of a reply to CLUSTER SLOTS; a master without a host is the one asked."""
    slots = {}
    for first, last, master, *_ in reply:
        host, port = master[:2]  # type: ignore[index]
        slots[range(first, last + 1)] = Endpoint(host.decode() if host else asked.host, port)  # type: ignore[call-overload,operator]
    return slots


def _sentinel(address: Address, settings: SpillSettings) -> Sentinel:
    waits = {"socket_timeout": settings.connect_timeout, "socket_connect_timeout": settings.connect_timeout}
    return Sentinel(list(address.endpoints), sentinel_kwargs=waits)  # type: ignore[no-untyped-call]
