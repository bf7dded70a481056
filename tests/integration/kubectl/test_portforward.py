"""Against a stand-in for kubectl, a child process like it."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import pytest

from eventually import eventually
from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.portforward import PortForward
from forebay.cli.kubectl.tunnel import tunnel
from ports import free_port

from .command import STANDIN

LOOPBACK = "127.0.0.1"


def command(remote, local=0):
    return [sys.executable, str(STANDIN), "port-forward", "pod/hub-outfeed-0", f"{local or ''}:{remote}"]


async def shout(reader, writer):
    writer.write((await reader.readline()).upper())
    writer.close()
    await writer.wait_closed()


@asynccontextmanager
async def shouting(port=0):
    """A service that answers in capitals; its port."""
    server = await asyncio.start_server(shout, LOOPBACK, port)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def answer(port):
    """What the service answers through a port; nothing where it can't be reached."""
    try:
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(b"hello\n")
        line = await reader.read()
        writer.close()
        await writer.wait_closed()
    except OSError:
        return b""
    return line


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_port_leads_to_the_pod_until_it_is_ended():
    async with shouting() as port:
        forward = await PortForward.start(command(port))
        assert await answer(forward.port) == b"HELLO\n"
        await forward.end()
        assert await answer(forward.port) == b""


async def test_a_pod_that_does_not_run_is_told_in_the_words_of_kubectl():
    with pytest.raises(KubectlError, match="pod is not running"):
        await PortForward.start(command(free_port()))


async def test_a_start_that_is_given_up_leaves_no_process_behind(tmp_path):
    file = tmp_path / "pid"
    starting = asyncio.ensure_future(PortForward.start(["sh", "-c", f"echo $$ > {file}; exec sleep 1000"]))
    pid = int(await eventually(lambda: file.exists() and file.read_text()))
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    assert starting.cancelled()
    assert not alive(pid)


async def test_what_the_child_says_while_it_forwards_does_not_stop_it():
    async with shouting() as port, tunnel(lambda local: command(port, local)) as way:
        for _ in range(50):
            assert await answer(way) == b"HELLO\n"


async def test_a_tunnel_leads_to_the_next_pod_by_the_same_port():
    async with shouting() as port:
        way_in = tunnel(lambda local: command(port, local))
        way = await way_in.__aenter__()
        assert await answer(way) == b"HELLO\n"
    try:
        await eventually(lambda: lost(way))
        async with shouting(port):
            assert await eventually(lambda: answer(way)) == b"HELLO\n"
    finally:
        await way_in.__aexit__(None, None, None)
    assert await answer(way) == b""


async def lost(way):
    return not await answer(way)


async def test_a_tunnel_that_cannot_be_opened_at_first_is_an_error():
    port = free_port()
    with pytest.raises(KubectlError, match="pod is not running"):
        async with tunnel(lambda local: command(port, local)):
            pass
