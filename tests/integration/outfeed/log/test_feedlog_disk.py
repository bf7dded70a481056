"""The feed log on a real disk: everything at once, and killed at random moments."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path

from feedlogs import key, opened, record, replayed
from forebay.msgstore.disk import RealDisk
from forebay.outfeed.log.feedlog import FeedLog

TESTS = Path(__file__).parents[3]


async def test_appending_releasing_reading_and_tidying_at_once_keep_every_bit(tmp_path, scale):
    entries, peers = 40_000 * scale, 3
    chance = random.Random(7)
    handed: list[bytes] = []
    async with opened(RealDisk(tmp_path), peers=("a", "b", "c")) as log:

        async def send(first: int) -> None:
            for number in range(first, entries, 400):
                await log.append([record(n, 0b111) for n in range(number, number + 100)])

        async def settle(peer: int) -> int:
            cursor = count = 0
            while cursor < entries:
                found, cursor = log.read(cursor, 500, peer)
                keep = [t for t in found if chance.random() < 0.99]
                count += len(log.release(peer, chance.sample(keep, len(keep))))
                await asyncio.sleep(0)
            return count

        async def maintain() -> None:
            while True:
                log.history_mark = log.head - 1
                handed.extend(await log.flush())
                await log.tidy()
                await asyncio.sleep(0.001)

        maintenance = asyncio.create_task(maintain())
        *_, a, b, c = await asyncio.gather(*map(send, range(0, 400, 100)), *map(settle, range(peers)))
        maintenance.cancel()
        with suppress(asyncio.CancelledError):
            await maintenance
        handed += await log.close()
        assert len(handed) == a + b + c
    async with opened(RealDisk(tmp_path), peers=()) as log:
        assert sum(log.count_owed(peer) for peer in range(peers)) == peers * entries - len(handed)
        assert sum(count for _, count in log.references()) == peers * entries - len(handed)
        assert log.damage == []


async def test_a_killed_process_loses_nothing_that_was_confirmed(tmp_path, scale):
    numbers: dict[int, int] = {}
    released: set[int] = set()
    handed: set[int] = set()
    chance = random.Random(11)
    for _ in range(4 * scale):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "feedlogprocess", str(tmp_path), str(len(numbers) + 100_000), cwd=TESTS, stdout=PIPE
        )
        assert process.stdout
        for _ in range(chance.randrange(3, 60)):
            said = (await process.stdout.readline()).decode().split()
            assert said
            note(said, numbers, released, handed)
        process.kill()
        for line in (await process.stdout.read()).decode().splitlines(keepends=True):
            if line.endswith("\n"):
                note(line.split(), numbers, released, handed)
        await process.wait()
        async with opened(RealDisk(tmp_path), peers=()) as log:
            check(log, numbers, released, handed)


def note(said: list[str], numbers: dict[int, int], released: set[int], handed: set[int]) -> None:
    what, seq, *rest = said[0], *map(int, said[1:])
    match what:
        case "logged":
            numbers.update(zip(range(seq, seq + rest[1]), range(rest[0], rest[0] + rest[1]), strict=True))
        case "releasing":
            released.update(range(seq, seq + rest[0]))
        case "handed":
            handed.update(range(seq, seq + rest[0]))


def check(log: FeedLog, numbers: dict[int, int], released: set[int], handed: set[int]) -> None:
    found = {token.seq: token.key for token in replayed(log)}
    assert {seq: key(numbers[seq]) for seq in numbers.keys() - released}.items() <= found.items()
    assert not handed & found.keys()
    assert log.damage == []
