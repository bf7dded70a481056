"""The two that are compared."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from conftest import missing, peer_script
from peers import rabbitmq
from peers.rabbitmq import RabbitMq

from .brokers import Broker, RabbitMqBroker, StoreBroker


@pytest.fixture(scope="session")
def rabbit() -> Iterator[RabbitMq]:
    """One RabbitMQ for all cases."""
    script = peer_script("rabbitmq.sh")
    if reason := rabbitmq.lacking(script):
        missing(reason)
    with rabbitmq.broker_folder() as folder:
        broker = RabbitMq(script, folder)
        try:
            asyncio.run(broker.start())
            yield broker
        finally:
            asyncio.run(broker.stop())


@pytest.fixture(params=["RabbitMQ", "store"])
def make_broker(request: pytest.FixtureRequest) -> Callable[[], Broker]:
    if request.param == "store":
        return StoreBroker
    uri = request.getfixturevalue("rabbit").uri
    return lambda: RabbitMqBroker(uri)


@pytest.fixture
async def broker(make_broker: Callable[[], Broker]) -> AsyncIterator[Broker]:
    made = make_broker()
    yield made
    await made.close()
