"""The lines of a peer: its connections, when another is opened, and when the next try is due."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import structlog

from forebay.outfeed.peering.breaks import Breaks
from forebay.outfeed.peering.growth import Growth, GrowthSettings
from forebay.outfeed.sending.connection import Connection
from forebay.outfeed.sending.connectionsettings import ConnectionSettings
from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.login import Login
from forebay.outfeed.token import Token
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.clock import Clock

if TYPE_CHECKING:
    from forebay.outfeed.peering.source import Source
    from forebay.outfeed.sending.feed import Bodies

log = structlog.stdlib.get_logger(__name__)


_ORDERLY = frozenset({Outcome.ACCEPTED, Outcome.REFUSED, Outcome.REJECTED, Outcome.DEFERRED})
"""What a peer that works answers."""
SURPLUS_GRACE = 10.0
"""Seconds that what is in flight has on a line that is not needed any more."""


@dataclass(frozen=True)
class LineSettings:
    """Where a peer is and how it is dialled."""

    hosts: tuple[tuple[str, int], ...]
    """Host and port; the next one is tried after a failure."""
    most: int
    """Connections at most."""
    reconnect: BackoffSettings
    connection: ConnectionSettings
    initial: int = 1
    """Connections that are opened at the start, though nothing waits."""
    start_delay: float = 0.0
    """Seconds from the start until the first is opened."""
    growth: GrowthSettings = field(default_factory=GrowthSettings)
    """What bounds their number below `most`."""
    login: Login | None = None
    """What the peer is told about us, from the next connection on: those that are open stay."""


class Line:
    """One connection and what it did. It is the `Feed` that the connection sees."""

    def __init__(self, lines: "Lines", number: int, address: str, opened: float) -> None:
        self.number = number
        self.address = address
        self.opened = opened
        """Wall clock, seconds; of the handshake's end once it is up."""
        self.is_up = False
        self.is_secured = lines.settings.connection.tls is not None
        """Articles go under TLS; where that fails none go."""
        self.is_proved = False
        """The peer answered to an article as it should."""
        self.outcomes: Counter[Outcome] = Counter()
        self.connection = Connection(self, lines.settings.connection, lines.settings.login)
        self._lines = lines
        self._source = lines.source
        self._taken = 0
        """Articles that were neither settled nor given back."""

    def take(self, limit: int) -> list[Token]:  # noqa: D102
        if self._lines.breaks.careful:
            limit = min(limit, 1 - self._taken)
        tokens = self._source.take(limit) if limit > 0 else []
        self._taken += len(tokens)
        return tokens

    def load(self, tokens: Sequence[Token], later: "Callable[[Bodies], None]") -> "Bodies | None":  # noqa: D102
        return self._source.load(tokens, later)

    def suspect(self, tokens: list[Token]) -> None:  # noqa: D102
        self._source.suspect(tokens)

    def settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:  # noqa: D102
        if outcome in _ORDERLY and not self.is_proved:
            self._lines.proved(self)
        self._taken -= len(tokens)
        self._lines.breaks.answered(tokens)
        self.outcomes[outcome] += len(tokens)
        self._lines.answered(outcome, len(tokens))
        self._source.settle(outcome, tokens, reply)

    def give_back(self, tokens: list[Token]) -> None:  # noqa: D102
        self._taken -= len(tokens)
        if not self.connection.asked_to_end and self._lines.breaks.broke(tokens):
            self._source.broke(*tokens)
        else:
            self._source.give_back(tokens)

    def up(self, connection: Connection) -> None:  # noqa: D102
        self._lines.up(self)

    def down(self, connection: Connection, ending: Ending) -> None:  # noqa: D102
        self._lines.down(self, ending)


