"""A peerfeed: one peer's share of the masterfeed, from the feed log to its final answer."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import structlog

from forebay.outfeed.log.checkpoint import Checkpoint
from forebay.outfeed.peering.allowance import Allowance
from forebay.outfeed.peering.delay import Delay
from forebay.outfeed.peering.flow import FlowSettings, Shared
from forebay.outfeed.peering.fullness import Fullness
from forebay.outfeed.peering.ledger import Ledger
from forebay.outfeed.peering.peerqueue import PeerQueue
from forebay.outfeed.peering.poison import PoisonTest
from forebay.outfeed.peering.rate import Rate
from forebay.outfeed.peering.replytexts import ReplyTexts
from forebay.outfeed.peering.settler import Settler
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.headers import without_bodies
from forebay.outfeed.token import Token
from forebay.spill import Dropped

if TYPE_CHECKING:
    from forebay.outfeed.peering.backlog import Backlog
    from forebay.outfeed.peering.lines import Lines
    from forebay.outfeed.sending.feed import Bodies as Loaded

log = structlog.stdlib.get_logger(__name__)

CATCH_UP = 1000
"""Records read from the feed log at once."""


class Peerfeed:
    """Takes what the masterfeed routes to a peer, hands it to the peer's lines, and keeps account of it.

    While it is *live* it is handed each article as it comes in. When neither its queue nor its backlog takes more it
    falls behind: the feed log then is its backlog, and is read from `cursor` on until it has caught up.
    """

    def __init__(
        self,
        name: str,
        uid: str,
        number: int,
        queue: PeerQueue,
        poison: PoisonTest,
        shared: Shared,
        flow: FlowSettings,
    ) -> None:
        """`number` is the peer's bit in the feed log's bitmaps."""
        self.name = name
        self.uid = uid
        self.number = number
        self.queue = queue
        self.poison = poison
        self.ledger = Ledger()
        self.replies = ReplyTexts()
        self.fullness = Fullness()
        self.lines: Lines
        self.backlog: Backlog
        self.cursor = shared.feedlog.checkpoint(number) + 1
        """The first article of the feed log that was not handed out."""
        self.live = False
        self.rate = Rate()
        self._flow = flow
        self._allowance = Allowance(flow.rate, shared.now())
        self._delay = Delay(flow.delay, shared.now)
        self._shared = shared
        self._log = shared.feedlog
        self._window = Checkpoint(self.cursor - 1)
        self._spilled: set[int] = set()
        self._behind = asyncio.Event()
        self._settler = Settler(self, shared)
        self.ledger.offer(self._log.count_owed(number))

    @property
    def checkpoint(self) -> int:
        """Up to here the feed log owns nothing of this peer's."""
        if len(self._window):
            return self._window.low_water
        return (self._shared.front.head if self.live else self.cursor) - 1

    @property
    def flow(self) -> FlowSettings:
        """How articles flow through it."""
        return self._flow

    @flow.setter
    def flow(self, flow: FlowSettings) -> None:
        if flow.rate != self._flow.rate:
            self._allowance = Allowance(flow.rate, self._shared.now())
        self._flow = flow
        self._delay = Delay(flow.delay, self._shared.now)
        if self._delay:
            self.live = False
        self._behind.set()

    # From the masterfeed and the feed log

    def offer(self, tokens: list[Token]) -> None:
        """Articles that were just logged and are for this peer."""
        self.ledger.offer(len(tokens), sum(token.size for token in tokens))
        if self.live and not self.queue.overflowing:
            self._hand_out(tokens)
        else:
            self.live = False
            self._behind.set()

    async def follow(self) -> None:
        """As a task: hand out what the feed log has for this peer, as far as there is a place for it."""
        while True:
            await self._behind.wait()
            self._behind.clear()
            while not self.live and self._has_place():
                if not self._catch_up():
                    break
                await asyncio.sleep(0)

    def _catch_up(self) -> bool:
        """Hand out the next of the feed log; whether there may be more."""
        front, start = self._shared.front.head, self.cursor
        if self._delay.holds_all:
            return False
        tokens, cursor = self._log.read(start, CATCH_UP, self.number)
        tokens = [token for token in tokens if token.seq < front and token.seq not in self._spilled]
        if resting := self._delay.resting(tokens):
            tokens, cursor = tokens[: -len(resting)], resting[0].seq
        if tokens:
            self._hand_out(tokens)
        self.cursor = min(cursor, front)
        if self.cursor == front:
            self.live = not self._delay
            self._spilled.clear()
        return self.cursor > start

    def _has_place(self) -> bool:
        if not self._flow.keeps_backlog:
            return True
        if self.lines.is_up and len(self.queue.fresh) <= self.queue.size // 2:
            return True
        return self.backlog.writable and not self.queue.overflowing

    def _hand_out(self, tokens: list[Token]) -> None:
        self._window.add([token.seq for token in tokens])
        self.cursor = tokens[-1].seq + 1
        spilling = len(self.queue.spilling)
        if self._queues_fresh():
            self.queue.push(tokens)
        else:
            self.queue.spilling.extend(tokens)
        if self.lines.is_up:
            self.lines.wake()
        else:
            self.lines.want()
        if self.queue.spilling:
            self._overflowed(len(self.queue.spilling) - spilling)

    def _queues_fresh(self) -> bool:
        """Whether what comes in is to be sent from memory, not from the backlog."""
        if not self._flow.keeps_backlog:
            return True
        behind = self.queue.spilling or self.queue.resent or self.backlog.has_unread
        return self.lines.is_up and not (self._flow.backlog_first and behind)

    def _overflowed(self, count: int) -> None:
        if self._flow.keeps_backlog:
            self.ledger.spooled["overflow" if self.lines.is_up else "sleeping"] += count
            self.backlog.wake()
        else:
            self._settler.discard(self.queue.take_spilling(len(self.queue.spilling)), "no-backlog")

    def oldest_in_log(self) -> int | None:
        """When the first article came in that was not handed out, milliseconds since the epoch."""
        front = self._shared.front.head
        tokens = [] if self.live else self._log.read(self.cursor, 1, self.number)[0]
        return tokens[0].arrival if tokens and tokens[0].seq < front else None

    def poll(self) -> None:
        """Once a second: go on with whatever can go on."""
        self.rate.look(self.ledger.settled)
        self.fullness.look(len(self.queue.fresh), self.queue.size)
        self.lines.poll(self._waiting(), min(1.0, len(self.queue.fresh) / self.queue.size))
        self._behind.set()
        self.backlog.wake()

    def _waiting(self) -> int:
        """Articles that could be sent now."""
        resting = self._log.count_owed(self.number, self.cursor) if self._delay.holds_some else 0
        queued = max(0, self.ledger.queued - resting)
        return queued or self.ledger.deferred

    # What the backlog asks for (`backlogowner.Owner`, `custody.Ward`)

    def needs(self, seq: int) -> bool:
        """Whether the peer still needs the article."""
        return self._log.holds(self.number, seq)

    def logged(self, seq: int) -> bool:
        """Whether an article was handed out of the feed log and is still its own."""
        return seq in self._window

    def needs_all(self, seqs: list[int]) -> bool:
        """Whether `needs` is true of each."""
        return self._log.holds_all(self.number, seqs)

    def logged_of(self, seqs: list[int]) -> set[int]:
        """Those of which `logged` is true."""
        return self._window.waiting_of(seqs)

    def disown(self, seqs: Iterable[int]) -> None:
        """These are safe on Redis: the feed log need not keep them for this peer."""
        self._window.done(seqs)

    def spilled_already(self, seqs: set[int]) -> None:
        """Redis has these, which the feed log would hand out still."""
        self._spilled = seqs

    def dropped(self, dropped: Dropped, tokens: list[Token]) -> None:
        """A limit or a compaction removed these, of which nothing else is on its way."""
        self._settler.dropped(dropped, tokens)

    @property
    def next_flush(self) -> int:
        """Number of the flush of the feed log that makes durable what was dropped until now."""
        return self._log.next_flush

    @property
    def flushed(self) -> int:
        """Number of the last one that is done."""
        return self._log.flushed

    @property
    def is_sending(self) -> bool:
        """A line is up that takes what is read back."""
        return self.lines.is_up

    def refilled(self) -> None:
        """There is something to send again."""
        self.lines.wake()

    # What lines ask for (`lines.Source`)

    def take(self, limit: int) -> list[Token]:
        """The next tokens to send; none while what was put off cannot be kept."""
        if self.backlog.congested:
            return []
        limit = min(limit, self._allowance.room(self._shared.now()))
        spilling_too = not self.backlog.writable
        # What was on a line that broke comes first: one of it may be what the peer breaks at.
        resent_first = self._flow.backlog_first or self.lines.breaks.careful
        tokens = self.queue.take(limit, spilling_too=spilling_too, resent_first=resent_first)
        self._allowance.spend(len(tokens))
        self.ledger.send(len(tokens))
        if self.queue.running_dry:
            self.backlog.wake()
            if not self.live:
                self._behind.set()
        return tokens

    def load(self, tokens: Sequence[Token], later: "Callable[[Loaded], None]") -> "Loaded | None":
        """Bodies in wire form."""
        bodies = self._shared.bodies
        if not self._flow.headers_only:
            return bodies.load(tokens, later)
        loaded = bodies.load(tokens, lambda loaded: later(without_bodies(loaded)))
        return loaded and without_bodies(loaded)

    def suspect(self, tokens: list[Token]) -> None:
        """The peer fails at these and not at others."""
        self.poison.suspect(tokens)

    def settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:
        """An answer, or what stands for one."""
        self._settler.settle(outcome, tokens, reply)

    def give_back(self, tokens: list[Token]) -> None:
        """A line ended with these unanswered."""
        self.ledger.give_back(len(tokens))
        fresh, resent = self.backlog.by_origin(tokens)
        self.queue.put_back(fresh, resent)
        self.lines.wake()

    def broke(self, token: Token) -> None:
        """The peer broke the connection at this article."""
        self._settler.broke(token)

    def connected(self) -> None:
        """The first line is up."""
        self._behind.set()
        self.backlog.wake()

    def disconnected(self) -> None:
        """The last line is gone: what is queued goes to the backlog; what came from there is safe as it is."""
        if self._flow.keeps_backlog:
            self.ledger.spooled["on-close"] += len(self.queue.fresh)
            self.queue.spill_all()
            self.backlog.wake()
