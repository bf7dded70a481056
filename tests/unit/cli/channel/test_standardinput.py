"""Lines from a pipe."""

import asyncio
import os

import pytest

from forebay.cli.channel.standardinput import AHEAD, READ, StandardInput


@pytest.fixture
def pipe():
    read, write = os.pipe()
    ends = {"write": write}
    yield read, ends
    for end in (read, *ends.values()):
        os.close(end)


def close(ends):
    os.close(ends.pop("write"))


async def all_lines(lines):
    found = []
    while batch := await lines.take():
        found += batch
    return found


async def test_lines_come_as_they_are_written(pipe):
    read, ends = pipe
    lines = StandardInput(read)
    lines.start()
    os.write(ends["write"], b"one\ntwo\nth")
    assert await lines.take() == ["one", "two"]
    os.write(ends["write"], b"ree\nfour")
    assert await lines.take() == ["three"]
    close(ends)
    assert await lines.take() == ["four"]
    assert await lines.take() == []


async def test_a_stop_ends_it_while_the_pipe_is_open(pipe):
    read, ends = pipe
    lines = StandardInput(read)
    lines.start()
    os.write(ends["write"], b"one\n")
    assert await lines.take() == ["one"]
    waiting = asyncio.ensure_future(lines.take())
    await asyncio.sleep(0)
    lines.stop()
    assert await waiting == []
    close(ends)
    # Else it might read what the next test writes into a pipe of the same number.
    await asyncio.to_thread(lines._thread.join)


async def test_whoever_writes_waits_while_nothing_is_taken(pipe):
    read, ends = pipe
    lines = StandardInput(read)
    lines.start()
    text = b"x" * 79 + b"\n"
    count = (2 * AHEAD + 4) * READ // len(text)
    writing = asyncio.ensure_future(asyncio.to_thread(write_all, ends["write"], text * count))
    await asyncio.sleep(0.1)
    assert not writing.done()
    assert len(lines._read) <= AHEAD
    found = asyncio.ensure_future(all_lines(lines))
    await writing
    close(ends)
    assert len(await found) == count


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]
