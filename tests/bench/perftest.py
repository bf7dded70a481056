"""RabbitMQ under a load of its own generator, PerfTest."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.loads import ACK_EVERY, PREFETCH, Load, Second
from conftest import SHARED
from peers.process import run
from peers.rabbitmq import RabbitMq

JARS = Path(os.environ.get("PERFTEST_JARS", Path.home() / ".cache/forebay-perftest"))
WARM_UP = 3.0
"""Seconds until Java has compiled what it runs."""
INSTALL = (
    f"mvn -q -f {SHARED}/peers/pom.xml dependency:copy-dependencies -DoutputDirectory={JARS} -DincludeScope=runtime"
)
LINE = re.compile(
    r"id: \S+, time (?P<until>[\d.]+) s"
    r"(?:, sent: \d+ msg/s)?(?:, returned: \d+ msg/s)?(?:, confirmed: (?P<confirmed>\d+) msg/s)?"
    r"(?:, nacked: \d+ msg/s)?(?:, received: (?P<received>\d+) msg/s)?"
    r"(?:, min/median/75th/95th/99th consumer latency: [\d/]+/(?P<p99>\d+) µs)?"
)


def lacking() -> str:
    """What is missing here to run PerfTest, with the remedy; empty when nothing is."""
    if not shutil.which("java"):
        return "needs Java: apt-get install --no-install-recommends maven default-jre-headless"
    return "" if any(JARS.glob("perf-test-*.jar")) else f"needs PerfTest: {INSTALL}"


def queue_names(name: str, count: int) -> list[str]:
    """Names of the queues that a load makes."""
    return [name] if count == 1 else [f"{name}-{number}" for number in range(1, count + 1)]


async def put_under(broker: RabbitMq, name: str, load: Load) -> list[Second]:
    """What came of a load on the queues of this name, which stay."""
    command = ["java", "-Xmx512m", "-cp", f"{JARS}/*", "com.rabbitmq.perf.PerfTest", "--uri", broker.uri]
    output = await run(*command, *options(load, name), timeout=3600)
    return list(parsed(output, "received" if load.consumes else "confirmed"))


def options(load: Load, name: str) -> Iterator[object]:
    """PerfTest's options for a load."""
    yield from ("-s", load.size, "-f", "persistent", "-ad", "false")
    yield from ("--queue-args", f"x-queue-version={load.version}")
    yield from ("-x", int(load.produces), "-y", load.queues if load.consumes else 0)
    if load.queues > 1:
        yield from ("-e", name, "-t", "fanout", "--queue-pattern", f"{name}-%d")
        yield from ("--queue-pattern-from", 1, "--queue-pattern-to", load.queues)
    else:
        yield from ("-u", name)
    if load.produces:
        yield from ("--confirm", load.window)
    if load.consumes:
        yield from ("--qos", PREFETCH, "--multi-ack-every", ACK_EVERY)
    if load.rate:
        yield from ("--rate", load.rate)
    if load.seconds:
        yield from ("-z", int(load.seconds))
    if load.messages:
        yield from ("--cmessages" if load.consumes else "--pmessages", load.messages)


def parsed(output: str, rate: str) -> Iterator[Second]:
    """The seconds that PerfTest tells about; `rate` names the figure that counts."""
    for found in map(LINE.match, output.splitlines()):
        if found:
            yield Second(float(found["until"]), float(found[rate] or 0), float(found["p99"] or 0) / 1000)
