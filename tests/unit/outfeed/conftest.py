"""Outfeeds without sockets and without Redis, in parts and as a whole."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import rooms
from fakeconnection import Connections
from onepeer import OnePeer


@pytest.fixture
async def peer() -> AsyncIterator[OnePeer]:
    """A peer without a line, with a queue of 8, whose spool was taken over, and which has all that the log has."""
    peer = OnePeer()
    await peer.start()
    await peer.rest()
    peer.feed.poll()
    await peer.rest()
    assert peer.feed.live
    yield peer
    await peer.close()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Connections:
    """Connections are played by the test."""
    connections = Connections()
    monkeypatch.setattr("forebay.outfeed.peering.lines.Connection", connections)
    return connections


@pytest.fixture
async def house(tmp_path: Path, made: Connections) -> AsyncIterator[rooms.House]:
    """An outfeed as a whole, without peers."""
    async with rooms.house(tmp_path) as house:
        yield house
