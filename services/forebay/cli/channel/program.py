"""The channel: lines in, articles out to an outfeed, and innd's instructions in between."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from itertools import chain
from typing import Protocol

import structlog

from forebay.cli.channel.journal import Journal
from forebay.cli.channel.lines import Instruction, Stored, is_instruction, read_line
from forebay.cli.channel.newsspool import NewsSpool
from forebay.cli.errors import UndoneError
from forebay.client import Offering, OfferSettings, Outcome, OutfeedClient
from forebay.runtime import ServiceError

TOGETHER = 100
"""Articles that are read from the spool in one go."""
NOT_KEPT_HERE = frozenset({"newgroup", "rmgroup", "reload"})
"""Instructions about groups and newsfeeds, of which a channel keeps nothing."""
PATIENT = OfferSettings(patience=math.inf)
"""While the outfeed is away nothing is read any more, and innd keeps what it cannot hand over."""

log = structlog.stdlib.get_logger(__name__)


class Input(Protocol):
    """Where lines come from."""

    ended: asyncio.Event
    """Set once nothing more comes in; what came can still be taken."""

    async def take(self) -> list[str]:
        """The next lines, at least one; empty at the end."""

    def stop(self) -> None:
        """Take nothing more in."""


class Channel:
    """Offers what lines name, in their order, to one outfeed. `run` it once."""

    def __init__(self, client: OutfeedClient, spool: NewsSpool, lines: Input, journal: Journal | None = None) -> None:
        self.missing = 0
        """Articles that the spool had no more."""
        self.useless = 0
        """Lines that name no article, or one that no message holds."""
        self._client = client
        self._spool = spool
        self._lines = lines
        self._journal = journal
        self._unread: deque[str] = deque()
        self._at_hand: deque[str] = deque()
        """Lines of articles that are being read from the spool."""
        self._sent: deque[str] = deque()
        """Lines of articles without a verdict."""
        self._settled = asyncio.Event()
        self._heard = asyncio.Event()
        self._offering = client.offer(self._articles(), PATIENT)

    async def run(self, grace: float) -> None:
        """Until the input ends and all is confirmed, or after its end no verdict comes for `grace` seconds.

        Raises `UndoneError` when lines are left, which the journal keeps if there is one, and `ServiceError`.
        """
        if self._journal:
            self._unread.extend(self._journal.left())
        following = asyncio.ensure_future(self._follow(self._offering))
        ended = asyncio.ensure_future(self._lines.ended.wait())
        try:
            await asyncio.wait((following, ended), return_when=asyncio.FIRST_COMPLETED)
            while not following.done() and await self._hears(following, grace):
                pass
            if following.done():
                await following
        finally:
            for task in (following, ended):
                task.cancel()
            await asyncio.gather(following, ended, return_exceptions=True)
            left = await self._left_at_end()
        if left:
            raise UndoneError(f"{len(left)} articles were not confirmed", self._remedy())

    async def _hears(self, following: "asyncio.Future[None]", grace: float) -> bool:
        """Whether a verdict, or the end, comes within `grace` seconds."""
        self._heard.clear()
        heard = asyncio.ensure_future(self._heard.wait())
        done, _ = await asyncio.wait((following, heard), timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        heard.cancel()
        return bool(done)

    async def _left_at_end(self) -> list[str]:
        self._lines.stop()
        while lines := await self._lines.take():
            self._unread.extend(lines)
        left = self._left()
        if self._journal:
            self._journal.rewrite(left)
        return left

    def _left(self) -> list[str]:
        return [line for line in chain(self._sent, self._at_hand, self._unread) if not is_instruction(line)]

    def _remedy(self) -> str:
        if self._journal:
            return "The journal keeps them; they come first at the next start."
        return "They are lost to the outfeed. Give the channel a --journal."

    # Lines in

    async def _articles(self) -> AsyncIterator[bytes]:
        while await self._has_lines():
            following = self._next()
            if isinstance(following, Instruction):
                await self._until_settled()
                await self._obey(following)
                continue
            for article in await self._spool.read(following):
                line = self._at_hand.popleft()
                if article is None:
                    self.missing += 1
                    log.warning("an article is not in the spool any more", line=line)
                elif len(article) > PATIENT.article_octets:
                    self.useless += 1
                    log.warning("an article is larger than gRPC takes", line=line, octets=len(article))
                else:
                    self._sent.append(line)
                    yield article

    async def _has_lines(self) -> bool:
        while not self._unread:
            lines = await self._lines.take()
            if not lines:
                return False
            if self._journal:
                self._journal.add(line for line in lines if not is_instruction(line))
            self._unread.extend(lines)
        return True

    def _next(self) -> Instruction | list[Stored]:
        """An instruction, or the articles before the next."""
        run: list[Stored] = []
        while self._unread and len(run) < TOGETHER:
            line = self._unread.popleft()
            try:
                found = read_line(line)
            except ValueError as error:
                self.useless += 1
                log.warning("a line is of no use", problem=str(error))
                continue
            if isinstance(found, Stored):
                run.append(found)
                self._at_hand.append(line)
            elif run:
                self._unread.appendleft(line)
                break
            else:
                return found
        return run

    # Verdicts back

    async def _follow(self, offering: Offering) -> None:
        async for verdict in offering:
            self._heard.set()
            for line in [self._sent.popleft() for _ in range(verdict.count)]:
                if verdict.outcome == Outcome.OUTCOME_REJECTED:
                    log.warning("an article was rejected", line=line, reason=verdict.reason)
            if not self._sent:
                self._settled.set()
            if self._journal and self._journal.is_long:
                self._journal.rewrite(self._left())

    async def _until_settled(self) -> None:
        while self._sent:
            self._settled.clear()
            await self._settled.wait()

    # Instructions

    async def _obey(self, instruction: Instruction) -> None:
        verb, names = instruction.verb, instruction.arguments
        if verb in NOT_KEPT_HERE:
            return
        try:
            match verb:
                case "flush":
                    for name in names or [peer.name for peer in await self._client.peers()]:
                        await self._client.flush(name)
                case "pause" | "drop" if names:
                    for name in names:
                        await self._client.pause(name)
                case "resume" | "begin" if names:
                    for name in names:
                        await self._client.resume(name)
                case _:
                    log.warning("an instruction is not known", instruction=" ".join((verb, *names)))
        except ServiceError as error:
            log.warning("an instruction was not carried out", instruction=verb, problem=error.message)
