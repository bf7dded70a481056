"""Queues on a real disk."""

import pytest

from fakeclock import FakeClock
from forebay.msgstore import RealDisk
from storehub import Queues


@pytest.fixture
async def queues(tmp_path):
    """A hub to be opened; it is closed at the end."""
    queues = Queues(RealDisk(tmp_path))
    yield queues
    await queues.close()


@pytest.fixture
async def timed(tmp_path):
    """The same, with a clock that the test moves."""
    queues = Queues(RealDisk(tmp_path), FakeClock())
    yield queues
    await queues.close()
