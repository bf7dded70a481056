"""What a router shows: threads, alarms, messages that pass, and itself."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from eventually import eventually
from forebay.client.channels import service_errors
from forebay.client.router import Process, RouterClient, Severity, views
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.runtime import InvalidArgumentError, NotFoundError, UnavailableError
from routers import Router, running_router
from threads import Inbox


@pytest.fixture
async def client(router):
    async with RouterClient.connect(router.address) as client:
        yield client


async def test_threads_are_listed_by_name(client, router, attach, monkeypatch):
    monkeypatch.setattr(views, "PAGE", 2)
    one = await attach("one")
    names = [f"thread-{number}" for number in range(5)]
    for name in [*reversed(names), "other"]:
        thread = await one.thread(name)
    thread.join("news")
    await eventually(lambda: router.switch.groups.here())
    listed = [each async for each in client.threads("thread-")]
    assert [thread.name for thread in listed] == [f"{name}@local" for name in names]
    assert {(thread.process, thread.router) for thread in listed} == {("one", "router-0")}
    [other] = [each async for each in client.threads("o")]
    assert list(other.groups) == ["news"]
    assert other.since.seconds > 0


async def test_a_page_has_its_bounds(client):
    with pytest.raises(InvalidArgumentError, match="page_size 1001 is above 1000"), service_errors():
        await client._stub().ListThreads(pb.ListThreadsRequest(page_size=1001))


async def test_alarms_are_raised_listed_watched_and_cleared(client, attach):
    one = await attach("one")
    alice = await one.thread("alice")
    alice.raise_alarm("low-water", "the basin is low", severity=Severity.SEVERITY_ERROR)
    [alarm] = await eventually(client.alarms)
    assert (alarm.name, alarm.origin, alarm.comment) == ("low-water", "alice@local", "the basin is low")
    assert (alarm.severity, alarm.on) == (pb.SEVERITY_ERROR, True)
    assert alarm.time.seconds > 0
    watch = client.watch_alarms()
    assert await anext(watch) == alarm
    alice.raise_alarm("high-water", auto_off=True)
    raised = await anext(watch)
    assert (raised.name, raised.on, raised.auto_off) == ("high-water", True, True)
    alice.clear_alarm("high-water")
    off = await anext(watch)
    assert (off.name, off.on) == ("high-water", False)
    assert not (await client.clear_alarm("low-water", "alice@local")).on
    assert (await anext(watch)).name == "low-water"
    assert await client.alarms() == []
    with pytest.raises(NotFoundError, match="no alarm low-water of alice@local is on"):
        await client.clear_alarm("low-water", "alice@local")
    await watch.aclose()


async def test_messages_are_traced_as_they_pass(client, attach):
    one, two = await attach("one"), await attach("two")
    inbox = Inbox()
    await two.thread("bob", inbox)
    alice, carol = await one.thread("alice"), await one.thread("carol")
    async with tracing(client, "") as everything, tracing(client, "alice@local") as hers:
        alice.send("bob", "hello", b"hi", {"n": 1})
        alice.send("nobody", "lost")
        carol.send("bob", "other")
        await eventually(lambda: len(everything) == 3 and len(hers) == 2)
    first = next(each for each in everything if each.message.name == "hello")
    assert (first.sender, first.recipient, first.sequence) == ("alice@local", "bob@local", 1)
    assert (first.ttl, first.way) == (3, "two")
    assert first.message.body == b"hi"
    assert first.message.fields["n"].integer == 1
    lost = next(each for each in everything if each.message.name == "lost")
    assert lost.way == "skal-drop-no-recipient"
    assert sorted(each.message.name for each in hers) == ["hello", "lost"]


@asynccontextmanager
async def tracing(client, address):
    responses, seen = client.trace(address), []
    assert not (await anext(responses)).messages

    async def read():
        async for response in responses:
            seen.extend(response.messages)

    reading = asyncio.ensure_future(read())
    yield seen
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_a_router_tells_how_it_is(client, attach):
    one, two = await attach("one"), await attach("two")
    await two.thread("bob", Inbox())
    alice = await one.thread("alice")
    alice.send("bob", "m")
    alice.send("nobody", "m")
    await one.flush()
    shown = await client.router()
    assert (shown.router, shown.domain, shown.threads, shown.messages) == ("router-0", "local", 2, 1)
    assert dict(shown.dropped) == {"skal-drop-no-recipient": 1}
    assert sorted((each.process, each.threads) for each in shown.processes) == [("one", 1), ("two", 1)]


async def test_figures_are_metrics(router, attach):
    one = await attach("one")
    alice = await one.thread("alice")
    alice.send("nobody", "m")
    await one.flush()
    figures = {
        (sample.name, *sample.labels.values()): sample.value
        for metric in router.service.collect()
        for sample in metric.samples
    }
    assert figures["forebay_router_processes",] == 1
    assert figures["forebay_router_threads",] == 1
    assert figures["forebay_router_dropped_total", "skal-drop-no-recipient"] == 1


async def test_when_the_service_ends_long_streams_are_told():
    router = Router()
    await router.start()
    async with RouterClient.connect(router.address) as client:
        trace, watch = client.trace(), client.watch_alarms()
        await anext(trace)
        watching = asyncio.ensure_future(anext(watch))
        await eventually(lambda: len(router.switch.alarms._watchers) == 2)
        await router.stop()
        for ending in (watching, anext(trace)):
            with pytest.raises(UnavailableError, match="the service stops"):
                await ending


async def test_two_routers_do_not_know_each_other():
    async with (
        running_router() as east,
        running_router() as west,
        Process.connect(east.address, "one") as one,
        Process.connect(west.address, "two") as two,
    ):
        await one.thread("bob")
        await two.thread("bob")
