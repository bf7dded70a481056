"""Alarms of a whole store: publishers are told to wait, consumers go on, and memory stays within its bounds."""

import pytest

from forebay.api.v1alpha1 import StoreSpec
from forebay.store.alarms import PressureAlarms
from forebay.store.queueing import hub as hub_module
from powerloss import PowerLossDisk
from storehub import CONFIRMED, Queues, Source, Tap, message, queue

MEBIBYTE = 1 << 20


@pytest.fixture
async def alarmed(monkeypatch):
    """A hub with 12.8 MiB for messages and 64 MiB to be left on a disk of 200 MiB; it looks after each MiB."""
    monkeypatch.setattr(hub_module, "LOOK_OCTETS", MEBIBYTE)
    queues = Queues(PowerLossDisk(limit=200 * MEBIBYTE))
    queues.alarms = PressureAlarms(queues.clock)
    queues.store = StoreSpec.model_validate(
        {"memory": {"limit": "128MiB", "highWatermark": 0.1}, "storage": {"freeLimit": "64MiB"}}
    )
    yield queues
    await queues.close()


async def test_a_queue_that_grows_goes_to_disk_and_raises_no_alarm(alarmed):
    await alarmed.open(queue("q"))
    told = []
    alarmed.hub.on_blocked = told.append
    source = Source(alarmed.hub)
    for _ in range(60):
        source.send([message("q", bytes(1000)) for _ in range(1000)])
        await source.outcomes(source.next - 1)
    figures = alarmed.hub.figures()
    assert figures.memory < figures.memory_limit
    assert told == []
    assert alarmed.hub.describe("q").insides[0].delta > 10_000


async def test_what_consumers_hold_raises_the_memory_alarm_until_they_let_go(alarmed):
    await alarmed.open(queue("q", durable=False))
    told = []
    alarmed.hub.on_blocked = told.append
    tap = Tap(alarmed.hub, "q", credit=60_000)
    source = Source(alarmed.hub)
    while not alarmed.hub.blocked:
        source.send([message("q", bytes(3000)) for _ in range(100)])
        await source.outcomes(source.next - 1)
        await tap.deliveries(source.next - 1)
    assert told[0].startswith("MEMORY: messages take")
    (alarm,) = alarmed.hub.figures().alarms
    assert alarm.kind == "MEMORY"
    await tap.settle_safely(1, source.next - 1)
    alarmed.hub._look()
    assert told[-1] == ""
    assert alarmed.hub.figures().alarms == []


async def test_a_disk_that_fills_up_raises_its_alarm_and_consuming_ends_it(alarmed):
    await alarmed.open(queue("q"))
    source = Source(alarmed.hub)
    while not alarmed.hub.blocked:
        source.send([message("q", bytes(100_000)) for _ in range(20)])
        await source.outcomes(source.next - 1)
    assert alarmed.hub.blocked.startswith("DISK")
    assert alarmed.hub.figures().disk_free < 64 * MEBIBYTE
    assert alarmed.hub.figures().disk_free > 50 * MEBIBYTE
    tap = Tap(alarmed.hub, "q", credit=60_000)
    await tap.deliveries(source.next - 1)
    await tap.settle_safely(1, source.next - 1)
    await alarmed.until(lambda: alarmed.hub._look() or not alarmed.hub.blocked)
    assert await alarmed.publish("q", b"x") == [CONFIRMED]


async def test_limits_change_live(alarmed):
    await alarmed.open(queue("q"))
    alarmed.hub._look()
    assert alarmed.hub.blocked == ""
    alarmed.store = StoreSpec.model_validate({"storage": {"freeLimit": "1GiB"}})
    await alarmed.apply(queue("q"))
    assert alarmed.hub.blocked.startswith("DISK")
    alarmed.store = StoreSpec.model_validate({"storage": {"freeLimit": "64MiB"}})
    await alarmed.apply(queue("q"))
    assert alarmed.hub.blocked == ""
