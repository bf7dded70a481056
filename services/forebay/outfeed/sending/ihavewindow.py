"""The window of a connection to a peer that does not stream: one article at a time, by IHAVE (RFC 3977, 6.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.outfeed.sending.company import Company
from forebay.outfeed.sending.ending import Cause, Ending
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.sending.replies import TOO_LONG, Command, ReplyBuffer, split
from forebay.outfeed.sending.run import Run, Sent
from forebay.outfeed.sending.verdicts import Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.msgstore.disk import Buffer
    from forebay.outfeed.sending.feed import Bodies, Feed
    from forebay.outfeed.sending.nocheck import NoCheckFilter
    from forebay.outfeed.token import Token


class IhaveWindow:
    """The one article that is on the connection: offered, then wanted, then sent. It has the face of `FeedWindow`."""

    def __init__(self, feed: Feed, nocheck: NoCheckFilter, ready: Callable[[], None]) -> None:
        """`ready` is called when `fill` has something again, because the body was read."""
        self.nocheck = nocheck
        self.taking = True
        """Cleared to let the window run empty."""
        self.fault: Ending | None = None
        """Why the connection has to end; set by `receive` and `fill`."""
        self._feed = feed
        self._ready = ready
        self._sent: Sent | None = None
        self._wanted: Run | None = None
        self._bodies: Bodies | None = None
        self._loading = False
        self._lines = ReplyBuffer()
        self._company = Company()

    @property
    def room(self) -> int:
        """How many more articles may be taken."""
        return 1 if self.taking and self.empty else 0

    @property
    def empty(self) -> bool:
        """The article that was taken is settled."""
        return self._sent is None and self._wanted is None

    @property
    def unanswered(self) -> int:
        """Commands that were sent and not answered; an article that was asked for counts."""
        return 0 if self.empty else 1

    @property
    def waiting_since(self) -> float | None:
        """Since when the peer owes its next reply; None when it owes none."""
        return self._sent.at if self._sent else None

    @property
    def next_unanswered(self) -> str:
        """The command that the peer should answer next."""
        name = self._sent.message_ids[0].decode("utf-8", "replace") if self._sent else ""
        return f"IHAVE {name}"

    def fill(self, now: float) -> list[Buffer]:
        """The sender: the article that is wanted, or the next offer; empty when there is nothing to send now."""
        if self._wanted:
            return self._send_body(self._wanted, now)
        tokens = self._feed.take(1) if self.room else []
        if not tokens:
            return []
        self._sent = Sent(0, tokens, Command.IHAVE, now)
        return [b"IHAVE ", tokens[0].message_id, b"\r\n"]

    def receive(self, data: bytes, now: float, send: Callable[[], None] = lambda: None) -> None:
        """The receiver: settle what the reply in `data` is about. `send` is called before anything is settled."""
        verdicts = Verdicts(self.nocheck, self._company)
        for line in split(self._lines.add(data)):
            self._answer(line, verdicts)
            if verdicts.fault:
                break
        if self._lines.overlong:
            verdicts.fault = verdicts.fault or TOO_LONG
        self.fault = verdicts.fault
        if not self.fault:
            send()
        if suspects := self._company.found():
            self._feed.suspect(suspects)
        for outcome, tokens, reply in verdicts.settled():
            self._feed.settle(outcome, tokens, reply)

    def abandon(self) -> list[Token]:
        """The article that is not settled, if any; the window is empty then."""
        run = self._sent or self._wanted
        self._sent = self._wanted = self._bodies = None
        self.taking = False
        return run.tokens if run else []

    def _answer(self, line: bytes, verdicts: Verdicts) -> None:
        if self._sent is None:
            verdicts.unasked(line)
        elif verdicts.judge(self._sent, self._sent.tokens, iter([line])):
            self._sent = None
            self._wanted = verdicts.wanted.pop() if verdicts.wanted else None

    def _send_body(self, run: Run, now: float) -> list[Buffer]:
        if self._bodies is None and not self._loading:
            self._loading = True
            bodies = self._feed.load(run.tokens, self._loaded)
            if bodies is not None:
                self._loading, self._bodies = False, bodies
        if self._bodies is None:
            return []
        body, self._bodies = self._bodies[0], None
        if body is None:
            self._wanted = None
            # The peer waits for an article that there is not: nothing else can be said to it.
            self.fault = Ending(Cause.WANTED, "the article that the peer waits for is gone")
            self._feed.settle(Outcome.MISSING, run.tokens, "")
            return []
        self._sent, self._wanted = Sent(0, run.tokens, Command.ARTICLE, now), None
        return [body]

    def _loaded(self, bodies: Bodies) -> None:
        self._loading = False
        if self._wanted:
            self._bodies = bodies
            self._ready()
