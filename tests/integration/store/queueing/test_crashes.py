"""A queue that crashes: others do not notice, it comes back with what it had, and everybody concerned is told."""

import pytest

from forebay.msgstore import StoreFailedError
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime.errors import UnavailableError
from storehub import CONFIRMED, REFUSED, REJECT, Source, Tap, message, queue, restart_quickly


class Fault(Exception):  # noqa: N818 - what happens, not what it is
    """Something that nobody foresaw."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    restart_quickly(monkeypatch)


def live(queues, name):
    return queues.hub._exchange.queues[name].live


def break_at(queues, name, method):
    """The next call of a method of a queue's backing queue raises; the one after a restart is another."""

    def fail(*_, **__):
        raise Fault(method)

    backing = live(queues, name).core.backing
    if method in ("cold", "octets", "checkpoint_due"):
        kind = type(backing)
        backing.__class__ = type(kind.__name__, (kind,), {method: property(fail)})
    else:
        setattr(backing, method, fail)


async def crash(queues, name):
    before = live(queues, name)
    before.crash(Fault("the test says so"))
    await queues.until(lambda: live(queues, name) not in (None, before))


async def test_it_comes_back_with_what_it_had(queues):
    await queues.open(queue("q"), queue("passing", durable=False))
    for name in ("q", "passing"):
        await queues.publish(name, b"1", b"2", bytes(10_000))
    tap = Tap(queues.hub, "q", credit=2)
    await tap.deliveries(2)
    await tap.settle_safely(1)
    await crash(queues, "q")
    await crash(queues, "passing")
    assert [(len(each.message.body), each.deliveries) for each in await queues.browse("q")] == [(1, 1), (10_000, 0)]
    assert await queues.contents("passing") == []


async def test_consumers_are_told_and_may_come_again(queues):
    await queues.open(queue("q"))
    await queues.publish("q", b"x")
    tap = Tap(queues.hub, "q")
    await tap.deliveries(1)
    await crash(queues, "q")
    assert isinstance(tap.session.failure, UnavailableError)
    assert tap.session.failure.reason == "QUEUE_CRASHED"
    tap.settle(1)
    assert tap.session.take() is None
    tap.close()
    assert await Tap(queues.hub, "q").bodies(1) == [b"x"]


@pytest.mark.parametrize(
    "method", ["publish", "take", "write", "settle", "fetch", "cold", "octets", "ack", "requeue", "next_expiry"]
)
async def test_wherever_it_breaks_others_do_not_notice(queues, method):
    await queues.open(queue("bad"), queue("good"))
    await queues.publish("bad", b"before")
    bad, good = Tap(queues.hub, "bad", credit=2), Tap(queues.hub, "good")
    await bad.deliveries(1)
    before = live(queues, "bad")
    break_at(queues, "bad", method)
    both = Source(queues.hub)
    both.send([message("bad", b"1"), message("good", b"1"), message("bad", b"2"), message("good", b"2")])
    if not bad.session.failure:
        bad.settle(1, disposition=pb.DISPOSITION_REQUEUE if method == "requeue" else pb.DISPOSITION_ACK)
    outcomes = await both.outcomes(4)
    assert outcomes[1::2] == [CONFIRMED] * 2
    assert await good.bodies(2) == [b"1", b"2"]
    await queues.until(lambda: live(queues, "bad") not in (None, before))
    found = await queues.contents("bad")
    assert [body for body, outcome in zip((b"1", b"2"), outcomes[::2], strict=True) if outcome == CONFIRMED] <= found
    assert good.session.failure is None
    assert await queues.publish("bad", b"after") == [CONFIRMED]


async def test_publishers_are_told_what_may_be_lost(queues):
    await queues.open(queue("bad", bindings=("a",)), queue("good", bindings=("a",)))
    break_at(queues, "bad", "write")
    source = Source(queues.hub)
    source.send([message("a", b"x")])
    assert await source.outcomes(1) == [REFUSED]
    assert "publish again" in source.confirms[0].reason
    assert await queues.contents("good") == [b"x"]


