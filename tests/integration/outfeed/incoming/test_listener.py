"""The NNTP listener over real sockets."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest
import uvloop

from articles import Article
from eventually import eventually
from forebay.outfeed.errors import IntakeFullError
from forebay.outfeed.incoming.feeder import PENDING_OCTETS, ListenerSettings
from forebay.outfeed.incoming.intake import Judged, Verdict, Want
from forebay.outfeed.incoming.listener import Listener
from nntp import NntpSender

new_event_loop = uvloop.new_event_loop


class RecordingIntake:
    """Keeps what it is given; `open` lets verdicts out, `full` refuses all."""

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}
        self.batches: list[int] = []
        self.open = asyncio.Event()
        self.open.set()
        self.full = ""

    def wanted(self, message_ids: Sequence[bytes]) -> list[Want]:
        return [Want.HAVE if message_id in self.kept else Want.SEND for message_id in message_ids]

    async def take(self, articles: Sequence[bytes]) -> list[Judged]:
        self.batches.append(len(articles))
        await self.open.wait()
        # The later of two batches may be done first.
        await asyncio.sleep(random.random() * 0.001)
        if self.full:
            raise IntakeFullError(self.full)
        return [self.judge(article) for article in articles]

    def judge(self, article: bytes) -> Judged:
        message_id = article.partition(b"Message-ID: ")[2].partition(b"\r\n")[0]
        if message_id in self.kept:
            return Judged(Verdict.DUPLICATE)
        self.kept[message_id] = article
        return Judged(Verdict.ACCEPTED)


def articles(count: int, octets: int = 100) -> list[Article]:
    return [
        Article(
            b"<%d@forebay.example>" % number,
            b"Message-ID: <%d@forebay.example>\r\n\r\n" % number + b"x" * octets + b"\r\n",
        )
        for number in range(count)
    ]


def takethis(offered: Sequence[Article]) -> bytes:
    return b"".join(b"TAKETHIS " + article.message_id + b"\r\n" + article.wire for article in offered)


@pytest.fixture
def intake():
    return RecordingIntake()


Serve = Callable[..., Awaitable[Listener]]


@pytest.fixture
async def serve(intake) -> AsyncIterator[Serve]:
    """Start a listener with these settings."""
    started: list[Listener] = []

    async def start(**settings: object) -> Listener:
        listener = Listener(intake, ListenerSettings(port=0, **settings))
        await listener.start()
        started.append(listener)
        return listener

    yield start
    intake.open.set()
    for listener in started:
        await listener.drain("end of test")


async def test_articles_and_checks_are_answered_in_the_order_of_the_commands(serve, intake):
    listener = await serve()
    offered = articles(500)
    commands = [b"CHECK " + article.message_id + b"\r\n" + takethis([article]) for article in offered]
    async with NntpSender(listener.port) as sender:
        sender.writer.write(b"".join(commands))
        replies = [await sender.line() for _ in range(1000)]
    expected = [code + article.message_id for article in offered for code in (b"238 ", b"239 ")]
    assert replies == expected
    assert intake.kept == {article.message_id: article.wire for article in offered}


async def test_articles_that_came_together_are_taken_together(serve, intake):
    listener = await serve()
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis(articles(300)))
        assert [(await sender.line())[:3] for _ in range(300)] == [b"239"] * 300
    assert len(intake.batches) < 30


async def test_the_next_is_read_while_verdicts_are_awaited(serve, intake):
    listener = await serve()
    intake.open.clear()
    first, second = articles(2)
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis([first]))
        await eventually(lambda: len(intake.batches) == 1)
        sender.writer.write(takethis([second]) + b"DATE\r\n")
        await eventually(lambda: len(intake.batches) == 2)
        intake.open.set()
        assert [(await sender.line())[:3] for _ in range(3)] == [b"239", b"239", b"111"]


async def test_a_sender_that_is_ahead_of_the_verdicts_is_not_read_from(serve, intake):
    listener = await serve()
    intake.open.clear()
    large = articles(40, PENDING_OCTETS // 10)
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis(large))
        await eventually(lambda: sum(intake.batches) >= 10)
        await asyncio.sleep(0.2)
        assert sum(intake.batches) < 20
        intake.open.set()
        assert [(await sender.line())[:3] for _ in large] == [b"239"] * len(large)


async def test_a_sender_that_reads_no_answers_is_not_read_from(serve):
    listener = await serve()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port, limit=1)
    writer.write(b"HELP\r\n" * 1_000_000)
    await eventually(lambda: listener.counts.octets > 100_000)
    counted = -1
    while counted != listener.counts.octets:
        counted = listener.counts.octets
        await asyncio.sleep(0.2)
    assert counted < 5_900_000
    writer.transport.abort()
    assert reader
    await eventually(lambda: listener.connected == 0)


async def test_ihave_is_asked_and_taken(serve, intake):
    listener = await serve()
    (article,) = articles(1)
    async with NntpSender(listener.port) as sender:
        assert (await sender.command(b"IHAVE " + article.message_id)).startswith(b"335")
        sender.writer.write(article.wire)
        assert (await sender.line()).startswith(b"235")
        assert (await sender.command(b"IHAVE " + article.message_id)).startswith(b"435")
        assert (await sender.command(b"STAT " + article.message_id)).startswith(b"223")
    assert intake.kept == {article.message_id: article.wire}


async def test_a_truncated_article_is_not_taken_and_its_connection_alone_ends(serve, intake):
    listener = await serve()
    whole, cut = articles(2)
    async with NntpSender(listener.port) as other:
        async with NntpSender(listener.port) as sender:
            sender.writer.write(takethis([whole]) + takethis([cut])[:-3])
            assert (await sender.line()).startswith(b"239")
        await eventually(lambda: listener.connected == 1)
        assert (await other.command(b"DATE")).startswith(b"111")
    assert set(intake.kept) == {whole.message_id}
    assert listener.counts.truncated == 1


async def test_a_connection_goes_on_after_an_article_over_the_limit(serve, intake):
    listener = await serve(article_octets=1000)
    large, small = articles(1, 500_000)[0], articles(2)[1]
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis([large, small]))
        assert b"over the limit of 1000" in await sender.line()
        assert (await sender.line()).startswith(b"239")
    assert set(intake.kept) == {small.message_id}


async def test_changed_limits_hold_for_open_connections(serve):
    listener = await serve(article_octets=1000)
    async with NntpSender(listener.port) as sender:
        listener.apply(ListenerSettings(article_octets=1_000_000))
        sender.writer.write(takethis(articles(1, 500_000)))
        assert (await sender.line()).startswith(b"239")


async def test_a_full_intake_ends_the_connection_with_400(serve, intake):
    listener = await serve()
    intake.full = "the disk is full"
    async with NntpSender(listener.port) as sender:
        sender.writer.write(b"DATE\r\n" + takethis(articles(2)))
        assert (await sender.line()).startswith(b"111")
        assert await sender.reader.read() == b"400 the disk is full\r\n"


async def test_a_failing_intake_ends_the_connection_and_tells_nothing(serve, intake, monkeypatch):
    def fail(article: bytes) -> Judged:
        raise ValueError("secret")

    monkeypatch.setattr(intake, "judge", fail)
    listener = await serve()
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis(articles(1)))
        assert await sender.reader.read() == b"400 internal error\r\n"


async def test_quit_is_answered_after_all_before_it(serve, intake):
    listener = await serve()
    intake.open.clear()
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis(articles(2)) + b"QUIT\r\nDATE\r\n")
        await eventually(lambda: sum(intake.batches) == 2)
        intake.open.set()
        replies = (await sender.reader.read()).splitlines()
    assert [reply[:3] for reply in replies] == [b"239", b"239", b"205"]


async def test_an_idle_connection_is_ended(serve):
    listener = await serve(idle_seconds=0.05)
    async with NntpSender(listener.port) as sender:
        assert await sender.reader.read() == b"400 no command for 0.05 s\r\n"


async def test_more_connections_than_allowed_are_refused(serve):
    listener = await serve(connections=1)
    async with NntpSender(listener.port) as sender:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        assert (await reader.read()).startswith(b"400 too many connections")
        writer.close()
        await writer.wait_closed()
        assert (await sender.command(b"DATE")).startswith(b"111")
    assert listener.counts.refused_connections == 1


async def test_draining_answers_what_was_taken_and_says_400(serve, intake):
    listener = await serve()
    intake.open.clear()
    (article, cut) = articles(2)
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis([article]) + takethis([cut])[:-3])
        await eventually(lambda: intake.batches == [1])
        draining = asyncio.create_task(listener.drain("going down"))
        await asyncio.sleep(0)
        intake.open.set()
        await draining
        assert await sender.reader.read() == b"239 " + article.message_id + b"\r\n400 going down\r\n"
    with pytest.raises(OSError, match="Connect"):
        await asyncio.open_connection("127.0.0.1", listener.port)


async def test_draining_waits_for_articles_of_connections_that_ended(serve, intake):
    listener = await serve()
    intake.open.clear()
    async with NntpSender(listener.port) as sender:
        sender.writer.write(takethis(articles(1)))
        await eventually(lambda: intake.batches == [1])
    await eventually(lambda: listener.connected == 0)
    draining = asyncio.create_task(listener.drain("going down"))
    await asyncio.sleep(0.01)
    assert not draining.done()
    intake.open.set()
    await draining
    assert len(intake.kept) == 1


async def test_answers_are_counted_by_their_code(serve):
    listener = await serve()
    async with NntpSender(listener.port) as sender:
        await sender.take_this(articles(3))
        await sender.command(b"DATE")
    assert listener.counts.answers == {b"239": 3, b"111": 1}
    assert listener.counts.connections == 1


@pytest.mark.parametrize("seed", range(5))
async def test_chunks_of_any_size_yield_the_same_answers(serve, intake, seed):
    listener = await serve()
    shuffled = random.Random(seed)
    text = b"CHECK <x>\r\n" + takethis(articles(30, 3000)) + b"MODE STREAM\r\nFOO\r\n" + takethis(articles(31)[30:])
    async with NntpSender(listener.port) as sender:
        at = 0
        while at < len(text):
            size = shuffled.choice((1, 3, 50, 5000))
            sender.writer.write(text[at : at + size])
            await asyncio.sleep(0)
            at += size
        codes = [(await sender.line())[:3] for _ in range(34)]
    assert codes == [b"438"] + [b"239"] * 30 + [b"203", b"500", b"239"]
    assert len(intake.kept) == 31
