"""Scripted upstream trackers; each test runs on both event loops, for services run on uvloop."""

import asyncio

import pytest
import uvloop

from forebay.announcer.upstream.httpupstream import HttpUpstream
from forebay.announcer.upstream.udpupstream import UdpUpstream
from forebay.runtime import SystemClock
from trackers import HttpTracker, UdpTracker


def pytest_asyncio_loop_factories(item):
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def tracker():
    tracker = HttpTracker()
    await tracker.start()
    yield tracker
    await tracker.stop()


@pytest.fixture
async def http():
    client = HttpUpstream(SystemClock())
    yield client
    await client.close()


@pytest.fixture
async def udp_tracker():
    tracker = UdpTracker()
    await tracker.start()
    yield tracker
    tracker.stop()


@pytest.fixture
async def udp():
    client = UdpUpstream(SystemClock())
    yield client
    await client.close()


@pytest.fixture
async def hasty():
    """A client that repeats its packets after a fraction of a second."""
    client = UdpUpstream(SystemClock(), patience=0.05)
    yield client
    await client.close()
