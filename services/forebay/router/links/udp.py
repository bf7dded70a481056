"""Links over UDP: one socket for all of them."""

import asyncio
import secrets
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog
from google.protobuf.message import DecodeError

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.datagrams import Datagram, Kind, Receiving, Seal, Sending
from forebay.runtime.address import parse_address
from forebay.runtime.clock import Clock
from forebay.runtime.errors import UnavailableError

MOST_SESSIONS = 1000
MOST_KNOCKS = 1000
"""Callers that have a cookie and no session yet."""
MOST_WAITING = 1000
"""Messages of a session that have come and were not read; beyond it the session ends."""
KNOCK_SECONDS = 0.2
KNOCKS = 10
"""How often is knocked before the other router counts as away."""
LOOK_SECONDS = 0.025
"""How often is looked for lacking fragments."""
BURST = 32
"""Datagrams that are sent at once; others have their turn before the next, so that no buffer runs over."""
BURST_SECONDS = 0.001
FRAMES = 16
"""Frames of a link that may be on their way."""

Address = tuple[Any, ...]

log = structlog.stdlib.get_logger(__name__)


class Session:
    """Messages to and from one other router, in their order."""

    def __init__(self, endpoint: "UdpEndpoint", address: Address, caller: bool, number: int, cookie: int) -> None:
        """caller: whether we have opened it."""
        self.address = address
        self.key = (number, cookie)
        self._endpoint = endpoint
        self._sending = Sending(caller, number, cookie)
        self._receiving = Receiving(not caller, number, cookie)
        self._incoming: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_WAITING)

    async def write(self, told: pb.LinkRequest) -> None:
        """Send a message; it may be lost all the same."""
        fragments = self._sending.split(told.SerializeToString())
        for place in range(0, len(fragments), BURST):
            if place:
                await asyncio.sleep(BURST_SECONDS)
            self._endpoint.send(self.address, fragments[place : place + BURST])

    async def __aiter__(self) -> AsyncIterator[pb.LinkRequest]:
        """What comes, until the session is closed."""
        while (message := await self._incoming.get()) is not None:
            yield pb.LinkRequest.FromString(message)

    def handle(self, datagram: Datagram, now: float) -> None:
        """A datagram of this session has come."""
        if datagram.kind is Kind.DATA:
            self._deliver(self._receiving.take(datagram, now))
        elif datagram.kind is Kind.LACK:
            self._endpoint.send(self.address, self._sending.again(datagram))

    def _deliver(self, messages: list[bytes]) -> None:
        for message in messages:
            if self._incoming.full():
                self.close()
                return
            self._incoming.put_nowait(message)

    def tick(self, now: float) -> None:
        """Ask for what is lacking."""
        self._endpoint.send(self.address, self._receiving.lacking(now))
        self._deliver(self._receiving.skip(now))

    def close(self) -> None:
        """Nothing more comes."""
        self._endpoint.forget(self)
        while self._incoming.full():
            self._incoming.get_nowait()
        self._incoming.put_nowait(None)


class UdpEndpoint(asyncio.DatagramProtocol):
    """The socket, and the sessions over it."""

    def __init__(self, key: bytes, clock: Clock, accept: Callable[[Session], None]) -> None:
        """`accept` is called with each session that another router has opened."""
        self._seal = Seal(key)
        self._clock = clock
        self._accept = accept
        self._transport: asyncio.DatagramTransport
        self._sessions: dict[tuple[int, int], Session] = {}
        self._knocks: OrderedDict[tuple[Address, int], int] = OrderedDict()
        """Cookies of those who have knocked."""
        self._answers: dict[int, asyncio.Future[tuple[Address, int]]] = {}
        """Who waits for a cookie, by the number of the session."""

    async def open(self, listen: str) -> int:
        """Listen at `host:port`; the port."""
        address = parse_address(listen)
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: self, local_addr=(address.host, address.port)
        )
        self._transport = transport
        port: int = transport.get_extra_info("sockname")[1]
        return port

    async def call(self, where: str, number: int) -> Session:
        """Open a session of that number with another router. Raises `UnavailableError` when it does not answer."""
        address = await self._resolve(where)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            for _ in range(KNOCKS):
                self.send(address, [Datagram(Kind.KNOCK, True, number, 0)])
                await asyncio.wait([answer], timeout=KNOCK_SECONDS)
                if answer.done():
                    where_from, cookie = answer.result()
                    session = Session(self, where_from, True, number, cookie)
                    self._sessions[session.key] = session
                    return session
            raise UnavailableError(
                f"{where} does not answer over UDP: see whether its router listens there, and the key"
            )
        finally:
            del self._answers[number]

    async def _resolve(self, where: str) -> Address:
        """The address of a router as our socket takes it: one for IPv6 wants those of IPv4 mapped."""
        address, family = parse_address(where), self._transport.get_extra_info("socket").family
        mapped = socket.AI_V4MAPPED if family == socket.AF_INET6 else 0
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                address.host, address.port, family=family, type=socket.SOCK_DGRAM, flags=mapped
            )
        except OSError as error:
            raise UnavailableError(f"{where} is not known ({error.strerror}): see whether the name is right") from error
        return found[0][4]

    def send(self, address: Address, datagrams: list[Datagram]) -> None:
        """Send datagrams; each may be lost."""
        for datagram in datagrams:
            self._transport.sendto(self._seal.close(datagram), address)

    def datagram_received(self, data: bytes, addr: Address) -> None:
        """A datagram has come from wherever; what is not sealed by our key is let go of."""
        if (datagram := self._seal.open(data)) is None:
            return
        if datagram.kind is Kind.KNOCK:
            self._knocked(datagram, addr)
        elif datagram.kind is Kind.COOKIE:
            answer = self._answers.get(datagram.session)
            if answer and not answer.done() and not datagram.caller:
                answer.set_result((addr, datagram.cookie))
        elif session := self._session(datagram, addr):
            session.handle(datagram, self._clock.monotonic())

    def error_received(self, exc: Exception) -> None:
        """Whoever does not answer is noticed by that."""

    def _knocked(self, datagram: Datagram, addr: Address) -> None:
        cookie = self._knocks.setdefault((addr, datagram.session), secrets.randbits(63))
        if len(self._knocks) > MOST_KNOCKS:
            self._knocks.popitem(last=False)
        self.send(addr, [Datagram(Kind.COOKIE, False, datagram.session, cookie)])

    def _session(self, datagram: Datagram, addr: Address) -> Session | None:
        """The session of a datagram; opened where a caller shows its cookie for the first time."""
        key = (datagram.session, datagram.cookie)
        session = self._sessions.get(key)
        if session is None and datagram.caller and self._knocks.get((addr, datagram.session)) == datagram.cookie:
            if len(self._sessions) >= MOST_SESSIONS:
                return None
            del self._knocks[addr, datagram.session]
            session = self._sessions[key] = Session(self, addr, False, *key)
            self._accept(session)
        return session

    def forget(self, session: Session) -> None:
        """A session is closed."""
        self._sessions.pop(session.key, None)

    async def run(self) -> None:
        """Ask for what is lacking, for ever."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            now = self._clock.monotonic()
            for session in list(self._sessions.values()):
                session.tick(now)

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._sessions.values()):
            session.close()
        self._transport.close()


async def hello_of(session: Session) -> pb.LinkHello:
    """How the other router introduces itself. Raises `UnavailableError` when it does not."""
    try:
        async for told in session:
            return told.hello
    except DecodeError as error:
        raise UnavailableError("the other router says what cannot be read: is it of another version?") from error
    raise UnavailableError("the other router has ended the link")
