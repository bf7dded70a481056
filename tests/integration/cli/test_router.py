"""`forebay up` of the example of routers, its chat, and `forebay router` beside it."""

import asyncio
import sys
from contextlib import AsyncExitStack

import pytest

from eventually import eventually
from forebay.client.router import Process, RouterClient
from forebay.runtime import UnavailableError
from integration.cli.command import CHECKOUT, forebay, started
from ports import free_port

FOLDER = CHECKOUT / "examples" / "router"
PORTS = (7720, 7721, 7722, 9720, 9721, 9722)


class Example:
    """examples/router on free ports."""

    def __init__(self, folder):
        self.files, self.data = folder / "files", folder / "data"
        self.files.mkdir()
        self.ports = {port: free_port() for port in PORTS}
        for path in FOLDER.glob("*.yaml"):
            text = path.read_text().replace(
                "  spillRef:", "  listeners: {grpc: {port: 7720}, health: {port: 9720}}\n  spillRef:"
            )
            for port, free in self.ports.items():
                text = text.replace(str(port), str(free))
            (self.files / path.name).write_text(text)

    def address(self, port):
        return f"127.0.0.1:{self.ports[port]}"

    def running(self):
        return started("up", "-f", self.files, "--data", self.data)

    async def router(self, *arguments, port=7720, status=0, text=None):
        """Run a command on a router; what it printed."""
        result = await forebay("router", *arguments, "--address", self.address(port))
        assert result.status == status, result.err
        return result

    async def linked(self):
        """Wait until both routers of east know the way to west, and each other."""

        async def check(port):
            try:
                async with RouterClient.connect(self.address(port)) as client:
                    router = await client.router()
            except UnavailableError:
                return False
            return [route.domain for route in router.routes] == ["west"] and sum(link.up for link in router.links) == 2

        for port in (7720, 7721):
            await eventually(lambda port=port: check(port), within=90)


class Chat:
    """One who chats."""

    def __init__(self, process):
        self._process = process

    async def say(self, line):
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()

    async def hears(self, line):
        async with asyncio.timeout(60):
            while (heard := await self._process.stdout.readline()).decode().strip() != line:
                assert heard, "it ended"

    async def end(self):
        self._process.stdin.close()
        assert await self._process.wait() == 0


@pytest.fixture
async def example(tmp_path):
    example = Example(tmp_path)
    async with example.running():
        await example.linked()
        yield example


async def chat(example, name, port):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        FOLDER / "chat.py",
        name,
        "east,west",
        example.address(port),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    return Chat(process)


def test_the_chat_has_forty_lines():
    assert len((FOLDER / "chat.py").read_text().splitlines()) <= 40


@pytest.mark.timeout(400)
async def test_people_of_two_domains_chat_and_the_commands_show_them(example):
    async with AsyncExitStack() as stack:
        alice, bob, carol = await asyncio.gather(
            *(chat(example, name, port) for name, port in (("alice", 7720), ("bob", 7722), ("carol", 7721)))
        )
        for each in (alice, bob, carol):
            stack.push_async_callback(each.end)
        await alice.hears("you are alice@east")
        await bob.hears("you are bob@west")
        await carol.hears("you are carol@east")
        heard = asyncio.gather(*(each.hears("alice@east: hello all") for each in (bob, carol)))

        async def greeted():
            # Who has just joined may not be known to every router.
            await alice.say("hello all")
            return heard.done()

        await eventually(greeted, within=60, every=0.2)
        await bob.say("@carol@east only you")
        await carol.hears("bob@west: only you")
        await carol.say("@dave@west are you there")
        await carol.hears("dave@west did not get that: skal-drop-no-recipient")
        threads = (await example.router("threads", "--output", "json")).json()
        assert [(each["name"], each["router"]) for each in threads] == [
            ("alice@east", "east-0"),
            ("carol@east", "east-1"),
        ]
        sent = await example.router("send", "bob@west", "say", "from a command", "--from", "visitor")
        assert sent.out == "bob@west has it\n"
        await bob.hears("visitor@east: from a command")


@pytest.mark.timeout(400)
async def test_what_is_dropped_is_told(example):
    result = await example.router("send", "nobody@west", "m", status=1)
    assert "skal-drop-no-recipient" in result.err
    result = await example.router("send", "nobody@north", "m", status=1)
    assert "skal-drop-no-network" in result.err
    result = await example.router("send", "a", "m", "--field", "room", status=2)
    assert "--field room: give NAME=VALUE" in result.err
    shown = await example.router("threads", "--routers")
    assert "dropped: skal-drop-no-network" in shown.out
    assert "to-west" in shown.out
    assert "severity" in (await example.router("alarms")).out
    result = await example.router("alarms", "--clear", "skal-x=nobody@east", status=1)
    assert "no alarm skal-x of nobody@east is on" in result.err


@pytest.mark.timeout(400)
async def test_messages_are_shown_as_they_pass(example):
    tracing = asyncio.ensure_future(example.router("trace", "nobody@east", "--limit", "1", "--output", "json"))
    async with Process.connect(example.address(7720), "sender") as process:
        sender = await process.thread("sender")

        def traced():
            sender.send("nobody", "m", b"hello")
            return tracing.done()

        await eventually(traced, within=60, every=0.2)
    shown = (await tracing).json()
    assert (shown["sender"], shown["name"], shown["body"]) == ("sender@east", "m", "hello")
    assert shown["way"] == "skal-drop-no-recipient"
