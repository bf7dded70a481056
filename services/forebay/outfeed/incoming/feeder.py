"""One connection of a feeder: reads in bulk, has articles taken, and answers in the order of the commands."""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import structlog

from forebay.outfeed.errors import IntakeFullError
from forebay.outfeed.incoming.arriving import Arriving
from forebay.outfeed.incoming.intake import Intake, Judged
from forebay.outfeed.incoming.nntpinput import CommandReader
from forebay.outfeed.incoming.nntpserver import NntpServer, Turn

PENDING_OCTETS = 4 << 20
"""Octets of articles of one connection that may wait for their verdicts before it is read from again."""
PENDING_TURNS = 64
"""Reads of one connection that may wait for their verdicts before it is read from again."""

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ListenerSettings:
    """How feeders are served."""

    address: str = "127.0.0.1"
    """To listen on."""
    port: int = 1119
    """To listen on; 0 takes a free one."""
    article_octets: int = 1_000_000
    """Largest article in wire form. Larger ones are refused without being kept in memory."""
    connections: int = 100
    """At once; more are greeted with 400."""
    idle_seconds: float = 600.0
    """Without a command, after which a connection is ended with 400."""


@dataclass(slots=True)
class ListenerCounts:
    """What was seen since the start."""

    connections: int = 0
    refused_connections: int = 0
    truncated: int = 0
    """Articles that a connection ended within."""
    octets: int = 0
    """Read from feeders."""
    answers: Counter[bytes] = field(default_factory=Counter)
    """By their three-digit code."""


@dataclass
class Shared:
    """What the connections of one listener have in common."""

    intake: Intake
    settings: ListenerSettings
    counts: ListenerCounts = field(default_factory=ListenerCounts)
    arriving: Arriving = field(default_factory=Arriving)
    feeders: "set[Feeder]" = field(default_factory=set)
    takes: set[asyncio.Task[list[Judged]]] = field(default_factory=set)
    """Articles in work; those of a connection that has ended are finished too."""


class Feeder(asyncio.Protocol):
    """A connection. It ends itself when the sender leaves, is idle, or cannot be served any more."""

    def __init__(self, shared: Shared) -> None:
        self.gone = asyncio.Event()
        """The connection has ended."""
        self.reader = CommandReader(shared.settings.article_octets)
        self._shared = shared
        self._server = NntpServer(self.reader, shared.intake, shared.arriving)
        self._turns: deque[Turn] = deque()
        self._pending_octets = 0
        self._closing = False
        self._reading = True
        self._writable = True
        self._loop = asyncio.get_running_loop()
        self._active = self._loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102
        self._transport = transport = cast("asyncio.Transport", transport)
        shared = self._shared
        shared.counts.connections += 1
        self._idle = self._loop.call_later(shared.settings.idle_seconds, self._check_idle)
        if len(shared.feeders) >= shared.settings.connections:
            shared.counts.refused_connections += 1
            self.end("too many connections, try again later")
            return
        shared.feeders.add(self)
        log.info("feeder connected", peer=transport.get_extra_info("peername"))
        transport.write(b"200 Forebay takes articles, streaming too\r\n")

    def data_received(self, data: bytes) -> None:  # noqa: D102
        if self._closing:
            return
        self._active = self._loop.time()
        self._shared.counts.octets += len(data)
        for turn in self._server.receive(data):
            self._turns.append(turn)
            self._closing = self._closing or turn.closing
            if turn.articles:
                self._take(turn)
        self._flush()

    def pause_writing(self) -> None:  # noqa: D102
        self._writable = False
        self._regulate()

    def resume_writing(self) -> None:  # noqa: D102
        self._writable = True
        self._regulate()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._closing = True
        self._idle.cancel()
        self._server.gone()
        if self.reader.within_article:
            self._shared.counts.truncated += 1
        if self in self._shared.feeders:
            self._shared.feeders.discard(self)
            peer = self._transport.get_extra_info("peername")
            log.info("feeder gone", peer=peer, within_article=self.reader.within_article, error=exc and str(exc))
        self.gone.set()

    def end(self, reason: str) -> None:
        """Take no more commands, answer those taken, then say 400 and why."""
        if not self._closing:
            self._closing = True
            self._turns.append(Turn.ending(reason))
            self._flush()

    def cut(self) -> None:
        """End the connection now."""
        self._transport.abort()

    def _take(self, turn: Turn) -> None:
        octets = sum(map(len, turn.articles))
        self._pending_octets += octets
        task = self._loop.create_task(self._shared.intake.take(turn.articles))
        self._shared.takes.add(task)
        task.add_done_callback(partial(self._taken, turn, octets))

    def _taken(self, turn: Turn, octets: int, task: "asyncio.Task[list[Judged]]") -> None:
        self._shared.takes.discard(task)
        self._pending_octets -= octets
        if task.cancelled():
            turn.refuse("shutting down")
        elif (error := task.exception()) is None:
            turn.fill(task.result())
        elif isinstance(error, IntakeFullError):
            turn.refuse(str(error))
        else:
            log.error("articles could not be taken", exc_info=error)
            turn.refuse("internal error")
        self._flush()

    def _flush(self) -> None:
        """Send the answers up to the first that is open."""
        answers: list[bytes] = []
        closing = False
        while self._turns and self._turns[0].ready and not closing:
            turn = self._turns.popleft()
            answers += turn.answers
            closing = turn.closing
        if answers and not self._transport.is_closing():
            self._shared.counts.answers.update([answer[:3] for answer in answers])
            self._transport.write(b"".join(answers))
        if closing:
            self._closing = True
            self._turns.clear()
            self._transport.close()
        self._regulate()

    def _regulate(self) -> None:
        """Read only while there is room for what comes."""
        if self._transport.is_closing():
            return
        room = self._writable and self._pending_octets < PENDING_OCTETS and len(self._turns) < PENDING_TURNS
        if room and not self._reading:
            self._transport.resume_reading()
        elif self._reading and not room:
            self._transport.pause_reading()
        self._reading = room

    def _check_idle(self) -> None:
        settings = self._shared.settings
        left = self._active + settings.idle_seconds - self._loop.time()
        if self._turns or left > 0:
            self._idle = self._loop.call_later(max(left, 1.0), self._check_idle)
        elif self._closing:
            self.cut()
        else:
            self.end(f"no command for {settings.idle_seconds:g} s")
            self._idle = self._loop.call_later(settings.idle_seconds, self.cut)
