import pytest

from operatorworld import OperatorWorld, outfeed, peerfeed, spill


@pytest.fixture
def world():
    return OperatorWorld()


@pytest.fixture
async def running(world):
    """An Outfeed with two peers that runs."""
    world.apply(spill(), outfeed(), peerfeed("east"), peerfeed("west"))
    await world.settle()
    return world
