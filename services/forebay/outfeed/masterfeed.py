"""The masterfeed: everything that comes in, judged, kept once, logged, and fanned out to the peers that want it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from forebay.feedlog.logsegment import LogRecord
from forebay.msgstore import DiskFullError, Put, StoreFailedError
from forebay.outfeed.errors import ArticleError, HistoryFullError, IntakeFullError, LogFullError
from forebay.outfeed.incoming.article import Article, ArticleLimits, parse
from forebay.outfeed.incoming.intake import Judged, Verdict, Want
from forebay.outfeed.incoming.routing import Routing
from forebay.outfeed.storeroom import Storeroom
from forebay.outfeed.token import Token, message_key
from forebay.runtime.bounded import ByteBudget
from forebay.runtime.clock import Clock

if TYPE_CHECKING:
    from forebay.outfeed.peering.peerfeed import Peerfeed

log = structlog.stdlib.get_logger(__name__)

SLICE = 200
"""Articles parsed before others get their turn on the event loop."""
SLICE_BYTES = 1 << 20
INTAKE_BYTES = 64 << 20
"""Octets of articles that are in work at once."""


@dataclass(slots=True)
class Batch:
    """Articles on their way to the disk together."""

    done: asyncio.Future[bool]
    """True once they are kept; False when they could not be."""
    articles: list[Article] = field(default_factory=list)
    peers: list[int] = field(default_factory=list)
    """For each article the bitmap of the peers that want it."""


class Front:
    """How far the feed log was fanned out. Records behind it may be on disk already."""

    def __init__(self, head: int) -> None:
        self.head = head
        """The first seq that was not."""


@dataclass(slots=True)
class IntakeCounts:
    """What came in since the start, by verdict."""

    accepted: int = 0
    duplicate: int = 0
    no_peer: int = 0
    rejected: int = 0
    accepted_bytes: int = 0


class Masterfeed:
    """Takes articles in. A verdict is returned once it is durable."""

    def __init__(self, storeroom: Storeroom, clock: Clock) -> None:
        self.limits = ArticleLimits()
        self.reject_old = True
        self.routing = Routing([])
        self.peerfeeds: Mapping[int, Peerfeed] = {}
        """By peer number."""
        self.failure: StoreFailedError | None = None
        """What the disk failed at; nothing is taken in from then on."""
        self.closed = ""
        """Why nothing is taken in; empty while the intake is open."""
        self.counts = IntakeCounts()
        self.front = Front(storeroom.feedlog.head)
        self._storeroom = storeroom
        self._clock = clock
        self._arriving: dict[bytes, Batch] = {}
        self._budget = ByteBudget(INTAKE_BYTES)

    # What the NNTP listener asks for (`intake.Intake`)

    def wanted(self, message_ids: Sequence[bytes]) -> list[Want]:
        """For each message-id whether its article is worth sending."""
        return [self._wanted(message_key(message_id)) for message_id in message_ids]

    def _wanted(self, key: bytes) -> Want:
        if self.closed:
            return Want.PAUSED
        if key in self._arriving:
            return Want.LATER
        return Want.HAVE if self._storeroom.history.seen(key) else Want.SEND

    async def take(self, articles: Sequence[bytes]) -> list[Judged]:
        """Articles in wire form; see `offer`."""
        return await self.offer(articles, wire=True)

    # The way in

    async def offer(self, contents: Sequence[bytes], *, wire: bool) -> list[Judged]:
        """Judge articles and keep those that a peer wants; returns once every verdict is durable.

        Raises `IntakeFullError` when there is no room: all can be offered again then, and what was kept all the same
        is a duplicate.
        """
        if self.closed:
            raise IntakeFullError(self.closed)
        async with self._budget.hold(min(sum(map(len, contents)), INTAKE_BYTES)):
            # What is on its way to the disk must be fanned out, even if whoever offered it hangs up.
            work = asyncio.ensure_future(self._offer_all(contents, wire))
            return self._counted(await asyncio.shield(work))

    async def _offer_all(self, contents: Sequence[bytes], wire: bool) -> list[Judged]:
        batch = Batch(asyncio.get_running_loop().create_future())
        try:
            return await self._offer(contents, wire, batch)
        except (DiskFullError, HistoryFullError, LogFullError) as error:
            raise IntakeFullError(str(error)) from error
        except StoreFailedError as error:
            self.closed = str(error)
            self.failure = error
            raise
        finally:
            self._let_go(batch)

    async def _offer(self, contents: Sequence[bytes], wire: bool, batch: Batch) -> list[Judged]:
        verdicts: list[Judged | Batch] = []
        octets = 0
        for place, content in enumerate(contents):
            verdicts.append(self._judge(content, wire, batch))
            octets += len(content)
            if octets > SLICE_BYTES or place % SLICE == SLICE - 1:
                octets = 0
                await asyncio.sleep(0)
        if batch.articles:
            await self._write(batch)
            batch.done.set_result(True)
        return [verdict if isinstance(verdict, Judged) else await self._after(verdict, batch) for verdict in verdicts]

    async def kept(self, message_id: bytes) -> bytes | None:
        """An article that some peer needs still, in wire form; None when it is not kept."""
        (body,) = await self._storeroom.store.fetch([message_key(message_id)])
        return body

    def judge(self, content: bytes, *, wire: bool = False) -> tuple[Article | None, Judged]:
        """What `offer` would answer to an article now; the article too where it is good."""
        try:
            article = parse(content, limits=self.limits, wire=wire)
        except ArticleError as error:
            return None, Judged(Verdict.REJECTED, error.reason)
        judged = _DUPLICATE if article.key in self._arriving else self._known(article)
        if judged is None:
            judged = _ACCEPTED if self.routing.route(article) else _NO_PEER
        found = None if judged.verdict is Verdict.REJECTED else article
        return found, judged._replace(message_id=article.message_id)

    def _judge(self, content: bytes, wire: bool, batch: Batch) -> Judged | Batch:
        """A verdict; or the batch that decides it: this one, or that of the article's twin."""
        try:
            article = parse(content, limits=self.limits, wire=wire)
        except ArticleError as error:
            return Judged(Verdict.REJECTED, error.reason)
        if twin := self._arriving.get(article.key):
            return _DUPLICATE if twin is batch else twin
        if judged := self._known(article):
            return judged
        if not (peers := self.routing.route(article)):
            self._storeroom.history.add_batch([article.key], self._now())
            return _NO_PEER
        batch.articles.append(article)
        batch.peers.append(peers)
        self._arriving[article.key] = batch
        return batch

    def _known(self, article: Article) -> Judged | None:
        """The verdict on an article that was seen, or of which nobody can tell."""
        history = self._storeroom.history
        if history.seen(article.key):
            return _DUPLICATE
        if self.reject_old and (problem := history.date_problem(article.date_ms, self._now())):
            return Judged(Verdict.REJECTED, problem, article.message_id)
        return None

    async def _after(self, decider: Batch, batch: Batch) -> Judged:
        """The verdict of an article that `decider` decides: where that is not its own batch, its twin came first."""
        if decider is batch:
            return _ACCEPTED
        if await asyncio.shield(decider.done):
            return _DUPLICATE
        raise IntakeFullError("the same article is being taken in elsewhere and could not be kept: offer it again")

    def _let_go(self, batch: Batch) -> None:
        """The batch was kept, or will not be."""
        for article in batch.articles:
            del self._arriving[article.key]
        if not batch.done.done():
            batch.done.set_result(False)

    async def _write(self, batch: Batch) -> None:
        """Bodies first, then the log: what the log names is there."""
        storeroom, now = self._storeroom, self._now()
        storeroom.feedlog.room.check()
        storeroom.history.reserve(len(batch.articles), now)
        puts, records = [], []
        for article, peers in zip(batch.articles, batch.peers, strict=True):
            puts.append(Put(article.key, (article.wire,), peers.bit_count()))
            records.append(LogRecord(article.message_id, now, len(article.wire), article.groups[0], peers))
        await storeroom.store.put(puts)
        try:
            first = await storeroom.feedlog.append(records)
        except Exception:
            storeroom.store.remove([put.id for put in puts for _ in range(put.refs)])
            raise
        self._remember([put.id for put in puts], now)
        self._fan_out(batch, first, now)
        self.counts.accepted_bytes += sum(record.size for record in records)

    def _remember(self, keys: list[bytes], now: int) -> None:
        try:
            self._storeroom.history.add_batch(keys, now)
        except HistoryFullError as error:
            # They are logged, so they go out; at worst they are taken in once more.
            log.error("accepted articles are not in the history", articles=len(keys), reason=str(error))

    def _fan_out(self, batch: Batch, first: int, now: int) -> None:
        tokens = [
            Token(article.message_id, article.key, seq, now, len(article.wire), 0)
            for seq, article in enumerate(batch.articles, first)
        ]
        self._storeroom.bodies.keep((article.key, article.wire) for article in batch.articles)
        self.front.head = tokens[-1].seq + 1
        together = 0
        for peers in batch.peers:
            together |= peers
        alike = len(set(batch.peers)) == 1
        for number in _bits(together):
            chosen = (
                tokens if alike else [t for t, peers in zip(tokens, batch.peers, strict=True) if peers >> number & 1]
            )
            if peerfeed := self.peerfeeds.get(number):
                peerfeed.offer(chosen)
            else:
                # The peer was deleted while the batch was on its way to the disk.
                self._storeroom.feedlog.release(number, chosen)

    def _counted(self, verdicts: list[Judged]) -> list[Judged]:
        counts = self.counts
        for verdict in verdicts:
            match verdict.verdict:
                case Verdict.ACCEPTED:
                    counts.accepted += 1
                case Verdict.DUPLICATE:
                    counts.duplicate += 1
                case Verdict.NO_PEER:
                    counts.no_peer += 1
                case Verdict.REJECTED:
                    counts.rejected += 1
        return verdicts

    def _now(self) -> int:
        return int(self._clock.wall() * 1000)


_ACCEPTED = Judged(Verdict.ACCEPTED)
_DUPLICATE = Judged(Verdict.DUPLICATE)
_NO_PEER = Judged(Verdict.NO_PEER)


def _bits(bitmap: int) -> list[int]:
    """Numbers of the bits that are set."""
    return [number for number in range(bitmap.bit_length()) if bitmap >> number & 1]
