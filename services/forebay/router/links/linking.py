"""Calling other routers, and calling again."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError
from grpc.aio import AioRpcError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.linkstream import LinkStream
from forebay.router.links.neighbour import Neighbour, State
from forebay.router.links.neighbours import ITSELF, Neighbours
from forebay.router.links.settings import LinkSettings
from forebay.router.links.udp import FRAMES, Session, UdpEndpoint, hello_of
from forebay.router.links.window import MOST_FRAMES
from forebay.runtime.address import parse_address
from forebay.runtime.backoff import Backoff
from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.channel import ChannelSettings, ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.errors import AlreadyExistsError, ServiceError, UnavailableError
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT
from forebay.runtime.status import from_rpc_error

NOT_TRIED = "not tried yet"
LINK = f"/{pb.DESCRIPTOR.services_by_name['RouterService'].full_name}/Link"
HELLO_SECONDS = 5.0
"""How long a router may take to introduce itself over UDP."""
LOOK_SECONDS = 0.2
"""How often is looked whether a router that has called us is still there."""

Call = grpc.aio.StreamStreamCall[Any, pb.LinkRequest]

log = structlog.stdlib.get_logger(__name__)


class Linking:
    """One link that this router makes, to one of several addresses."""

    def __init__(
        self, neighbours: Neighbours, settings: LinkSettings, clock: Clock, udp: UdpEndpoint | None = None
    ) -> None:
        """udp: what links over UDP go out by. Raises `AddressError` or `CertificateError`."""
        self.settings = settings
        self.problem = NOT_TRIED
        """What keeps the link from being up; empty: it is, or there is nothing to link."""
        self.neighbour: Neighbour | None = None
        """The router that it was linked to last."""
        self.task: asyncio.Task[None] | None = None
        """Which calls; None before it does."""
        self._neighbours = neighbours
        self._clock = clock
        self._turn = 0
        tls = neighbours.settings.tls
        folder = CertificateFolder(tls) if tls else None
        options = ChannelSettings(
            receive_limit=LARGE_MESSAGE_LIMIT,
            send_limit=LARGE_MESSAGE_LIMIT,
            server_name=settings.server_name,
            longest_backoff=neighbours.settings.backoff.longest,
        )
        self._channels = [
            ClientChannel(f"dns:///{parse_address(address)}", folder, options) for address in settings.addresses
        ]
        self._udp = udp
        self._backoff = Backoff(neighbours.settings.backoff, clock, Random())  # noqa: S311 spreads routers

    @property
    def up(self) -> bool:
        """Whether the router at the other end is linked, whoever has called."""
        return self.neighbour is not None and self.neighbour.state is State.UP

    @property
    def failed(self) -> bool:
        """Whether it was tried in vain."""
        return not self.up and self.problem not in ("", NOT_TRIED)

    async def run(self) -> None:
        """Call, and call again, for ever, unless the address is this router's own."""
        while True:
            await self._until_wanted()
            turn = self._turn % len(self._channels)
            self._turn += 1
            try:
                with _given_up():
                    if self.settings.udp:
                        await self._call_udp(self.settings.addresses[turn])
                    else:
                        await self._call(self._channels[turn].get())
            except AioRpcError as error:
                refusal = from_rpc_error(error)
                self.problem = refusal.message
                if refusal.reason == ITSELF and len(self.settings.addresses) == 1:
                    self.problem = ""
                    return
            except ServiceError as error:
                self.problem = error.message
            await self._clock.sleep(self._backoff.fail())

    async def _until_wanted(self) -> None:
        """Wait while the router at the other end is reached already: it may have called us."""
        while self._reached():
            self.problem = ""
            await self._clock.sleep(LOOK_SECONDS)

    def _reached(self) -> bool:
        """Whether it is; after the other router was given up, or has begun anew, it is known as another."""
        other = self.neighbour
        if other is None:
            return False
        self.neighbour = other = self._neighbours.find(other.domain, other.router) or other
        return other.state is State.UP

    async def _call(self, channel: grpc.aio.Channel) -> None:
        make = channel.stream_stream(LINK, pb.LinkRequest.SerializeToString, pb.LinkRequest.FromString)
        call: Call = make()
        try:
            number = self._number()
            await call.write(pb.LinkRequest(hello=self._neighbours.hello(number, self.settings.cost)))
            stream = self._linked((await _read(call)).hello, number)
            async for told in stream.run(_incoming(call)):
                await call.write(told)
            self.problem = "the link was ended"
        finally:
            call.cancel()

    async def _call_udp(self, address: str) -> None:
        if self._udp is None:
            raise UnavailableError("this router has no address for UDP: give the Router listeners.udp with a key")
        number = self._number()
        session = await self._udp.call(address, number)
        try:
            await session.write(pb.LinkRequest(hello=self._neighbours.hello(number, self.settings.cost)))
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await hello_of(session)
            stream = self._linked(hello, number)
            async for told in stream.run(aiter(session)):
                await session.write(told)
            self.problem = "the link was ended"
        except TimeoutError:
            raise UnavailableError(f"{address} has not introduced itself over UDP: it may not let us in") from None
        finally:
            session.close()

    def _number(self) -> int:
        return int(self._clock.wall() * 1_000_000)

    def _linked(self, hello: pb.LinkHello, number: int) -> LinkStream:
        """The other router has introduced itself."""
        settings = self.settings
        if settings.domain and hello.domain != settings.domain:
            raise UnavailableError(
                f"{', '.join(settings.addresses)}: its router is of domain {hello.domain}, not {settings.domain}: "
                "give the address of another, or the domain as it is"
            )
        hello.link, hello.cost = number, settings.cost
        neighbour = self.neighbour = self._neighbours.open(hello, None, settings.retry)
        neighbour.window.most = FRAMES if settings.udp else MOST_FRAMES
        self.problem = ""
        self._backoff.reset()
        log.info("linked", link=settings.name, router=hello.router, domain=hello.domain)
        return LinkStream(self._neighbours, neighbour, self._clock)

    async def close(self) -> None:
        """Call no more, and end all connections."""
        if self.task:
            self.task.cancel()
            await asyncio.wait([self.task])
        for channel in self._channels:
            await channel.close()


async def accept_udp(session: Session, neighbours: Neighbours, clock: Clock) -> None:
    """A link that another router has made over UDP, to its end."""
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            hello = await hello_of(session)
        # Whoever has the key has no certificate.
        neighbour = neighbours.open(hello, ())
        neighbour.window.most = FRAMES
        stream = LinkStream(neighbours, neighbour, clock)
        await session.write(pb.LinkRequest(hello=neighbours.hello(hello.link, 0)))
        async for told in stream.run(aiter(session)):
            await session.write(told)
    except (ServiceError, TimeoutError, DecodeError) as error:
        log.warning("a link over UDP has ended", peer=str(session.address), problem=str(error))
    finally:
        session.close()


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
