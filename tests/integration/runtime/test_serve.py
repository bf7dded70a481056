"""Several services in one process."""

import asyncio
import os
import signal

import pytest

from eventually import eventually
from forebay.runtime import AddressError, GrpcSettings, Host, HostSettings, TaskCrashedError, serve

from .echo import EchoService, connected


async def test_services_start_in_order_and_end_together_upon_sigterm():
    services = EchoService(), EchoService()
    hosts = [Host(service) for service in services]
    serving = asyncio.create_task(serve(hosts))
    await eventually(lambda: all(host.state.ready for host in hosts))
    async with connected(hosts[0]) as one, connected(hosts[1]) as two:
        assert await one.call(b"one") + await two.call(b"two") == b"onetwo"
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert [service.events for service in services] == [["start", "quiesce", "drain"]] * 2


async def test_sigterm_during_a_long_start_ends_it(service):
    service.started.clear()
    serving = asyncio.create_task(serve([Host(service)]))
    await eventually(lambda: service.events)
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    assert service.events == ["start", "quiesce", "drain"]


async def test_a_service_that_cannot_start_ends_the_others(service):
    first = Host(service)
    taken = GrpcSettings(listen="192.0.2.1:1", insecure=True)
    with pytest.raises(AddressError, match=r"cannot listen on 192\.0\.2\.1:1"):
        await serve([first, Host(EchoService(), HostSettings(grpc=taken))])
    assert service.events == ["start", "quiesce", "drain"]


async def test_a_crash_of_one_service_drains_all(service):
    async def boom():
        raise ValueError("boom")

    other = EchoService()
    hosts = [Host(service), Host(other)]
    serving = asyncio.create_task(serve(hosts))
    await eventually(lambda: all(host.state.ready for host in hosts))
    other.tasks.spawn("poller", boom)
    with pytest.raises(TaskCrashedError, match="poller"):
        await serving
    assert service.events == ["start", "quiesce", "drain"]


async def test_a_crash_during_another_services_start_is_not_waited_for(service):
    async def boom():
        raise ValueError("boom")

    service.started.clear()
    host = Host(service)
    serving = asyncio.create_task(serve([host]))
    await eventually(lambda: service.tasks)
    service.tasks.spawn("poller", boom)
    with pytest.raises(TaskCrashedError, match="poller"):
        await serving


async def test_a_failed_reload_leaves_all_as_it_was(service):
    calls = []

    async def reload():
        calls.append(1)
        raise OSError("the folder is gone")

    host = Host(service)
    serving = asyncio.create_task(serve([host], reload))
    await eventually(lambda: host.state.ready)
    for count in (1, 2):
        os.kill(os.getpid(), signal.SIGHUP)
        await eventually(lambda count=count: len(calls) == count)
    assert not serving.done()
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
