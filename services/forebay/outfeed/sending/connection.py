"""An outgoing NNTP connection: a socket around the handshake and the feed window, with their time-outs."""

from __future__ import annotations

import asyncio
import math
import ssl
from enum import Enum, auto
from typing import TYPE_CHECKING, cast

from forebay.outfeed.errors import CompressionError
from forebay.outfeed.sending.channel import Channel
from forebay.outfeed.sending.dialling import dial
from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feedwindow import FeedWindow
from forebay.outfeed.sending.handshake import Handshake
from forebay.outfeed.sending.ihavewindow import IhaveWindow
from forebay.outfeed.sending.nocheck import NoCheckFilter
from forebay.outfeed.sending.peertls import TlsSettings, context_of
from forebay.outfeed.sending.replies import MAX_LINE, TOO_LONG

if TYPE_CHECKING:
    from forebay.msgstore.disk import Buffer
    from forebay.outfeed.sending.connectionsettings import ConnectionSettings
    from forebay.outfeed.sending.feed import Feed
    from forebay.outfeed.sending.login import Login

QUIT_TIMEOUT = 5.0
"""Seconds that a peer has for its answer to QUIT."""


class Phase(Enum):
    """What a connection is busy with."""

    CONNECTING = auto()
    GREETING = auto()
    FEEDING = auto()
    QUITTING = auto()
    ENDED = auto()


