"""Garbage collection keeps pace while messages come and go, and some are held for long."""

import random

from storehub import CONFIRMED, Source, Tap, message, queue

FILE = 16 << 20
SIZE = 120_000


async def test_disk_stays_below_twice_what_is_live_and_two_files(queues, tmp_path):
    names = [f"q{number}" for number in range(20)]
    await queues.open(queue("held"), *map(queue, names))
    holder = Tap(queues.hub, "held", credit=100)
    taps = [Tap(queues.hub, name, credit=10_000) for name in names]
    source, chance = Source(queues.hub), random.Random(7)
    for _ in range(60):
        source.send([message(chance.choice((*names, *names, "held")), bytes(SIZE)) for _ in range(15)])
        assert set(await source.outcomes(source.next - 1)) == {CONFIRMED}
        holder.look()
        for tap in taps:
            before = len(tap.got)
            tap.look()
            if len(tap.got) > before:
                tap.settle(before + 1, len(tap.got) - before)
    for tap in taps:
        await tap.until(lambda tap=tap: len(tap.settled) == len(tap.got))
    held = min(100, queues.status("held").unacked) + queues.status("held").ready
    assert held > 10

    def stats():
        return queues.hub.figures().persistent

    await queues.until(lambda: stats().messages == held)
    await queues.until(lambda: stats().live_bytes + stats().garbage_bytes < 2 * stats().live_bytes + 2 * FILE)
    files = sum(path.stat().st_size for path in (tmp_path / "persistent").iterdir() if path.suffix == ".messages")
    assert files < 2 * stats().live_bytes + 2 * FILE
    holder.close()
    assert len((await queues.hub.get("held", 100)).deliveries) >= 10
