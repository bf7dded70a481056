"""Sender and receiver of one streaming connection, apart from sockets and clocks: bytes in, bytes and outcomes out."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

import structlog

from forebay.outfeed.sending.commands import checks, replies, takethises
from forebay.outfeed.sending.company import Company
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.replies import NAMING, TOO_LONG, Command, ReplyBuffer, split
from forebay.outfeed.sending.run import Run, Sent, in_order, part_missing, pop_bytes, tokens_of
from forebay.outfeed.sending.verdicts import Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.msgstore.disk import Buffer
    from forebay.outfeed.sending.ending import Ending
    from forebay.outfeed.sending.feed import Bodies, Feed
    from forebay.outfeed.sending.nocheck import NoCheckFilter
    from forebay.outfeed.token import Token

BATCH_BYTES = 1 << 17
"""Octets of bodies loaded at once; the last article may exceed it."""

log = structlog.get_logger(__name__)


class FeedWindow:
    """The articles that one connection has taken and not settled, by stage.

    An article goes from the feed into the recv-queue as CHECK. A 238 moves it to the send-queue, from where its body is
    loaded, and it goes into the recv-queue again as TAKETHIS. While CHECK is skipped, it begins in the send-queue. What
    can be sent of the send-queue goes before new CHECKs. All stages together hold at most `size` articles.
    """

    def __init__(self, feed: Feed, size: int, nocheck: NoCheckFilter, ready: Callable[[], None]) -> None:
        """`ready` is called when `fill` has something again, because bodies were read."""
        self.nocheck = nocheck
        self.taking = True
        """Cleared to let the window run empty."""
        self.fault: Ending | None = None
        """Why the connection has to end; set by `receive`."""
        self.unanswered = 0
        self._unsent = 0
        self._feed = feed
        self._size = size
        self._ready = ready
        self._rank = 0
        self._recv_queue: deque[Sent] = deque()
        self._send_queue: deque[Run] = deque()
        self._loading: list[Run] = []
        self._bodies: Bodies | None = None
        self._lines = ReplyBuffer()
        self._company = Company()
        self._heard_at = 0.0

    @property
    def room(self) -> int:
        """How many more articles may be taken."""
        return self._size - self.unanswered - self._unsent if self.taking else 0

    @property
    def empty(self) -> bool:
        """Every article that was taken is settled."""
        return not self.unanswered and not self._unsent

    @property
    def waiting_since(self) -> float | None:
        """Since when the peer owes its next reply; None when it owes none."""
        return max(self._recv_queue[0].at, self._heard_at) if self._recv_queue else None

    @property
    def next_unanswered(self) -> str:
        """The command that the peer should answer next."""
        run = self._recv_queue[0]
        return f"{run.command.name} {run.message_ids[run.answered].decode('utf-8', 'replace')}"

    def fill(self, now: float) -> list[Buffer]:
        """The sender: the next batch of commands to write; empty when there is nothing to send now."""
        while self._load():
            if batch := self._send_bodies(now):
                return batch
        return [] if self.nocheck.skips else self._send_checks(now)

    def receive(self, data: bytes, now: float, send: Callable[[], None] = lambda: None) -> None:
        """The receiver: settle what the replies in `data` are about.

        `send` is called as soon as there is room, before anything is settled: the peer should not wait for accounts.
        """
        verdicts = Verdicts(self.nocheck, self._company)
        if piece := self._lines.add(data):
            self._heard_at = now
            self._answer(piece, verdicts)
        if self._lines.overlong:
            verdicts.fault = verdicts.fault or TOO_LONG
        self.fault = verdicts.fault
        for run in verdicts.wanted:
            self._put(run)
        # The window is consistent again before the feed hears of anything: it may close the connection.
        if not self.fault:
            send()
        if suspects := self._company.found():
            self._feed.suspect(suspects)
        for outcome, tokens, reply in verdicts.settled():
            self._settle(outcome, tokens, reply)

    def abandon(self) -> list[Token]:
        """All articles that are not settled, in the order in which they were taken; the window is empty then."""
        sent = [(run.command, Run(run.rank, run.rest())) for run in self._recv_queue]
        bodies = [run for command, run in sent if command is Command.TAKETHIS]
        offers = [run for command, run in sent if command is Command.CHECK]
        tokens = in_order([*bodies, *self._loading, *self._send_queue, *offers])
        self._recv_queue.clear()
        self._send_queue.clear()
        self._loading, self._bodies = [], None
        self.unanswered = self._unsent = 0
        self.taking = False
        return tokens

    def _next_run(self) -> Run | None:
        room = self.room
        tokens = self._feed.take(room) if room > 0 else []
        self._rank += 1
        return Run(self._rank, tokens) if tokens else None

    def _put(self, run: Run) -> None:
        self._send_queue.append(run)
        self._unsent += len(run.tokens)

    def _load(self) -> bool:
        """Whether there are bodies to be sent."""
        if self.nocheck.skips and not self._unsent and (run := self._next_run()):
            self._put(run)
        if self._send_queue and not self._loading:
            runs = self._loading = pop_bytes(self._send_queue, BATCH_BYTES)
            self._bodies = self._feed.load(tokens_of(runs), partial(self._loaded, runs))
        return self._bodies is not None

    def _loaded(self, runs: list[Run], bodies: Bodies) -> None:
        if runs is self._loading:
            self._bodies = bodies
            self._ready()

    def _send_bodies(self, now: float) -> list[Buffer]:
        runs, bodies = self._loading, self._bodies or ()
        self._loading, self._bodies = [], None
        self._unsent -= len(bodies)
        present = [body for body in bodies if body is not None]
        missing = part_missing(runs, bodies) if len(present) < len(bodies) else []
        message_ids: list[bytes] = []
        for run in runs:
            message_ids += self._sent(run, Command.TAKETHIS, now)
        if missing:
            self._settle(Outcome.MISSING, missing, "")
        return takethises(message_ids, present) if present else []

    def _send_checks(self, now: float) -> list[Buffer]:
        run = self._next_run()
        return [checks(self._sent(run, Command.CHECK, now))] if run else []

    def _sent(self, run: Run, command: Command, now: float) -> list[bytes]:
        """Put the run into the recv-queue; returns its message-ids."""
        if not run.tokens:
            return []
        sent = Sent(run.rank, run.tokens, command, now)
        self._recv_queue.append(sent)
        self.unanswered += len(sent)
        return sent.message_ids

    def _answer(self, piece: bytes, verdicts: Verdicts) -> None:
        """A run of bare replies with one code is recognised as a whole; from the first other one on, line by line."""
        position, left = 0, piece.count(b"\n")
        while left and self._recv_queue:
            run = self._recv_queue[0]
            count = min(left, len(run))
            code = piece[position : position + 3]
            expected = replies(code, run.message_ids[run.answered : run.answered + count])
            if code not in NAMING or not piece.startswith(expected, position):
                break
            verdicts.alike(run, run.rest(count), code)
            self._answered(run, count)
            position += len(expected)
            left -= count
        if left:
            self._answer_each(split(piece[position:]), verdicts)

    def _answer_each(self, lines: list[bytes], verdicts: Verdicts) -> None:
        remaining, left = iter(lines), len(lines)
        while left and self._recv_queue and not verdicts.fault:
            run = self._recv_queue[0]
            count = verdicts.judge(run, run.rest(left), remaining)
            self._answered(run, count)
            left -= count
        if left and not verdicts.fault:
            verdicts.unasked(next(remaining))

    def _answered(self, run: Sent, count: int) -> None:
        run.answered += count
        self.unanswered -= count
        if not len(run):
            self._recv_queue.popleft()

    def _settle(self, outcome: Outcome, tokens: list[Token], reply: str) -> None:
        if outcome is Outcome.REJECTED and reply.startswith("431"):
            first = tokens[0].message_id.decode("utf-8", "replace")
            log.warning("TAKETHIS answered with 431", articles=len(tokens), first=first, reply=reply)
        self._feed.settle(outcome, tokens, reply)
