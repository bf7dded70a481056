"""What a router shows: threads, alarms, messages that pass, and itself."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from eventually import eventually
from forebay.client.channels import open_channel, service_errors
from forebay.client.router import Process, Severity
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub
from forebay.runtime import InvalidArgumentError, NotFoundError, UnavailableError
from routers import Router, running_router
from threads import Inbox


@pytest.fixture
async def stub(router):
    channel = open_channel(router.address)
    yield RouterServiceStub(channel.get())
    await channel.close()


async def test_threads_are_listed_by_pages(stub, router, attach):
    one = await attach("one")
    names = [f"thread-{number}" for number in range(5)]
    for name in [*reversed(names), "other"]:
        thread = await one.thread(name)
    thread.join("news")
    await eventually(lambda: router.switch.groups.here())
    listed, token = [], ""
    while True:
        request = pb.ListThreadsRequest(page_size=2, page_token=token, prefix="thread-")
        response = await stub.ListThreads(request)
        listed += response.threads
        token = response.next_page_token
        if not token:
            break
        assert len(response.threads) == 2
    assert [thread.name for thread in listed] == [f"{name}@local" for name in names]
    assert {(thread.process, thread.router) for thread in listed} == {("one", "router-0")}
    [other] = (await stub.ListThreads(pb.ListThreadsRequest(prefix="o"))).threads
    assert list(other.groups) == ["news"]
    assert other.since.seconds > 0


async def test_a_page_has_its_bounds(stub):
    with pytest.raises(InvalidArgumentError, match="page_size 1001 is above 1000"), service_errors():
        await stub.ListThreads(pb.ListThreadsRequest(page_size=1001))


async def test_alarms_are_raised_listed_watched_and_cleared(stub, attach):
    one = await attach("one")
    alice = await one.thread("alice")
    alice.raise_alarm("low-water", "the basin is low", severity=Severity.SEVERITY_ERROR)
    [alarm] = await eventually(lambda: listed(stub))
    assert (alarm.name, alarm.origin, alarm.comment, alarm.severity, alarm.on) == (
        "low-water",
        "alice@local",
        "the basin is low",
        pb.SEVERITY_ERROR,
        True,
    )
    assert alarm.time.seconds > 0
    watch = stub.WatchAlarms(pb.WatchAlarmsRequest())
    assert list((await watch.read()).alarms) == [alarm]
    alice.raise_alarm("high-water", auto_off=True)
    [raised] = (await watch.read()).alarms
    assert (raised.name, raised.on, raised.auto_off) == ("high-water", True, True)
    alice.clear_alarm("high-water")
    [off] = (await watch.read()).alarms
    assert (off.name, off.on) == ("high-water", False)
    request = pb.ClearAlarmRequest(name="low-water", origin="alice@local")
    assert not (await stub.ClearAlarm(request)).alarm.on
    [cleared] = (await watch.read()).alarms
    assert cleared.name == "low-water"
    assert await listed(stub) == []
    with pytest.raises(NotFoundError, match="no alarm low-water of alice@local is on"), service_errors():
        await stub.ClearAlarm(request)
    watch.cancel()


async def listed(stub):
    return list((await stub.ListAlarms(pb.ListAlarmsRequest())).alarms)


async def test_messages_are_traced_as_they_pass(stub, router, attach):
    one, two = await attach("one"), await attach("two")
    inbox = Inbox()
    await two.thread("bob", inbox)
    alice, carol = await one.thread("alice"), await one.thread("carol")
    async with tracing(stub, "") as everything, tracing(stub, "alice@local") as hers:
        alice.send("bob", "hello", b"hi", {"n": 1})
        alice.send("nobody", "lost")
        carol.send("bob", "other")
        await eventually(lambda: len(everything) == 3)
    first = next(each for each in everything if each.message.name == "hello")
    assert (first.sender, first.recipient, first.sequence, first.ttl, first.way) == (
        "alice@local",
        "bob@local",
        1,
        3,
        "two",
    )
    assert first.message.body == b"hi"
    assert first.message.fields["n"].integer == 1
    lost = next(each for each in everything if each.message.name == "lost")
    assert lost.way == "skal-drop-no-recipient"
    assert sorted(each.message.name for each in hers) == ["hello", "lost"]


@asynccontextmanager
async def tracing(stub, address):
    call, seen = stub.Trace(pb.TraceRequest(address=address)), []
    assert not (await call.read()).messages

    async def read():
        while True:
            seen.extend((await call.read()).messages)

    reading = asyncio.ensure_future(read())
    yield seen
    call.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_a_router_tells_how_it_is(stub, attach):
    one, two = await attach("one"), await attach("two")
    await two.thread("bob", Inbox())
    alice = await one.thread("alice")
    alice.send("bob", "m")
    alice.send("nobody", "m")
    await one.flush()
    shown = await stub.GetRouter(pb.GetRouterRequest())
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
    channel = open_channel(router.address)
    stub = RouterServiceStub(channel.get())
    watch, trace = stub.WatchAlarms(pb.WatchAlarmsRequest()), stub.Trace(pb.TraceRequest())
    await watch.read()
    await trace.read()
    await router.stop()
    for call in (watch, trace):
        with pytest.raises(UnavailableError, match="the service stops"), service_errors():
            await call.read()
    await channel.close()


async def test_two_routers_do_not_know_each_other():
    async with (
        running_router() as east,
        running_router() as west,
        Process.connect(east.address, "one") as one,
        Process.connect(west.address, "two") as two,
    ):
        await one.thread("bob")
        await two.thread("bob")
