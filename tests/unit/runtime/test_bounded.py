import asyncio

import pytest

from fakeclock import settle
from forebay.runtime import ByteBudget, ResourceExhaustedError


async def test_what_fits_is_taken_at_once_and_given_back():
    budget = ByteBudget(10)
    async with budget.hold(6), budget.hold(4):
        assert budget.used == 10
    assert budget.used == 0


async def test_more_waits_until_there_is_room():
    budget = ByteBudget(10)
    await budget.acquire(8)
    waiting = asyncio.create_task(budget.acquire(5))
    await settle()
    assert not waiting.done()
    budget.release(8)
    await waiting
    assert budget.used == 5


async def test_a_small_one_does_not_overtake_a_large_one():
    budget, order = ByteBudget(10), []

    async def take(name, size):
        async with budget.hold(size):
            order.append(name)

    await budget.acquire(8)
    tasks = [asyncio.create_task(take("large", 9)), asyncio.create_task(take("small", 1))]
    await settle()
    assert order == []
    budget.release(8)
    await asyncio.gather(*tasks)
    assert order == ["large", "small"]


async def test_what_can_never_fit_is_refused():
    with pytest.raises(ResourceExhaustedError, match="11 octets at once are more than the limit of 10"):
        await ByteBudget(10).acquire(11)


async def test_whoever_gives_up_lets_the_next_one_in():
    budget = ByteBudget(10)
    await budget.acquire(8)
    large, small = (asyncio.create_task(budget.acquire(size)) for size in (9, 2))
    await settle()
    large.cancel()
    await settle()
    assert small.done()
    assert budget.used == 10


async def test_a_turn_that_came_with_the_cancellation_is_given_back():
    budget = ByteBudget(10)
    await budget.acquire(8)
    waiting = asyncio.create_task(budget.acquire(9))
    await settle()
    budget.release(8)
    waiting.cancel()
    await settle()
    assert waiting.cancelled()
    assert budget.used == 0
