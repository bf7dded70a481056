"""A channel between lines and an outfeed, both of which the test plays."""

import asyncio
from types import SimpleNamespace

import pytest

from fakeclock import settle
from forebay.cli.channel.journal import Journal
from forebay.cli.channel.lines import Stored
from forebay.cli.channel.program import Channel
from forebay.cli.errors import ConfigurationError, UndoneError
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.runtime import ServiceError

FOREVER = 3600.0


class Spool:
    """Has an article for each path below /news, but for those with `gone` in their name."""

    async def read(self, articles):
        assert all(isinstance(article, Stored) for article in articles)
        return [None if "gone" in article.place else article.place.encode() for article in articles]


class Lines:
    """What innd writes."""

    def __init__(self) -> None:
        self.queue = asyncio.Queue()
        self.ended = asyncio.Event()

    def write(self, *lines):
        self.queue.put_nowait(list(lines))

    def end(self):
        self.ended.set()
        self.queue.put_nowait([])

    stop = end

    async def take(self):
        return await self.queue.get()


class Client:
    """An outfeed that gives its verdicts when the test says so."""

    def __init__(self) -> None:
        self.offered: list[bytes] = []
        self.calls: list[tuple[str, str]] = []
        self.away = False
        self.verdicts = asyncio.Queue()

    async def offer(self, articles, settings):
        assert settings.patience == float("inf")
        reading = asyncio.ensure_future(self.read(articles))
        try:
            given = 0
            while not (reading.done() and given == len(self.offered)):
                waiting = asyncio.ensure_future(self.verdicts.get())
                await asyncio.wait((reading, waiting), return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    given += waiting.result().count
                    yield waiting.result()
                elif given < len(self.offered):
                    verdict = await waiting
                    given += verdict.count
                    yield verdict
                waiting.cancel()
            await reading
        finally:
            reading.cancel()

    async def read(self, articles):
        async for article in articles:
            self.offered.append(article)

    def judge(self, count, outcome=pb.OUTCOME_ACCEPTED, reason=""):
        self.verdicts.put_nowait(pb.Verdict(count=count, outcome=outcome, reason=reason))

    async def peers(self):
        return [SimpleNamespace(name="east"), SimpleNamespace(name="west")]

    async def call(self, verb, name):
        if self.away:
            raise ServiceError("nobody listens")
        self.calls.append((verb, name))

    async def flush(self, name):
        await self.call("flush", name)

    async def pause(self, name):
        await self.call("pause", name)

    async def resume(self, name):
        await self.call("resume", name)


@pytest.fixture
def client():
    return Client()


@pytest.fixture
def lines():
    return Lines()


@pytest.fixture
def channel(client, lines):
    return Channel(client, Spool(), lines)


async def running(channel, grace=FOREVER):
    task = asyncio.ensure_future(channel.run(grace))
    await settle()
    return task


def places(count, first=0):
    return [f"/news/{number} <{number}@x>" for number in range(first, first + count)]


def articles(count, first=0):
    return [b"/news/%d" % number for number in range(first, first + count)]


async def test_articles_are_offered_in_the_order_of_their_lines_and_it_ends_with_its_input(channel, client, lines):
    task = await running(channel)
    lines.write(*places(3))
    lines.write(*places(250, first=3))
    lines.end()
    await settle(1000)
    assert client.offered == articles(253)
    assert not task.done()
    client.judge(200)
    client.judge(53, pb.OUTCOME_DUPLICATE)
    await task


async def test_what_is_of_no_use_is_passed_over_and_counted(channel, client, lines):
    task = await running(channel)
    lines.write("", "nothing here", "/news/gone <9@x>", *places(2))
    lines.end()
    await settle()
    assert client.offered == articles(2)
    client.judge(1)
    client.judge(1, pb.OUTCOME_REJECTED, "Newsgroups is missing")
    await task
    assert (channel.missing, channel.useless) == (1, 2)


async def test_an_instruction_waits_until_all_before_is_confirmed_and_holds_up_what_follows(channel, client, lines):
    task = await running(channel)
    lines.write(*places(2), "!flush west", *places(1, first=2))
    await settle(100)
    assert client.offered == articles(2)
    assert client.calls == []
    client.judge(2)
    await settle(100)
    assert client.calls == [("flush", "west")]
    assert client.offered == articles(3)
    client.judge(1)
    lines.end()
    await task


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("!flush", [("flush", "east"), ("flush", "west")]),
        ("!flush west", [("flush", "west")]),
        ("!pause east", [("pause", "east")]),
        ("!resume east west", [("resume", "east"), ("resume", "west")]),
        ("!drop east", [("pause", "east")]),
        ("!begin east", [("resume", "east")]),
        ("!newgroup test.new y", []),
        ("!rmgroup test.old", []),
        ("!reload", []),
        ("!pause", []),
        ("!dance", []),
    ],
)
async def test_instructions(channel, client, lines, line, calls):
    task = await running(channel)
    lines.write(line, *places(1))
    lines.end()
    await settle(100)
    client.judge(1)
    await task
    assert client.calls == calls


