"""Stores of several pods."""

import pytest

from storepods import StorePods


@pytest.fixture
async def pods(tmp_path):
    """Three, running, with the queue `orders`; all have everything."""
    pods = StorePods(tmp_path)
    pods.queue("orders")
    pods.queue("ranked", maxPriority=3)
    await pods.start()
    await pods.whole()
    yield pods
    await pods.close()
