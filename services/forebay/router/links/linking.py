"""Calling other routers, and calling again."""

import asyncio
from contextlib import aclosing
from random import Random

import structlog
from google.protobuf.message import DecodeError
from grpc.aio import AioRpcError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.calls import Call, calling, given_up, incoming, read
from forebay.router.links.introduction import ITSELF
from forebay.router.links.linkstream import LinkStream
from forebay.router.links.neighbour import Neighbour, State
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinkSettings
from forebay.router.links.udp import FRAMES, Session, UdpEndpoint, hello_of
from forebay.router.links.window import MOST_FRAMES
from forebay.runtime.address import parse_address
from forebay.runtime.backoff import Backoff
from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.channel import ChannelSettings, ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.errors import ServiceError, UnavailableError
from forebay.runtime.grpcserver import LARGE_MESSAGE_LIMIT
from forebay.runtime.status import from_rpc_error

HELLO_SECONDS = 5.0
"""How long a router may take to introduce itself over UDP, or when it is only asked who it is."""
LOOK_SECONDS = 0.2
"""How often is looked whether a router that has called us is still there, and whether any link is in doubt."""

log = structlog.stdlib.get_logger(__name__)


class Linking:
    """One link that this router makes, to one of several addresses."""

    def __init__(
        self, neighbours: Neighbours, settings: LinkSettings, clock: Clock, udp: UdpEndpoint | None = None
    ) -> None:
        """udp: what links over UDP go out by. Raises `AddressError` or `CertificateError`."""
        self.settings = settings
        self.problem = ""
        """What keeps the link from being up; empty: it is, or was not tried yet, or there is nothing to link."""
        self.itself = False
        """Its address is this router's own, as that of one of its domain's routers may be."""
        self.neighbour: Neighbour | None = None
        """The router that it was linked to last."""
        self.task: asyncio.Task[None] | None = None
        """Which calls; None before it does."""
        self._neighbours = neighbours
        self._clock = clock
        self._turn = 0
        tls = neighbours.settings.tls
        self._folder = CertificateFolder(tls) if tls else None
        self._options = ChannelSettings(
            receive_limit=LARGE_MESSAGE_LIMIT,
            send_limit=LARGE_MESSAGE_LIMIT,
            server_name=settings.server_name,
            longest_backoff=neighbours.settings.backoff.longest,
        )
        self._channels = [self._channel(address) for address in settings.addresses]
        self._stream: LinkStream | None = None
        """Which it has made, and is in use."""
        self._udp = udp
        self._backoff = Backoff(neighbours.settings.backoff, clock, Random())  # noqa: S311 spreads routers
        self.looks = Backoff(neighbours.settings.backoff, clock, Random())  # noqa: S311 spreads routers
        """When to look again whether it has gone astray."""

    def _channel(self, address: str) -> ClientChannel:
        return ClientChannel(f"dns:///{parse_address(address)}", self._folder, self._options)

    @property
    def up(self) -> bool:
        """Whether the router at the other end is linked, whoever has called."""
        return self.neighbour is not None and self.neighbour.state is State.UP

    @property
    def carries(self) -> bool:
        """Whether it has made the stream in use."""
        return self._stream is not None

    @property
    def failed(self) -> bool:
        """Whether it was tried in vain."""
        return not self.up and bool(self.problem)

    def leads_to(self, other: Neighbour) -> bool:
        """Whether it was linked last to that router."""
        neighbour = self.neighbour
        return neighbour is not None and (neighbour.domain, neighbour.router) == (other.domain, other.router)

    async def run(self) -> None:
        """Call, and call again, for ever."""
        while True:
            await self._until_wanted()
            turn = self._turn % len(self._channels)
            self._turn += 1
            try:
                with given_up():
                    if self.settings.udp:
                        await self._call_udp(self.settings.addresses[turn])
                    else:
                        await self._call(self._channels[turn])
            except AioRpcError as error:
                self._refused(from_rpc_error(error), self._channels[turn])
            except ServiceError as error:
                self.problem = error.message
            await self._clock.sleep(self._backoff.fail())

    def _refused(self, refusal: ServiceError, channel: ClientChannel) -> None:
        self.problem = refusal.message
        if refusal.reason != ITSELF:
            return
        if self.settings.peer:
            self.problem, self.itself = "", True
        else:
            channel.renew()

    async def _until_wanted(self) -> None:
        """Wait while the router at the other end is reached already: it may have called us, or be this one."""
        while self.itself or self._reached():
            self.problem = ""
            await self._clock.sleep(LOOK_SECONDS)

    def _reached(self) -> bool:
        """Whether it is; after the other router was given up, or has begun anew, it is known as another."""
        other = self.neighbour
        if other is None:
            return False
        self.neighbour = other = self._neighbours.find(other.domain, other.router) or other
        return other.state is State.UP

    async def _call(self, channel: ClientChannel) -> None:
        with calling(channel) as call:
            if self.settings.peer and (there := self._known(await self._ask(call, channel))):
                # By whichever link: another stream would only end that.
                self.neighbour, self.problem = there, ""
                self._backoff.reset()
                return
            number = self._number()
            self._stream = stream = self._linked(await self._ask(call, channel, number), number)
            try:
                async with aclosing(stream.run(incoming(call))) as outgoing:
                    async for told in outgoing:
                        await call.write(told)
            finally:
                self._stream = None
            self.problem = "the link was ended"

    async def _ask(self, call: Call, channel: ClientChannel, number: int = 0) -> pb.LinkHello:
        """Introduce ourselves, and have the other router do so; without a number there is no link yet."""
        await call.write(pb.LinkRequest(hello=self._neighbours.hello(number, self.settings.cost)))
        hello = (await read(call)).hello
        try:
            self._check(hello)
        except UnavailableError:
            # Its name may lead to the right one by now, but the connection stays where it is.
            channel.renew()
            raise
        return hello

    async def is_astray(self) -> bool:
        """Whether a link to a peer is better called again: its address, looked up anew, leads to where there is none.

        One that carries a link is left alone as long as there is nobody else to be linked instead.
        """
        hello = await self._look()
        if hello is None:
            return not (self.itself or self.carries)
        if self.itself:
            return True
        linked = self._known(hello)
        return linked is None if self.carries else linked is not self.neighbour

    async def _look(self) -> pb.LinkHello | None:
        """Who is at the address of a peer by now; None when nobody answers, or this router itself."""
        channel = self._channel(self.settings.addresses[0])
        try:
            with given_up(), calling(channel) as call:
                async with asyncio.timeout(HELLO_SECONDS):
                    return await self._ask(call, channel)
        except (AioRpcError, ServiceError, TimeoutError):
            return None
        finally:
            await channel.close()

    def call_again(self) -> None:
        """Call anew, over another connection."""
        self._channels[0].renew()
        self.neighbour, self.itself = None, False
        if self._stream:
            self._stream.end()

    async def _call_udp(self, address: str) -> None:
        if self._udp is None:
            raise UnavailableError("this router has no address for UDP: give the Router listeners.udp with a key")
        number = self._number()
        session = await self._udp.call(address, number)
        try:
            await session.write(pb.LinkRequest(hello=self._neighbours.hello(number, self.settings.cost)))
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await hello_of(session)
            self._check(hello)
            stream = self._linked(hello, number)
            async with aclosing(stream.run(aiter(session))) as outgoing:
                async for told in outgoing:
                    await session.write(told)
            self.problem = "the link was ended"
        except TimeoutError:
            raise UnavailableError(f"{address} has not introduced itself over UDP: it may not let us in") from None
        finally:
            session.close()

    def _number(self) -> int:
        return int(self._clock.wall() * 1_000_000)

    def _known(self, hello: pb.LinkHello) -> Neighbour | None:
        """The router that has introduced itself, if there is a link to it already."""
        known = self._neighbours.find(hello.domain, hello.router)
        return known if known and known.state is State.UP and known.incarnation == hello.incarnation else None

    def _check(self, hello: pb.LinkHello) -> None:
        """Whether a router is of the domain that is wanted. Raises `UnavailableError`."""
        settings = self.settings
        if settings.domain and hello.domain != settings.domain:
            raise UnavailableError(
                f"{', '.join(settings.addresses)}: its router is of domain {hello.domain}, not {settings.domain}: "
                "give the address of another, or the domain as it is"
            )

    def _linked(self, hello: pb.LinkHello, number: int) -> LinkStream:
        """The other router has introduced itself, and is the right one."""
        settings = self.settings
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
