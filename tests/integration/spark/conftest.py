"""One Spark session for all tests, for its start takes seconds; and a Valkey with what services have spilled."""

import asyncio
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from redis import Redis

from forebay_spark.session import spark_session
from peers.valkey import Valkey, run_valkey

CORES = 2


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session on two cores, whose shuffles are small."""
    with spark_session("tests", CORES) as session:
        session.conf.set("spark.sql.shuffle.partitions", 2)
        yield session


@pytest.fixture(scope="session")
def shared_valkey() -> Iterator[Valkey]:
    """A server for all tests."""
    with asyncio.Runner() as runner:
        context = run_valkey()
        yield runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))


@pytest.fixture
def valkey(shared_valkey: Valkey) -> Valkey:
    """The server, empty."""
    with Redis(port=shared_valkey.port) as client:
        client.flushall()
    return shared_valkey


@pytest.fixture
def client(valkey: Valkey) -> Iterator[Redis]:
    """A connection to the server."""
    with Redis(port=valkey.port) as connection:
        yield connection
