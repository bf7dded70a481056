"""Restarts, clean and not: what was confirmed is there, in order, with its counts; what was settled is not."""

import random

import pytest

from forebay.msgstore import DiskFullError
from powerloss import PowerLossDisk
from storehub import CONFIRMED, Queues, Source, Tap, message, queue


async def test_a_restart_keeps_order_counts_and_marks(queues):
    await queues.open(queue("q"), queue("p", max_priority=3))
    rng = random.Random(5)
    source = Source(queues.hub, "loader", 0)
    for start in range(0, 3000, 300):
        batch = [
            message(rng.choice("qp"), bytes(rng.choice((3, 300, 6000))), priority=rng.randrange(5))
            for _ in range(start, start + 300)
        ]
        source.send(batch)
    await source.outcomes(3000)
    tap = Tap(queues.hub, "q", credit=500)
    await tap.deliveries(500)
    await tap.settle_safely(100, 200)
    before = {name: await queues.browse(name) for name in ("q", "p")}
    await queues.reopen()
    after = {name: await queues.browse(name) for name in ("q", "p")}
    assert [d.message for d in after["p"]] == [d.message for d in before["p"]]
    assert [d.message for d in after["q"]] == [d.message for d in before["q"]]
    # The unsettled of the first 500 count one delivery; browse shows a thousand at most.
    assert [d.deliveries for d in after["q"][:300]] == [1] * 300
    assert {d.deliveries for d in after["q"][300:]} == {0}
    again = Source(queues.hub, "loader", 2999)
    again.send([message("q", b"x"), message("q", b"new")])
    outcomes = await again.outcomes(2)
    assert outcomes[1] == CONFIRMED


async def test_what_is_on_disk_of_no_queue_is_deleted_unless_it_is_spared(queues):
    await queues.open(queue("a", bindings=("x",)), queue("b", bindings=("x",)), queue("p", max_priority=2))
    await queues.publish("x", bytes(10_000), b"1")
    await queues.publish("p", bytes(10_000))
    await queues.close()
    await queues.open(queue("a", bindings=("x",)))
    await queues.hub.apply(queues.store, queues.specs, spared={"uid-b", "uid-p"})
    assert queues.disk.names("queues") == ["uid-a", "uid-b", "uid-p"]
    await queues.apply(queue("a", bindings=("x",)), queue("b", bindings=("x",)))
    assert queues.disk.names("queues") == ["uid-a", "uid-b"]
    assert len(await queues.contents("b")) == 2
    await queues.close()
    await queues.open(queue("a", bindings=("x",)))
    await queues.apply(queue("a", bindings=("x",)))
    assert queues.disk.names("queues") == ["uid-a"]
    await queues.hub.purge("a")
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)


async def test_references_are_right_after_a_dirty_stop():
    disk = PowerLossDisk()
    queues = Queues(disk)
    await queues.open(queue("a", bindings=("x",)), queue("b", bindings=("x",)), queue("gone", bindings=("x",)))
    await queues.publish("x", *[bytes([n]) * 10_000 for n in range(20)])
    tap = Tap(queues.hub, "a")
    await tap.deliveries(20)
    await tap.settle_safely(1, 10)
    await queues.lose_power(disk.after_power_loss())
    await queues.apply(queue("a", bindings=("x",)), queue("b", bindings=("x",)))
    assert queues.hub.figures().persistent.messages == 20
    assert await queues.hub.purge("a") == 10
    assert await queues.hub.purge("b") == 20
    await queues.until(lambda: queues.hub.figures().persistent.messages == 0)
    await queues.close()


class TestFullDisk:
    """A disk that has no more room."""

    async def test_publishers_wait_and_nothing_confirmed_is_lost(self, timed, monkeypatch):
        await timed.open(queue("q"), queue("o", bindings=("q",)))
        told = []
        timed.hub.on_blocked = told.append
        await timed.publish("q", b"0")
        live = timed.hub._exchange.queues["q"].live
        full = True
        write = live.core.backing.write

        def refuse(batch, *, sync=True):
            if full:
                raise DiskFullError("no room")
            write(batch, sync=sync)

        live.core.backing.write = refuse
        source = Source(timed.hub)
        source.send([message("q", b"1"), message("q", bytes(10_000))])
        await timed.until(lambda: told == ["DISK: no room"])
        tap = Tap(timed.hub, "q")
        assert [d.message.body for d in tap.got] == [b"0"]
        tap.settle(1)
        await timed.pass_time(3)
        assert source.look() == []
        assert tap.settled == []
        full = False
        await timed.pass_time(2)
        await timed.until(lambda: len(source.look()) == 2)
        assert source.look() == [CONFIRMED] * 2
        await timed.until(lambda: timed.hub.blocked == "")
        await timed.until(lambda: tap.look() or tap.settled == [1])
        await timed.reopen()
        assert len(await timed.contents("q")) == 2

    @pytest.mark.parametrize(("size", "room"), [(500, 1_000_000), (10_000, 34_000_000)])
    async def test_it_fills_up_and_is_drained(self, size, room):
        disk = PowerLossDisk(limit=room)
        queues = Queues(disk)
        await queues.open(queue("q"))
        source = Source(queues.hub)
        while not queues.hub.blocked:
            source.send(
                [message("q", b"%8d" % number + bytes(size)) for number in range(source.next, source.next + 50)]
            )
            await queues.until(lambda: queues.hub.blocked or not source.session.octets)
        sent = source.next - 1
        disk.limit = 80_000_000
        assert await source.outcomes(sent) == [CONFIRMED] * sent
        tap = Tap(queues.hub, "q", credit=sent)
        bodies = await tap.bodies(sent)
        assert [int(body[:8]) for body in bodies] == list(range(1, sent + 1))
        await tap.settle_safely(1, sent)
        await queues.until(lambda: not queues.hub.blocked)
        await queues.reopen()
        assert await queues.contents("q") == []
        await queues.close()
