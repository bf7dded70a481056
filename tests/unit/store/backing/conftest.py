import pytest

from backingqueues import Stores
from powerloss import PowerLossDisk


@pytest.fixture
def disk():
    return PowerLossDisk()


@pytest.fixture
def stores(disk):
    return Stores(disk)


@pytest.fixture
async def queue(stores):
    queue = await stores.open()
    yield queue
    queue.close()
