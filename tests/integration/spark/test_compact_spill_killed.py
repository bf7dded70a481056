"""Whatever ends compact-spill, and whenever: each owner has all that it had, or all that compaction makes of it."""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

import psutil
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from redis import Redis

from eventually import eventually
from forebay.spill.keys import Kind
from forebay_spark.figures import Figures
from forebay_spark.jobs import compact_spill
from forebay_spark.session import COMMON
from peers.valkey import Valkey
from processes import die_with_parent
from spillcontents import UID, Contents, entries, fill, streams, token
from spillstrategies import EPOCH

OWNERS = [f"peer{number}" for number in range(16)]
ARTICLES = 800

Data = Mapping[Kind, list[bytes]]


def found() -> Contents:
    """Each article three times, in two segments."""
    rows = [
        (b"%d-%d" % (EPOCH + number, again), token(number, seq=number, arrival=EPOCH + number))
        for number in range(ARTICLES)
        for again in range(3)
    ]
    return {Kind.BACKLOG: [rows[:1000], rows[1000:]]}


BEFORE = {Kind.BACKLOG: [data for segment in found()[Kind.BACKLOG] for _, data in segment], Kind.DEFERRED: []}
AFTER = {Kind.BACKLOG: BEFORE[Kind.BACKLOG][::3], Kind.DEFERRED: []}


@pytest.fixture
def filled(client: Redis) -> Redis:
    """A spill of many owners, none of which is compacted yet."""
    for owner in OWNERS:
        fill(client, owner, found())
    return client


def data(client: Redis, owner: str) -> Data:
    return {kind: [entry for _, entry in rows] for kind, rows in entries(client, owner).items()}


def some_are_done(client: Redis) -> Callable[[], bool]:
    """Whether any owner has other streams than at the beginning."""
    first = {owner: streams(client, owner) for owner in OWNERS}
    return lambda: any(streams(client, owner) != first[owner] for owner in OWNERS)


def all_or_nothing(client: Redis) -> int:
    """See that no owner is in between; how many are done."""
    states = [data(client, owner) for owner in OWNERS]
    assert all(state in (BEFORE, AFTER) for state in states)
    return states.count(AFTER)


async def settled(client: Redis) -> None:
    """Wait until no owner is in between: a task may go on for a moment after its job has failed."""
    await eventually(lambda: all_or_nothing(client) >= 0)


def run(spark: SparkSession, valkey: Valkey) -> Figures:
    parser = argparse.ArgumentParser()
    compact_spill.arguments(parser)
    return compact_spill.run(parser.parse_args(["--uid", UID, "--url", valkey.url]), spark)


class Job(threading.Thread):
    """The job, beside what ends it."""

    def __init__(self, spark: SparkSession, valkey: Valkey) -> None:
        super().__init__(daemon=True)
        self._run = lambda: run(spark, valkey)
        self.figures: Figures | None = None

    def run(self) -> None:
        with suppress(Py4JError, PySparkException):
            self.figures = self._run()


@contextmanager
def program(valkey: Valkey) -> Iterator[subprocess.Popen[bytes]]:
    """The job as a process of its own, with a group of its own for all that it starts."""
    command = [
        sys.executable,
        "-m",
        "forebay_spark",
        "compact-spill",
        "--uid",
        UID,
        "--url",
        valkey.url,
        "--cores",
        "1",
    ]
    process = subprocess.Popen(
        command,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def is_daemon(process: psutil.Process | None) -> bool:
    """Whether that is the parent of our session's workers, or one of them: a fork has its parent's command line."""
    return process is not None and COMMON["spark.python.daemon.module"] in (
        process.as_dict(["cmdline"])["cmdline"] or ()
    )


def workers() -> list[psutil.Process]:
    """The Python workers of our session, without the process that forks them, which Spark starts once only."""
    below = psutil.Process().children(recursive=True)
    return [process for process in below if is_daemon(process) and is_daemon(process.parent())]


async def test_the_driver_is_killed(filled, valkey) -> None:
    with program(valkey) as process:
        await eventually(some_are_done(filled), within=120, every=0.005)
        os.killpg(process.pid, signal.SIGKILL)
    await settled(filled)


async def test_an_executor_is_killed(spark, filled, valkey) -> None:
    job = Job(spark, valkey)
    done = some_are_done(filled)
    job.start()
    await eventually(done, within=120, every=0.005)
    killed = workers()
    for worker in killed:
        worker.kill()
    await asyncio.to_thread(job.join)
    assert killed
    await settled(filled)
    assert run(spark, valkey).failures == ()
    assert all_or_nothing(filled) == len(OWNERS)


async def test_redis_is_killed(spark, filled, valkey) -> None:
    job = Job(spark, valkey)
    done = some_are_done(filled)
    job.start()
    await eventually(done, within=120, every=0.005)
    await valkey.kill()
    await asyncio.to_thread(job.join)
    await valkey.start()
    await settled(filled)
    assert job.figures is None or job.figures.failures
    assert run(spark, valkey).failures == ()
    assert all_or_nothing(filled) == len(OWNERS)
