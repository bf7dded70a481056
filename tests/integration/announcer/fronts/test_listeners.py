"""Where clients announce: places that are taken, and tried again."""

import asyncio
import socket
from contextlib import suppress

import pytest

from eventually import eventually
from fakeclock import settle
from forebay.announcer.fronts.httpfront import HttpLimits
from forebay.announcer.fronts.listeners import AGAIN, Listeners, Places
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.runtime import Address
from ports import free_port

TERMS = (TrustedProxies([]), HttpLimits(most_connections=10, idle=60.0))


@pytest.fixture
async def listeners(front_desk, clock):
    """Listeners that try again by themselves."""
    made = Listeners(front_desk, {}, clock)
    running = asyncio.create_task(made.run())
    yield made
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await made.stop()


@pytest.fixture
def taken():
    """A port that another has, until it closes this."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def places(taken, udp=0):
    return Places(Address("127.0.0.1", taken.getsockname()[1]), Address("127.0.0.1", udp))


async def test_a_taken_port_is_told_and_the_other_front_listens(listeners, taken):
    problems = await listeners.listen(places(taken), *TERMS)
    assert list(problems) == list(listeners.problems) == ["http"]
    assert (listeners.http_port, listeners.udp_port is None) == (None, False)


async def test_it_is_taken_once_it_is_free(listeners, taken, clock):
    where = places(taken)
    await listeners.listen(where, *TERMS)
    udp = listeners.udp_port
    await clock.run(AGAIN.first)
    assert list(listeners.problems) == ["http"], "it is not free yet"
    taken.close()
    await clock.run(AGAIN.longest)
    await eventually(lambda: listeners.http_port)
    assert (listeners.problems, listeners.http_port, listeners.udp_port) == ({}, where.http.port, udp)


async def test_tries_become_rarer(listeners, taken, clock):
    await listeners.listen(places(taken), *TERMS)
    await settle()
    waits = []
    for _ in range(8):
        (until, *_) = await eventually(lambda: clock.sleepers and clock.sleepers[0])
        waits.append(until - clock.now)
        clock.advance(waits[-1])
    assert AGAIN.first * 0.75 <= waits[0] <= AGAIN.first
    assert AGAIN.longest * 0.75 <= waits[-1] <= AGAIN.longest


async def test_another_place_ends_the_trying(listeners, taken, clock):
    await listeners.listen(places(taken), *TERMS)
    other = free_port()
    assert await listeners.listen(Places(Address("127.0.0.1", other), None), *TERMS) == {}
    taken.close()
    await clock.run(AGAIN.longest)
    assert listeners.http_port == other


async def test_stopped_ones_try_no_more(listeners, taken, clock):
    await listeners.listen(places(taken), *TERMS)
    await listeners.stop()
    taken.close()
    await clock.run(2 * AGAIN.longest)
    assert (listeners.problems, listeners.http_port, listeners.udp_port) == ({}, None, None)
