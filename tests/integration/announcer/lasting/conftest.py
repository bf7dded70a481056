"""A running Valkey, and a clock that a test moves."""

from collections.abc import AsyncIterator

import pytest

from keptjobs import RealSleep
from peers.valkey import Valkey, run_valkey


@pytest.fixture
async def valkey() -> AsyncIterator[Valkey]:
    async with run_valkey() as server:
        yield server


@pytest.fixture
def clock() -> RealSleep:
    return RealSleep()
