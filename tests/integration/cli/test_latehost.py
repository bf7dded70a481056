import asyncio

import pytest

from eventually import eventually
from fakeclock import settle
from forebay.cli.ensemble import LateHost
from forebay.runtime import ConfigDocument, HostSettings
from integration.runtime.echo import EchoService


@pytest.fixture
async def host():
    host = LateHost(EchoService(), HostSettings(), ConfigDocument(1))
    host.due = asyncio.get_running_loop().time() + 3600
    yield host
    await host.stop()


@pytest.fixture
async def starting(host):
    task = asyncio.ensure_future(host.start())
    yield task
    task.cancel()


async def test_it_waits_until_it_is_due(host, starting):
    await settle()
    assert host.service.events == []


async def test_once_due_it_waits_until_it_is_released(host):
    host.due = 0
    host.released.clear()
    task = asyncio.ensure_future(host.start())
    await settle()
    assert host.service.events == []
    host.released.set()
    await task
    assert host.service.events == ["start", "apply 1"]


async def test_it_starts_with_the_newest_configuration(host):
    await host.renew(ConfigDocument(2))
    host.due = 0
    await host.start()
    assert host.configuration.revisions.current == 2


async def test_once_started_it_applies_at_once(host):
    host.due = 0
    await host.start()
    await host.renew(ConfigDocument(2))
    assert host.service.events == ["start", "apply 1", "apply 2"]


async def test_it_tells_when_it_has_started(host):
    host.due = 0
    task = asyncio.ensure_future(host.start())
    await eventually(host.started.is_set)
    await task
