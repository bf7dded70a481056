import aiohttp
import pytest
from prometheus_client import CollectorRegistry, Counter

from fakeclock import FakeClock
from forebay.runtime import AddressError, parse_address
from forebay_operator.health import LONGEST_SILENCE, HealthPages, Pulse
from ports import free_port


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def pulse(clock):
    return Pulse(clock)


@pytest.fixture
async def get(pulse):
    registry = CollectorRegistry()
    Counter("turns", "Turns.", registry=registry).inc()
    pages, port = HealthPages({"API server": pulse}, registry), free_port()
    await pages.start(parse_address(f"127.0.0.1:{port}"))

    async def get(path):
        async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
            return response.status, await response.text()

    yield get
    await pages.stop()


async def test_it_is_healthy_as_long_as_the_api_server_is_heard_of(get, pulse, clock):
    clock.advance(LONGEST_SILENCE)
    assert (await get("/healthz"))[0] == 200
    clock.advance(1)
    assert (await get("/healthz"))[0] == 503
    pulse.beat()
    assert (await get("/healthz"))[0] == 200


async def test_metrics_are_shown(get):
    status, text = await get("/metrics")
    assert status == 200
    assert "turns_total 1.0" in text


async def test_a_port_that_is_taken_is_told(get, pulse):
    port = free_port()
    first, second = HealthPages({}, CollectorRegistry()), HealthPages({}, CollectorRegistry())
    await first.start(parse_address(f"127.0.0.1:{port}"))
    try:
        with pytest.raises(AddressError, match="give another by --http"):
            await second.start(parse_address(f"127.0.0.1:{port}"))
    finally:
        await first.stop()
        await second.stop()