class Lines:
    """All connections of one peer. At most one is being opened at a time."""

    def __init__(self, peer: str, source: "Source", settings: LineSettings, clock: Clock) -> None:
        self.source = source
        self.settings = settings
        self.held = ""
        """Why no line may be open; empty when they may."""
        self.last_error = ""
        self.last_error_at: float | None = None
        self._peer = peer
        self._clock = clock
        self._backoff = Backoff(settings.reconnect, clock, Random())  # noqa: S311 - spreads tries, guards nothing
        self._lines: list[Line] = []
        self._numbers = count(1)
        self._host = 0
        self._cause: Cause | None = None
        self._dial: asyncio.Task[None] | None = None
        self._initial = settings.initial
        """Lines still to be opened though nothing waits."""
        self._start = clock.monotonic() + settings.start_delay
        self._growth = Growth(settings.growth)
        self.breaks = Breaks()
        self._pressed = False
        self._ended = asyncio.Event()

    @property
    def open(self) -> list[Line]:
        """Lines that take articles, the oldest first."""
        return [line for line in self._lines if line.is_up]

    @property
    def is_up(self) -> bool:
        """At least one line takes articles."""
        return any(line.is_up for line in self._lines)

    @property
    def error_cause(self) -> Cause | None:
        """What `last_error` was; None while a line is up, and when nothing went wrong."""
        return None if self.is_up else self._cause

    @property
    def dialling(self) -> bool:
        """A line is being opened."""
        return len(self.open) < len(self._lines)

    @property
    def next_try_in(self) -> float:
        """Seconds until a line may be opened again."""
        return self._backoff.remaining()

    def wake(self) -> None:
        """Let one line that has room take articles; the oldest such one, so that spare lines can fall idle."""
        for line in self._lines:
            if line.connection.room > 0:
                line.connection.wake()
                return

    def want(self) -> None:
        """There is something to send and no line: open one, unless it is not yet time."""
        if not self._lines and self._may_open():
            self._open()

    def poll(self, waiting: int, fullness: float) -> None:
        """Once a second: time-outs, and a line more while `waiting` articles find all lines busy twice in a row.

        `fullness` is that of the queue in memory, from 0 to 1.
        """
        for line in list(self._lines):
            line.connection.poll(asyncio.get_running_loop().time())
        self._growth.look(fullness, self.settings.most)
        limit = self._growth.limit(self.settings.most)
        self._shrink(limit)
        # What may not be opened at the start is not left over for later.
        self._initial = min(self._initial, max(0, limit - len(self._lines)))
        if waiting or self._initial:
            self.want()
        busy = waiting > 0 and all(line.connection.room <= 0 for line in self._lines)
        if (self._initial or (busy and self._pressed)) and self._may_add(limit):
            self._open()
        self._pressed = busy

    def _shrink(self, limit: int) -> None:
        lines = [line for line in self._lines if not line.connection.asked_to_end]
        for line in lines[limit:]:
            line.connection.close("fewer connections do as well", SURPLUS_GRACE)

    def _may_open(self) -> bool:
        return not self.held and not self.next_try_in and self._clock.monotonic() >= self._start

    def _may_add(self, limit: int) -> bool:
        return len(self._lines) < limit and not self.dialling and self._may_open()

    def answered(self, outcome: Outcome, count: int) -> None:
        """The peer answered about so many articles."""
        taken = outcome is Outcome.ACCEPTED
        self._growth.settle(count if taken else 0, 0 if taken else count)

    def hold(self, reason: str, grace: float) -> None:
        """Close all lines and open none until `release`."""
        self.held = reason
        for line in list(self._lines):
            line.connection.close(reason, grace)

    async def gone(self) -> None:
        """Wait until no line is left."""
        while self._lines:
            self._ended.clear()
            await self._ended.wait()

    def release(self) -> None:
        """Lines may be opened again, at once."""
        self.held = ""
        self._backoff.reset()

    def renew(self, settings: LineSettings, grace: float) -> None:
        """Use other settings: lines to another place or of another kind end, the next are opened with the new ones."""
        same = settings.hosts == self.settings.hosts and settings.connection == self.settings.connection
        if not same or (settings.reconnect, settings.login) != (self.settings.reconnect, self.settings.login):
            self._backoff = Backoff(settings.reconnect, self._clock, Random())  # noqa: S311 - as above
            self._initial = settings.initial
        if settings.growth != self._growth.settings:
            self._growth = Growth(settings.growth)
        self.settings = settings
        extra = self._lines[settings.most :] if same else list(self._lines)
        for line in extra:
            line.connection.close("the settings changed", grace)

    def fail(self, reason: str) -> None:
        """Something is wrong with the peer itself: wait as long as a failed try would, and say why."""
        self._note(Ending(Cause.ARTICLES_FAILED, reason))
        self._backoff.fail()
        for line in list(self._lines):
            line.connection.close(reason)

    def proved(self, line: Line) -> None:
        """`line` got its first proper answer about an article: the peer works."""
        line.is_proved = True
        self._backoff.reset()
        log.debug("peer answers", peer=self._peer, line=line.number, address=line.address)

    def up(self, line: Line) -> None:
        """`line` may be used."""
        first = not self.is_up
        line.is_up = True
        line.opened = self._clock.wall()
        self._cause = None
        log.info("line up", peer=self._peer, line=line.number, address=line.address)
        if first:
            self.source.connected()
        line.connection.wake()

    def down(self, line: Line, ending: Ending) -> None:
        """`line` ended."""
        self._lines.remove(line)
        self._ended.set()
        if not line.connection.asked_to_end:
            self._note(ending)
            self._backoff.fail()
            self._host += 1
        log.info("line down", peer=self._peer, line=line.number, address=line.address, reason=ending.reason)
        if line.is_up and not self.is_up:
            self.source.disconnected()

    def _note(self, ending: Ending) -> None:
        self.last_error = ending.reason
        self._cause = ending.cause
        self.last_error_at = self._clock.wall()

    def _open(self) -> None:
        self._initial = max(0, self._initial - 1)
        host, port = self.settings.hosts[self._host % len(self.settings.hosts)]
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        line = Line(self, next(self._numbers), address, self._clock.wall())
        self._lines.append(line)
        self._dial = asyncio.get_running_loop().create_task(
            line.connection.connect(host, port), name=f"dial {self._peer} {address}"
        )
