"""A store of several pods: whoever is asked names the primary, and all that goes on follows it."""

import asyncio

import pytest

from eventually import eventually
from forebay.client import ClosedError, ConsumeSettings, PublishSettings, Store, make_message
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import BackoffSettings, ServiceError, UnavailableError
from forebay.runtime.interceptor import as_status

from .scriptedstore import ScriptedStore, serving

BACKOFF = BackoffSettings(0.01, 0.05)
PUBLISH, CONSUME = PublishSettings(backoff=BACKOFF, patience=20), ConsumeSettings(backoff=BACKOFF, patience=20)
STOPS = UnavailableError("the store stops", retry_after=0.0)


class Standby(ScriptedStore):
    """A pod that only keeps a copy."""

    def __init__(self):
        super().__init__()
        self.primary = 0
        """Port of the one that it names; 0: it knows none."""

    async def refuse(self, context):
        self.asked += 1
        error = UnavailableError("no pod is primary now", reason="NO_PRIMARY", retry_after=0.0)
        if self.primary:
            facts = {"primary": "main-1", "address": f"127.0.0.1:{self.primary}"}
            error = UnavailableError("ask main-1", reason="NOT_PRIMARY", retry_after=0.0, facts=facts)
        await context.abort_with_status(as_status(error, "1"))

    async def Publish(self, requests, context):  # noqa: N802
        await self.refuse(context)
        yield

    async def Consume(self, requests, context):  # noqa: N802
        await self.refuse(context)
        yield

    async def Get(self, request, context):  # noqa: N802
        await self.refuse(context)


@pytest.fixture
async def standby():
    return Standby()


@pytest.fixture
async def primary(standby):
    primary = ScriptedStore()
    async with serving(primary) as standby.primary:
        yield primary


@pytest.fixture
async def store(standby, primary):
    """A client that knows the pod which is not primary."""
    async with serving(standby) as port, Store.connect(f"127.0.0.1:{port}") as store:
        yield store


async def test_calls_and_streams_are_led_to_the_primary(store, standby, primary):
    assert len(await store.get("orders", 2)) == 2
    await store.publish("a", b"x")
    assert primary.kept == [b"x"]
    assert standby.asked == 1


async def test_a_stream_that_ends_takes_no_other_with_it(store, standby, primary):
    """The client leaves the primary as it ends the first of two streams: both go on."""
    primary.faults = [(1, True, STOPS)]
    primary.queue.append(b"first")
    async with store.publisher(settings=PUBLISH) as publisher, store.consume("orders", settings=CONSUME) as orders:
        deliveries = aiter(orders)
        assert (await anext(deliveries)).body == b"first"
        await publisher.publish(make_message("a", b"1"))
        assert await publisher.publish(make_message("a", b"2")) == pb.OUTCOME_DUPLICATE
        await eventually(lambda: len(primary.starts) == 2)
        assert (await anext(deliveries)).body == b"first"
    assert primary.kept == [b"1", b"2"]


async def test_a_call_that_fails_late_leaves_the_new_primary_alone(store, standby, primary):
    """It went to the old one, and ends when a stream has found the new one already."""
    primary.answers.clear()
    primary.faults = [(1, False, STOPS)]
    new = ScriptedStore()
    async with serving(new) as port, store.publisher(settings=PUBLISH) as publisher:
        await publisher.publish(make_message("a", b"1"))
        late = asyncio.ensure_future(store.get("orders"))
        await eventually(lambda: primary.asked == 1)
        standby.primary = port
        await publisher.publish(make_message("a", b"2"))
        assert len(await late) == 1
        await publisher.publish(make_message("a", b"3"))
    assert new.kept == [b"2", b"3"]
    assert len(new.streams) == 1


async def test_without_a_primary_calls_fail_and_streams_wait(store, standby, primary):
    named, standby.primary = standby.primary, 0
    with pytest.raises(ServiceError, match="no pod is primary"):
        await store.get("orders")
    async with store.publisher(settings=PUBLISH) as publisher:
        outcome = asyncio.ensure_future(publisher.publish(make_message("a", b"1")))
        await eventually(lambda: standby.asked > 3)
        standby.primary = named
        assert await outcome == pb.OUTCOME_CONFIRMED


async def test_what_is_under_way_fails_when_the_client_is_closed(standby, primary):
    primary.open.clear()
    async with serving(standby) as port:
        store = Store.connect(f"127.0.0.1:{port}")
        publisher = store.publisher(settings=PUBLISH)
        publisher.start()
        outcome = asyncio.ensure_future(publisher.publish(make_message("a", b"1")))
        await eventually(lambda: bool(primary.streams))
        await store.close()
        with pytest.raises(ClosedError):
            await outcome
        await publisher.close()
        primary.open.set()