async def test_an_instruction_that_fails_does_not_stop_the_feed(channel, client, lines):
    client.away = True
    task = await running(channel)
    lines.write("!flush west", *places(1))
    lines.end()
    await settle(100)
    client.judge(1)
    await task
    assert client.offered == articles(1)


async def test_without_a_journal_what_is_left_at_the_end_is_told_as_lost(channel, client, lines):
    task = await running(channel, grace=0.01)
    lines.write(*places(3))
    lines.end()
    await settle(100)
    client.judge(1)
    with pytest.raises(UndoneError, match="2 articles were not confirmed") as caught:
        await task
    assert "--journal" in caught.value.remedy


async def test_the_journal_keeps_what_is_left_and_the_next_channel_begins_with_it(client, lines, tmp_path):
    async with Journal(tmp_path / "j") as journal:
        task = await running(Channel(client, Spool(), lines, journal), grace=0.01)
        lines.write(*places(3), "!flush")
        lines.end()
        await settle(100)
        client.judge(1)
        with pytest.raises(UndoneError, match="2 articles were not confirmed"):
            await task
    assert (tmp_path / "j").read_text().splitlines() == places(2, first=1)
    second, more = Client(), Lines()
    async with Journal(tmp_path / "j") as journal:
        task = await running(Channel(second, Spool(), more, journal))
        more.write(*places(1, first=3))
        more.end()
        await settle(100)
        assert second.offered == articles(3, first=1)
        second.judge(3)
        await task
    assert (tmp_path / "j").read_text() == ""


async def test_the_journal_keeps_what_a_spool_that_cannot_be_read_did_not_give(client, lines, tmp_path):
    class Broken(Spool):
        async def read(self, articles):
            raise ConfigurationError("sm: no storage", "Mend it.")

    async with Journal(tmp_path / "j") as journal:
        task = await running(Channel(client, Broken(), lines, journal))
        lines.write(*places(3))
        lines.end()
        with pytest.raises(ConfigurationError, match="no storage"):
            await task
    assert (tmp_path / "j").read_text().splitlines() == places(3)


async def test_while_verdicts_come_the_end_may_take_its_time(channel, client, lines):
    task = await running(channel, grace=0.2)
    lines.write(*places(4))
    lines.end()
    for _ in range(4):
        await asyncio.sleep(0.1)
        client.judge(1)
    await task


async def test_what_innd_handed_over_is_in_the_journal_before_it_is_offered(client, lines, tmp_path):
    async with Journal(tmp_path / "j") as journal:
        task = await running(Channel(client, Spool(), lines, journal))
        lines.write(*places(3), "!pause west")
        await settle(100)
        assert client.offered
        assert (tmp_path / "j").read_text().splitlines() == places(3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_long_journal_is_written_anew(client, lines, tmp_path, monkeypatch):
    monkeypatch.setattr("forebay.cli.channel.journal.SHRINK", 50)
    async with Journal(tmp_path / "j") as journal:
        task = await running(Channel(client, Spool(), lines, journal))
        lines.write(*places(10))
        await settle(100)
        client.judge(8)
        await settle(100)
        assert (tmp_path / "j").read_text().splitlines() == places(2, first=8)
        client.judge(2)
        lines.end()
        await task
