"""Health by grpc.health.v1, and the order in which a service ends."""

import asyncio

import grpc
import pytest
from grpc.aio import AioRpcError
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from structlog.testing import capture_logs

from eventually import eventually
from forebay.runtime import DrainSettings, DrainTimeoutError, Host, HostSettings, from_rpc_error

from .echo import NAME, connected

SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING


async def state(client, name=""):
    answer = await HealthStub(client.channel.get()).Check(HealthCheckRequest(service=name), timeout=10)
    return answer.status


async def test_health_is_not_serving_until_ready(service):
    service.started.clear()
    host = Host(service)
    starting = asyncio.create_task(host.start())
    await eventually(lambda: "start" in service.events)
    async with connected(host) as client:
        assert [await state(client, name) for name in ("", NAME)] == [NOT_SERVING, NOT_SERVING]
        service.started.set()
        await starting
        assert [await state(client, name) for name in ("", NAME)] == [SERVING, SERVING]
    await host.stop()


async def test_an_unknown_name_is_not_found(client):
    with pytest.raises(AioRpcError) as caught:
        await state(client, "test.v1.Other")
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_watch_sees_the_end_and_does_not_hold_it_up(service):
    host = Host(service, HostSettings(drain=DrainSettings(calls=20)))
    await host.start()
    async with connected(host) as client:
        watch = HealthStub(client.channel.get()).Watch(HealthCheckRequest(service=NAME))
        assert (await watch.read()).status == SERVING
        stopping = asyncio.create_task(host.stop())
        assert (await watch.read()).status == NOT_SERVING
        with pytest.raises(AioRpcError) as caught:
            await watch.read()
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        async with asyncio.timeout(10):
            await stopping


async def test_while_endpoints_move_calls_are_still_answered(service):
    host = Host(service, HostSettings(drain=DrainSettings(endpoints=0.5)))
    await host.start()
    async with connected(host) as client:
        stopping = asyncio.create_task(host.stop())
        await eventually(lambda: not host.state.ready)
        assert await state(client) == NOT_SERVING
        assert await client.call(b"late") == b"late"
        assert "quiesce" not in service.events
        await stopping
    assert service.events == ["start", "quiesce", "drain"]


async def test_calls_in_progress_end_before_the_service_is_drained(service):
    host = Host(service)
    await host.start()
    async with connected(host) as client:
        waiting = client.unary()(b"wait")
        await eventually(lambda: "waiting" in service.events)
        await host.stop()
        with pytest.raises(AioRpcError) as caught:
            await waiting
    assert from_rpc_error(caught.value).reason == "DRAINING"
    assert service.events == ["start", "waiting", "quiesce", "drain"]


async def test_calls_that_do_not_end_are_cut_off(service):
    host = Host(service, HostSettings(drain=DrainSettings(calls=0.1)))
    await host.start()
    async with connected(host) as client:
        sleeping = client.unary()(b"sleep")
        await eventually(lambda: "sleeping" in service.events)
        await host.stop()
        with pytest.raises(AioRpcError):
            await sleeping
    assert service.events == ["start", "sleeping", "quiesce", "woken", "drain"]


async def test_a_drain_without_end_is_cut_off(service):
    async def endless():
        await asyncio.Event().wait()

    service.drain = endless
    host = Host(service, HostSettings(drain=DrainSettings(total=0.2)))
    await host.start()
    with pytest.raises(DrainTimeoutError, match=r"echo was not drained within 0\.2 s"):
        await host.stop()


async def test_a_drain_that_fails_is_logged_with_its_cause(service):
    async def failing():
        raise OSError("disk is broken")

    service.drain = failing
    host = Host(service)
    await host.start()
    with capture_logs() as entries, pytest.raises(OSError, match="disk is broken"):
        await host.stop()
    assert [entry["event"] for entry in entries if entry.get("exc_info")] == ["drain failed"]


async def test_a_start_that_fails_is_drained_too(service):
    async def failing(tasks):
        service.events.append("failed")
        raise OSError("disk is broken")

    service.start = failing
    host = Host(service)
    with pytest.raises(OSError, match="disk is broken"):
        await host.start()
    await host.stop()
    assert service.events == ["failed", "quiesce", "drain"]
