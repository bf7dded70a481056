"""Fronts on loopback; each test runs on both event loops, for services run on uvloop."""

import asyncio
from ipaddress import ip_network

import pytest
import uvloop

from fakeclock import FakeClock
from forebay.announcer.fronts.httpfront import HttpFront, HttpLimits
from forebay.announcer.fronts.httpsite import HttpSite
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.announcer.fronts.udpdesk import UdpDesk
from forebay.announcer.fronts.udpfront import UdpFront
from forebay.announcer.wire.connectionid import ConnectionIds
from forebay.runtime import Address
from swarms import desk


def pytest_asyncio_loop_factories(item):
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def front_desk():
    return desk()


@pytest.fixture
async def http(front_desk, clock):
    """A front over HTTP; `port` is where it listens, on all addresses."""
    proxies = TrustedProxies([ip_network("127.0.0.2/32")])
    front = HttpFront(HttpSite(front_desk, {}), proxies, HttpLimits(most_connections=10, idle=60.0), clock)
    front.port = await front.start(Address("::", 0))
    yield front
    await front.stop()


@pytest.fixture
async def udp(front_desk, clock):
    """A front over UDP; `port` is where it listens, on all addresses."""
    front = UdpFront(UdpDesk(front_desk, ConnectionIds(bytes(32))), clock)
    front.port = await front.start(Address("::", 0))
    yield front
    front.stop()