async def test_while_it_is_down_it_is_unavailable(queues, monkeypatch):
    await queues.open(queue("q"), queue("good"))
    process = queues.hub._exchange.queues["q"]

    async def fail(_):
        raise Fault("no start")

    monkeypatch.setattr(type(process), "_open", fail)
    process.live.crash(Fault("the test says so"))
    await queues.until(lambda: "no start" in process.reason)
    for call in (queues.hub.get("q", 1), queues.hub.browse("q", 0, 1), queues.hub.purge("q")):
        with pytest.raises(UnavailableError, match="crashed"):
            await call
    with pytest.raises(UnavailableError):
        Tap(queues.hub, "q")
    assert await queues.publish("q", b"x") == [REFUSED]
    status = queues.status("q")
    assert status.state == pb.QUEUE_STATE_CRASHED
    assert "Fault: no start" in status.reason
    assert await queues.publish("good", b"x") == [CONFIRMED]
    monkeypatch.undo()
    await queues.until(lambda: process.live is not None)
    assert await queues.publish("q", b"x") == [CONFIRMED]


async def test_it_may_crash_again_and_again(queues):
    await queues.open(queue("q"))
    for number in range(5):
        await queues.publish("q", b"%d" % number)
        await crash(queues, "q")
    assert await queues.contents("q") == [b"0", b"1", b"2", b"3", b"4"]
    assert queues.status("q").counters.published == 5


async def test_a_call_that_a_crash_interrupts_is_told(queues):
    await queues.open(queue("q"))
    await queues.publish("q", b"x")
    break_at(queues, "q", "write")
    with pytest.raises(UnavailableError):
        await queues.hub.get("q", 1)


async def test_dead_letters_that_a_crash_may_have_lost_go_again(queues):
    await queues.open(queue("q", dead_letter_address="dead"), queue("dead"))
    await queues.publish("q", b"1", b"2")
    tap = Tap(queues.hub, "q")
    await tap.deliveries(2)
    break_at(queues, "dead", "write")
    tap.settle(1, 2, REJECT)
    await queues.until(lambda: tap.look() or tap.settled == [1, 2])
    bodies = set(await queues.contents("dead"))
    assert bodies == {b"1", b"2"}
    assert queues.status("q").unacked == 0


async def test_a_checkpoint_that_fails_crashes_its_queue_alone(queues):
    await queues.open(queue("q"), queue("good"))
    await queues.publish("q", b"x")
    before = live(queues, "q")
    backing = before.core.backing

    def fail():
        raise Fault("checkpoint")

    backing.checkpoint = fail
    kind = type(backing)
    backing.__class__ = type(kind.__name__, (kind,), {"checkpoint_due": True})
    await queues.publish("q", b"y")
    await queues.until(lambda: live(queues, "q") not in (None, before))
    assert await queues.contents("q") == [b"x", b"y"]


async def test_a_disk_that_fails_is_the_end_of_all(queues):
    await queues.open(queue("q"))
    backing = live(queues, "q").core.backing

    def fail(*_, **__):
        raise StoreFailedError("the disk is gone")

    backing.write = fail
    Source(queues.hub).send([message("q", b"x")])
    assert "StoreFailedError" in str(await queues.tasks.crashed())
    del backing.write


async def test_a_removed_queue_takes_nothing_along(queues):
    await queues.open(queue("a", bindings=("x",)), queue("b", bindings=("x",)))
    for _ in range(3):
        await queues.publish("x", bytes(10_000), b"small")
    tap = Tap(queues.hub, "a", credit=2)
    await tap.deliveries(2)
    await queues.apply(queue("b", bindings=("x",)))
    assert tap.session.failure is not None
    assert queues.disk.names("queues") == ["uid-b"]
    assert len(await queues.contents("b")) == 6
    await queues.hub.purge("b")
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)


async def test_a_crashed_queue_can_be_removed(queues, monkeypatch):
    await queues.open(queue("q", bindings=("x",)), queue("b", bindings=("x",)))
    await queues.publish("x", bytes(10_000))
    process = queues.hub._exchange.queues["q"]

    async def fail(_):
        raise Fault("no start")

    monkeypatch.setattr(type(process), "_open", fail)
    process.live.crash(Fault("the test says so"))
    await queues.until(lambda: "no start" in process.reason)
    await queues.apply(queue("b", bindings=("x",)))
    assert queues.disk.names("queues") == ["uid-b"]
    await queues.hub.purge("b")
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)
