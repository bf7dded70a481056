"""Announcers as processes, trackers above them, and clients of both."""

import pytest

from announcerserver import AnnouncerServer
from peers.valkey import run_valkey
from trackers import HttpTracker, UdpTracker


@pytest.fixture
async def make_announcer(tmp_path):
    """Describe announcers, not started; those that run at the end are ended, which has to go well."""
    made = []

    def make(redis="", **spec):
        folder = tmp_path / f"announcer{len(made)}"
        folder.mkdir()
        made.append(AnnouncerServer(folder, redis, **spec))
        return made[-1]

    yield make
    for each in made:
        if each.running and each.running.running:
            assert each.running.stop() == 0, each.running.tail()


@pytest.fixture
async def tracker():
    """A scripted tracker over HTTP."""
    tracker = HttpTracker()
    await tracker.start()
    yield tracker
    await tracker.stop()


@pytest.fixture
async def udp_tracker():
    """A scripted tracker over UDP."""
    tracker = UdpTracker()
    await tracker.start()
    yield tracker
    tracker.stop()


@pytest.fixture
async def valkey():
    async with run_valkey() as server:
        yield server
