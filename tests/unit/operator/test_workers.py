import asyncio
from random import Random

import pytest
from prometheus_client import CollectorRegistry

from forebay.runtime import BackoffSettings, SystemClock
from forebay_operator.errors import ConflictError
from forebay_operator.metrics import Metrics
from forebay_operator.queue import Depth, Key, QueueSettings, WorkQueue
from forebay_operator.workers import WORKERS, Outcome, Workers

HUB = Key("Outfeed", "news", "hub")


class Passes:
    """Passes that a test holds up and has fail."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[tuple[Key, Depth]] = asyncio.Queue()
        self.go = asyncio.Event()
        self.go.set()
        self.faults: list[BaseException] = []

    async def reconcile(self, key, depth):
        self.begun.put_nowait((key, depth))
        await self.go.wait()
        if self.faults:
            raise self.faults.pop()
        return Outcome.OK


@pytest.fixture
def registry():
    return CollectorRegistry()


@pytest.fixture
def passes():
    return Passes()


@pytest.fixture
async def workers(registry, passes):
    backoff = BackoffSettings(first=0.01, longest=0.02)
    queue = WorkQueue(SystemClock(), Random(0), QueueSettings(gather=0.0, backoff=backoff))
    workers = Workers(queue, Metrics(registry))
    running = asyncio.create_task(workers.run(passes.reconcile))
    yield workers
    assert not running.done()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_what_is_put_is_reconciled(workers, passes):
    workers.put(HUB)
    assert await passes.begun.get() == (HUB, Depth.RECONCILE)


async def test_several_are_reconciled_at_once_but_not_all(workers, passes):
    passes.go.clear()
    for number in range(WORKERS + 2):
        workers.put(Key("Outfeed", "news", str(number)))
    for _ in range(WORKERS):
        await passes.begun.get()
    await asyncio.sleep(0)
    assert passes.begun.empty()
    passes.go.set()
    for _ in range(2):
        await passes.begun.get()


@pytest.mark.parametrize("fault", [ConflictError("patch", 409, "changed"), RuntimeError("oops")], ids=["known", "not"])
async def test_what_fails_is_tried_again(workers, passes, fault, registry):
    passes.faults.append(fault)
    workers.put(HUB)
    await passes.begun.get()
    await passes.begun.get()
    labels = {"kind": "Outfeed", "outcome": "error"}
    assert registry.get_sample_value("forebay_operator_reconciles_total", labels) == 1


async def test_a_pass_in_which_a_call_was_cancelled_is_tried_again(workers, passes):
    passes.faults.append(asyncio.CancelledError())
    workers.put(HUB)
    await passes.begun.get()
    assert await passes.begun.get() == (HUB, Depth.RECONCILE)
