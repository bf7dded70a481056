"""A backing queue with the real stores under it."""

import pytest

from powerloss import PowerLossDisk
from storequeues import QueueSite


@pytest.fixture
async def site():
    """On a disk that can lose its power."""
    site = QueueSite(PowerLossDisk())
    yield site
    await site.close()
