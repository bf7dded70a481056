"""`forebay channel` as a program of newsfeeds: fed by a real innd, with its tokens and instructions."""

import asyncio
import os
import shutil
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from corpus import synthetic
from eventually import eventually
from peers.inn import NEWS_BIN
from peers.process import as_news, run

from .waiting import ids

FOREBAY = Path(sys.executable).with_name("forebay")
NEWSFEEDS = "ME:*,!junk::\nforebay!:*,!control,!control.*:{flags}:{script}\n"
SCRIPT = """\
#!/bin/sh
# User news may not be able to run what the tests run: so what innd says goes on to a process of theirs.
exec cat >{fifo}
"""


class Channels:
    """A pipe in which innd's channel ends, and the channels that read it."""

    def __init__(self, outfeed, inn) -> None:
        self.outfeed = outfeed
        self.inn = inn
        self.fifo = inn.folder / "fifo"
        self.journal = inn.folder / "journal"

    async def feed(self, flags):
        """Have innd write as these flags say."""
        script = self.inn.folder / "channel.sh"
        script.write_text(SCRIPT.format(fifo=self.fifo))
        script.chmod(0o755)
        os.mkfifo(self.fifo)
        if os.geteuid() == 0:
            shutil.chown(self.fifo, "news", "news")
        (self.inn.folder / "etc/newsfeeds").write_text(NEWSFEEDS.format(flags=flags, script=script))
        await self.ctlinnd("reload", "newsfeeds", "test")

    async def ctlinnd(self, *words):
        await run(*as_news(), NEWS_BIN / "ctlinnd", "-t", 20, *words, environment=self.environment)

    @property
    def environment(self):
        return {"INNCONF": str(self.inn.folder / "etc/inn.conf")}

    def journalled(self):
        """How many lines are in the journal."""
        return len(self.journal.read_bytes().splitlines()) if self.journal.exists() else 0

    @asynccontextmanager
    async def started(self, *options):
        """A channel on the pipe."""
        command = f'exec "$0" channel --address 127.0.0.1:{self.outfeed._plan.grpc_port} "$@" <{self.fifo}'
        process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", command, str(FOREBAY), "--journal", str(self.journal), *options,
            env={**os.environ, **self.environment}, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()


@pytest.fixture
async def channels(outfeed, inn, peer):
    outfeed.peer("east", peer.port)
    await outfeed.start()
    return Channels(outfeed, inn)


async def taken(peer, count):
    return len(peer.articles) == count


@pytest.mark.inn
async def test_what_innd_takes_in_goes_out_by_its_tokens(channels, inn, inn_sender, peer, outfeed):
    articles = list(synthetic(300, 500))
    await channels.feed("Tc,Wnm*")
    async with channels.started() as process:
        inn_sender.spool(articles)
        await inn_sender.innxmit(inn.port)
        await eventually(lambda: taken(peer, 300))
        assert set(peer.articles) == set(ids(articles))
        assert inn.stored() == peer.articles
        # innd closes the pipe. By flush it would open another at once, and a FIFO that has a writer has no end.
        await channels.ctlinnd("drop", "forebay!")
        assert await asyncio.wait_for(process.wait(), 30) == 0
    assert channels.journal.read_bytes() == b""


@pytest.mark.inn
async def test_instructions_come_through_innd(channels, inn, inn_sender, peer, outfeed):
    await channels.feed("Tx,Wnm")
    async with channels.started():
        await channels.ctlinnd("send", "forebay!", "pause east")
        await eventually(lambda: is_paused(outfeed))
        inn_sender.spool(synthetic(20, 500))
        await inn_sender.innxmit(inn.port)
        await channels.ctlinnd("send", "forebay!", "flush east")
        await eventually(lambda: has_waiting(outfeed, 20))
        assert not peer.articles
        await channels.ctlinnd("send", "forebay!", "resume east")
        await eventually(lambda: taken(peer, 20))


async def is_paused(outfeed):
    return "paused by a call" in (await outfeed.peers())["east"].reason


async def has_waiting(outfeed, count):
    return (await outfeed.peers())["east"].backlog.entries == count


@pytest.mark.inn
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
async def test_a_channel_that_ends_while_the_outfeed_is_away_loses_nothing(
    channels, inn, inn_sender, peer, outfeed, number
):
    articles = list(synthetic(50, 500))
    await channels.feed("Tx,Wmn")
    async with channels.started("--grace", "0.2") as process:
        await outfeed.stop()
        inn_sender.spool(articles)
        await inn_sender.innxmit(inn.port)
        await eventually(lambda: channels.journalled() == 50)
        process.send_signal(number)
        status = await asyncio.wait_for(process.wait(), 30)
        assert status == (1 if number == signal.SIGTERM else -signal.SIGKILL)
    await outfeed.start()
    async with channels.started():
        await channels.ctlinnd("flush", "")
        await eventually(lambda: taken(peer, 50))
    assert set(peer.articles) == set(ids(articles))


async def test_files_are_named_by_their_paths(outfeed, peer, tmp_path):
    outfeed.peer("east", peer.port)
    await outfeed.start()
    articles = list(synthetic(20, 500))
    spool = tmp_path / "spool"
    (spool / "test").mkdir(parents=True)
    for number, article in enumerate(articles):
        (spool / f"test/{number}").write_bytes(article.wire if number % 2 else article.content.replace(b"\r\n", b"\n"))
    lines = "".join(f"test/{number}\n" for number in range(20)) + "test/gone\n!flush\n"
    status, errors = await channel(outfeed, lines.encode(), "--articles", spool)
    assert status == 0
    assert b"test/gone" in errors
    assert (await outfeed.drained("east")).accepted == 20
    assert peer.articles == {article.message_id: article.wire for article in articles}


@pytest.mark.parametrize("form", ["wire", "unix"])
async def test_one_article_may_be_the_whole_input(outfeed, peer, form):
    outfeed.peer("east", peer.port)
    await outfeed.start()
    (article,) = synthetic(1, 500)
    data = article.wire if form == "wire" else article.content.replace(b"\r\n", b"\n")
    assert (await channel(outfeed, data, "--article"))[0] == 0
    await outfeed.drained("east")
    assert peer.articles == {article.message_id: article.wire}
    status, errors = await channel(outfeed, b"Subject: no more\n\nbody\n", "--article")
    assert status == 1
    assert b"the article was rejected" in errors


async def channel(outfeed, data, *options):
    """Run a channel on this input; its status and what it said."""
    process = await asyncio.create_subprocess_exec(
        FOREBAY, "channel", "--address", f"127.0.0.1:{outfeed._plan.grpc_port}", *map(str, options),
        stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await asyncio.wait_for(process.communicate(data), 60)
    return process.returncode, errors
