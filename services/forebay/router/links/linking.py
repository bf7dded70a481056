"""Calling other routers, and calling again."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import grpc
import structlog
from grpc.aio import AioRpcError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.linkstream import LinkStream
from forebay.router.links.neighbour import State
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinkSettings
from forebay.runtime.address import parse_address
from forebay.runtime.backoff import Backoff
from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.channel import ChannelSettings, ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.errors import AlreadyExistsError, ServiceError

LINK = f"/{pb.DESCRIPTOR.services_by_name['RouterService'].full_name}/Link"
LOOK_SECONDS = 0.2
"""How often is looked whether a router that has called us is still there."""

Call = grpc.aio.StreamStreamCall[Any, pb.LinkRequest]

log = structlog.stdlib.get_logger(__name__)


class Linking:
    """One link that this router makes, to one of several addresses."""

    def __init__(self, neighbours: Neighbours, settings: LinkSettings, clock: Clock) -> None:
        """Raises `AddressError` or `CertificateError`."""
        self.settings = settings
        self.problem = "not tried yet"
        """What keeps the link from being up; empty: it is."""
        self._neighbours = neighbours
        self._clock = clock
        self._turn = 0
        self._other: tuple[str, str] | None = None
        tls = neighbours.settings.tls
        folder = CertificateFolder(tls) if tls else None
        options = ChannelSettings(longest_backoff=neighbours.settings.backoff.longest)
        self._channels = [
            ClientChannel(f"dns:///{parse_address(address)}", folder, options) for address in settings.addresses
        ]
        self._backoff = Backoff(neighbours.settings.backoff, clock, Random())  # noqa: S311 spreads routers

    async def run(self) -> None:
        """Call, and call again, for ever."""
        while True:
            await self._until_wanted()
            channel = self._channels[self._turn % len(self._channels)]
            self._turn += 1
            try:
                with _given_up():
                    await self._call(channel.get())
            except AioRpcError as error:
                self.problem = error.details() or str(error.code())
            except ServiceError as error:
                self.problem = error.message
            await self._clock.sleep(self._backoff.fail())

    async def _until_wanted(self) -> None:
        """Wait while the router at the other end is reached already: it may have called us."""
        while any((each.domain, each.router) == self._other and each.state is State.UP for each in self._neighbours):
            self.problem = ""
            await self._clock.sleep(LOOK_SECONDS)

    async def _call(self, channel: grpc.aio.Channel) -> None:
        make = channel.stream_stream(LINK, pb.LinkRequest.SerializeToString, pb.LinkRequest.FromString)
        call: Call = make()
        try:
            number = int(self._clock.wall() * 1_000_000)
            await call.write(pb.LinkRequest(hello=self._neighbours.hello(number, self.settings.cost)))
            hello = (await _read(call)).hello
            self._other = (hello.domain, hello.router)
            hello.link, hello.cost = number, self.settings.cost
            neighbour = self._neighbours.open(hello, None)
            self.problem = ""
            self._backoff.reset()
            log.info("linked", link=self.settings.name, router=hello.router, domain=hello.domain)
            async for told in LinkStream(self._neighbours, neighbour, self._clock).run(_incoming(call)):
                await call.write(told)
            self.problem = "the link was ended"
        finally:
            call.cancel()

    async def close(self) -> None:
        """End all connections."""
        for channel in self._channels:
            await channel.close()


async def _incoming(call: Call) -> AsyncIterator[pb.LinkRequest]:
    while True:
        yield await _read(call)


async def _read(call: Call) -> pb.LinkRequest:
    told: Any = await call.read()
    if told is grpc.aio.EOF:
        metadata = grpc.aio.Metadata()
        raise AioRpcError(grpc.StatusCode.UNAVAILABLE, metadata, metadata, "the other router has ended the link")
    read: pb.LinkRequest = told
    return read


@contextmanager
def _given_up() -> Iterator[None]:
    """A stream that was cancelled on our side has failed; for gRPC, and its caller, it would be cancelled."""
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise AlreadyExistsError("another link to the same router is in use") from None
    except asyncio.InvalidStateError:
        metadata = grpc.aio.Metadata()
        raise AioRpcError(grpc.StatusCode.UNAVAILABLE, metadata, metadata, "the link has ended") from None