class Connection(asyncio.Protocol):
    """One connection of a peerfeed. It lives on the running loop and calls `feed`, never from another thread.

    The owner makes it, calls `connect` once, `poll` about every second, and `wake` when `Feed.take` has something.
    """

    def __init__(self, feed: Feed, settings: ConnectionSettings, login: Login | None = None) -> None:
        """`login` is what the peer is told about us, if it wants to know."""
        self.phase = Phase.CONNECTING
        self.asked_to_end = False
        """The connection ends because its owner, or its idleness, wants it to."""
        self._feed = feed
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._channel = Channel()
        self._host = ""
        self._securing: asyncio.Task[None] | None = None
        self._handshake = Handshake(settings.wishes(login))
        self._greeting = b""
        self._window: FeedWindow | IhaveWindow = FeedWindow(
            feed, settings.window, NoCheckFilter(settings.nocheck), self.wake
        )
        self._paused = False
        self._woken = False
        self._active_at = self._loop.time()
        self._made_at = self._active_at
        self._closing = ""
        self._deadline = math.inf

    @property
    def room(self) -> int:
        """How many more articles the connection would take now."""
        return self._window.room if self.phase is Phase.FEEDING and not self._paused else 0

    @property
    def unanswered(self) -> int:
        """Commands that were sent and not answered."""
        return self._window.unanswered

    @property
    def streams(self) -> bool:
        """Whether articles go by CHECK and TAKETHIS, not by IHAVE."""
        return isinstance(self._window, FeedWindow)

    @property
    def compresses(self) -> bool:
        """Whether what is written and read is compressed."""
        return self._handshake.compresses

    @property
    def skips_check(self) -> bool:
        """Whether articles are sent without CHECK."""
        return self._window.nocheck.skips

    async def connect(self, host: str, port: int) -> None:
        """Open the TCP connection; the handshake follows by itself. A failure is told by `Feed.down`."""
        timeout = self._settings.connect_timeout
        self._host = host
        try:
            async with asyncio.timeout(timeout):
                await self._open(host, port)
        except TimeoutError:
            self._end(Cause.TIMEOUT, f"no connection to {host} port {port} within {timeout:g} s")
        except ssl.SSLError as error:
            self._end(Cause.TLS_FAILED, f"the connection to {host} port {port} cannot be secured: {error}")
        except (OSError, UnicodeError) as error:
            self._end(Cause.CONNECT_FAILED, f"cannot connect to {host} port {port}: {error}")
        except asyncio.CancelledError:
            self._end(Cause.WANTED, "connecting was cancelled")
            raise

    async def _open(self, host: str, port: int) -> None:
        connection = await dial(host, port, self._settings.network)
        tls = self._settings.tls
        if tls is None or tls.starttls:
            await self._loop.create_connection(lambda: self, sock=connection)
        else:
            context, name = context_of(tls), tls.server_name or host
            await self._loop.create_connection(lambda: self, sock=connection, ssl=context, server_hostname=name)
        if self.phase is Phase.ENDED:
            self._channel.abort()

    def wake(self) -> None:
        """There is something to take. Many calls before the next turn of the loop cost as much as one."""
        if not self._woken:
            self._woken = True
            self._loop.call_soon(self._pump)

    def poll(self, now: float) -> None:
        """Go on if possible, and look at the time-outs. `now` is the loop's time."""
        if self.phase is Phase.GREETING:
            self._check_silence(self._active_at, self._handshake.awaiting, now)
        elif self.phase is Phase.FEEDING:
            self._pump()
            self._check_window(now)
            self._check_lifetime(now)
        if now >= self._deadline:
            self._end(Cause.WANTED, self._closing)

    def close(self, reason: str, grace: float = 0.0) -> None:
        """End once what is on the connection is settled, or after `grace` seconds (0: at once); the rest goes back."""
        if grace > 0 and self.phase in (Phase.FEEDING, Phase.QUITTING):
            self._run_empty(reason, self._loop.time() + grace)
        else:
            self.asked_to_end = True
            self._end(Cause.WANTED, reason)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The TCP connection is there (asyncio)."""
        self._channel.open(cast("asyncio.Transport", transport))
        if self.phase is Phase.CONNECTING:
            self.phase = Phase.GREETING
            self._active_at = self._made_at = self._loop.time()
        # Else `_open` ends it: uvloop is not yet in charge of the socket, which would close its number a second time.

    def data_received(self, data: bytes) -> None:
        """The peer sent something (asyncio)."""
        self._active_at = self._loop.time()
        self._channel.wrote = False
        try:
            data = self._channel.unpacked(data)
            if self.phase is Phase.GREETING:
                self._greet(data)
            elif self.phase is Phase.FEEDING:
                self._answer(data)
            else:
                self._end(Cause.WANTED, self._closing)
        except CompressionError as error:
            self._end(Cause.PROTOCOL_ERROR, str(error))
        if self.phase is not Phase.ENDED and not self._channel.wrote:
            self._channel.acknowledge()

    def eof_received(self) -> None:
        """The peer closed its side (asyncio)."""
        self._closed("the peer closed the connection")

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone (asyncio)."""
        self._closed(f"the connection broke: {exc}" if exc else "the peer closed the connection")

    def _closed(self, reason: str) -> None:
        if self.phase is Phase.QUITTING:
            self._end(Cause.WANTED, self._closing)
        else:
            self._end(Cause.CONNECTION_LOST, reason)

    def pause_writing(self) -> None:
        """The peer reads too slowly (asyncio)."""
        self._paused = True

    def resume_writing(self) -> None:
        """The peer has read enough to go on (asyncio)."""
        self._paused = False
        self._pump()

    def _greet(self, data: bytes) -> None:
        self._greeting += data
        while self.phase is Phase.GREETING and b"\n" in self._greeting:
            line, _, self._greeting = self._greeting.partition(b"\n")
            self._step(line.removesuffix(b"\r"))
        if self.phase is Phase.FEEDING:
            self._answer(self._greeting)
        elif len(self._greeting) > MAX_LINE:
            self._end(*TOO_LONG)

    def _step(self, line: bytes) -> None:
        compressed = self._handshake.compresses
        command = self._handshake.answer(line)
        if self._handshake.compresses and not compressed:
            self._channel.compress()
            self._greeting = self._channel.unpacked(self._greeting)
        self._proceed(command)

    def _proceed(self, command: bytes) -> None:
        if command:
            self._write([command])
        if self._handshake.refusal:
            self._end(*self._handshake.refusal)
        elif self._handshake.securing:
            self._secure()
        elif self._handshake.done:
            if not self._handshake.streams:
                self._window = IhaveWindow(self._feed, self._window.nocheck, self.wake)
            self.phase = Phase.FEEDING
            self._feed.up(self)

    def _secure(self) -> None:
        if self._greeting:
            # It would pass for something that the peer said under TLS.
            self._end(Cause.TLS_FAILED, "the peer said more in clear after it had agreed to STARTTLS")
        else:
            self._securing = self._loop.create_task(self._start_tls(), name="STARTTLS")

    async def _start_tls(self) -> None:
        settings = self._settings
        try:
            await self._channel.secure(self, settings.tls or TlsSettings(), self._host, settings.connect_timeout)
        except OSError as error:
            self._end(Cause.TLS_FAILED, f"the connection cannot be secured: {error}")
        else:
            self._active_at = self._loop.time()
            self._proceed(self._handshake.secured())

    def _answer(self, data: bytes) -> None:
        self._window.receive(data, self._loop.time(), self._pump)
        if self._window.fault:
            self._end(*self._window.fault)
        elif self._window.room > 0:
            self._pump()

    def _pump(self) -> None:
        self._woken = False
        now = self._loop.time()
        while self.phase is Phase.FEEDING and not self._paused and (batch := self._window.fill(now)):
            self._write(batch)
        if self._window.fault:
            self._end(*self._window.fault)
        if self.phase is Phase.FEEDING and self._closing and self._window.empty:
            self.phase = Phase.QUITTING
            self._deadline = min(self._deadline, now + QUIT_TIMEOUT)
            self._write([b"QUIT\r\n"])

    def _write(self, batch: list[Buffer]) -> None:
        if self.phase is not Phase.ENDED:
            self._channel.write(batch)

    def _check_window(self, now: float) -> None:
        waiting_since = self._window.waiting_since
        if waiting_since is not None:
            self._check_silence(waiting_since, self._window.next_unanswered, now)
        elif self._window.empty and now - self._active_at >= self._settings.idle_timeout:
            self._run_empty("nothing to send", now + QUIT_TIMEOUT)

    def _check_lifetime(self, now: float) -> None:
        if now - self._made_at >= self._settings.lifetime and not self._closing:
            self._run_empty("it lasted as long as it may", now + self._settings.response_timeout)

    def _run_empty(self, reason: str, deadline: float) -> None:
        self.asked_to_end = True
        self._closing = self._closing or reason
        self._deadline = min(self._deadline, deadline)
        self._window.taking = False
        self.wake()

    def _check_silence(self, since: float, awaiting: str, now: float) -> None:
        timeout = self._settings.response_timeout
        if now - since >= timeout:
            self._end(Cause.TIMEOUT, f"no answer to {awaiting} within {timeout:g} s")

    def _end(self, cause: Cause, reason: str) -> None:
        if self.phase is Phase.ENDED:
            return
        self.phase = Phase.ENDED
        self._channel.abort()
        if self._securing:
            self._securing.cancel()
        if tokens := self._window.abandon():
            self._feed.give_back(tokens)
        self._feed.down(self, Ending(cause, reason))
