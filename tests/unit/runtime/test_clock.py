import asyncio
import time

import pytest

from fakeclock import FakeClock, settle
from forebay.runtime import SystemClock


async def test_the_system_clock_is_the_machines():
    clock = SystemClock()
    assert clock.wall() == pytest.approx(time.time(), abs=1)
    before = clock.monotonic()
    await clock.sleep(0.001)
    assert clock.monotonic() > before


async def test_sleepers_of_the_fake_clock_wake_in_order_and_only_when_due():
    clock, woken = FakeClock(), []

    async def sleeper(seconds):
        await clock.sleep(seconds)
        woken.append((seconds, clock.monotonic()))

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (3, 1, 2)]
    await settle()
    await clock.run(2)
    assert woken == [(1, 1001.0), (2, 1002.0)]
    await clock.run(1)
    await asyncio.gather(*tasks)
    assert woken[-1] == (3, 1003.0)
