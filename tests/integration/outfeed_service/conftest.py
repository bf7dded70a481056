"""A running Valkey, outfeeds on it, and peers that note what they get."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from outfeedserver import OutfeedServer
from peers.recordingpeer import RecordingPeer
from peers.valkey import Valkey, run_valkey


@pytest.fixture
async def redis() -> AsyncIterator[Valkey]:
    async with run_valkey() as server:
        yield server


@pytest.fixture
async def make_outfeed(tmp_path: Path) -> AsyncIterator[Callable[..., OutfeedServer]]:
    """Describe outfeeds, not started; at the end they are ended, and their accounts have to have been sound."""
    made: list[OutfeedServer] = []

    def make(redis: Valkey, **options: Any) -> OutfeedServer:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(OutfeedServer(folder, redis.url, **options))
        return made[-1]

    yield make
    for outfeed in made:
        await outfeed.close()


@pytest.fixture
async def outfeed(make_outfeed: Callable[..., OutfeedServer], redis: Valkey) -> OutfeedServer:
    """An outfeed without peers, not started."""
    return make_outfeed(redis)


@pytest.fixture
async def recording_peer() -> AsyncIterator[Callable[[], Awaitable[RecordingPeer]]]:
    """Start peers."""
    started: list[RecordingPeer] = []

    async def start() -> RecordingPeer:
        peer = RecordingPeer()
        await peer.start()
        started.append(peer)
        return peer

    yield start
    for peer in started:
        await peer.stop()


@pytest.fixture
async def peer(recording_peer: Callable[[], Awaitable[RecordingPeer]]) -> RecordingPeer:
    """A running peer that takes what it does not have."""
    return await recording_peer()
