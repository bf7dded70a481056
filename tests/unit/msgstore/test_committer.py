import asyncio
import threading

import pytest

from eventually import eventually
from forebay.msgstore.committer import Committer
from forebay.msgstore.errors import StoreClosedError


class Commits:
    """Records batches; a batch waits while the gate is shut."""

    def __init__(self):
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.error = None
        self.threads = set()

    def __call__(self, batch):
        self.entered.set()
        self.gate.wait()
        self.threads.add(threading.current_thread().name)
        self.batches.append(batch)
        if self.error:
            raise self.error

    async def block(self, committer):
        """Shut the gate with one item in work."""
        self.gate.clear()
        task = asyncio.create_task(committer.submit(0))
        await asyncio.to_thread(self.entered.wait)
        return task


@pytest.fixture
def commits():
    return Commits()


@pytest.fixture
def committer(commits):
    committer = Committer("test-committer", commits, limit=100)
    yield committer
    commits.gate.set()
    committer.close()


async def test_item_is_committed_in_the_named_thread_when_submit_returns(committer, commits):
    await committer.submit("x")
    assert commits.batches == [["x"]]
    assert commits.threads == {"test-committer"}


async def test_items_gather_while_a_commit_runs(committer, commits):
    first = await commits.block(committer)
    rest = [asyncio.create_task(committer.submit(n)) for n in range(1, 20)]
    await asyncio.sleep(0)
    commits.gate.set()
    await asyncio.gather(first, *rest)
    assert commits.batches == [[0], list(range(1, 20))]


async def test_submitters_return_in_their_order(committer, commits):
    done = []

    async def submit(n):
        await committer.submit(n, weight=30)
        done.append(n)

    await asyncio.gather(*map(submit, range(20)))
    assert done == list(range(20))
    assert [n for batch in commits.batches for n in batch] == list(range(20))


async def test_error_reaches_every_submitter_of_its_batch_only(committer, commits):
    commits.error = ValueError("no")
    first = await commits.block(committer)
    second = asyncio.create_task(committer.submit(1))
    await asyncio.sleep(0)
    commits.gate.set()
    results = await asyncio.gather(first, second, return_exceptions=True)
    assert [str(error) for error in results] == ["no", "no"]
    commits.error = None
    await committer.submit(2)


async def test_too_much_pending_makes_submitters_wait(committer, commits):
    first = await commits.block(committer)
    fits = asyncio.create_task(committer.submit("fits", weight=99))
    waits = asyncio.create_task(committer.submit("waits"))
    await asyncio.sleep(0)
    assert committer.weight == 100
    commits.gate.set()
    await asyncio.gather(first, fits, waits)
    assert committer.weight == 0


async def test_light_item_does_not_overtake_a_heavy_one(committer, commits):
    first = await commits.block(committer)
    heavy = asyncio.create_task(committer.submit("heavy", weight=100))
    light = asyncio.create_task(committer.submit("light"))
    await asyncio.sleep(0)
    commits.gate.set()
    await asyncio.gather(first, heavy, light)
    assert [item for batch in commits.batches for item in batch] == [0, "heavy", "light"]


async def test_item_over_the_limit_goes_alone(committer, commits):
    await committer.submit("huge", weight=1000)
    assert commits.batches == [["huge"]]


async def test_caller_cancelled_while_waiting_for_room_takes_its_item_along(committer, commits):
    first = await commits.block(committer)
    heavy = asyncio.create_task(committer.submit("heavy", weight=100))
    await asyncio.sleep(0)
    heavy.cancel()
    light = asyncio.create_task(committer.submit("light"))
    await asyncio.sleep(0)
    commits.gate.set()
    await asyncio.gather(first, light)
    assert [item for batch in commits.batches for item in batch] == [0, "light"]


async def test_caller_cancelled_later_leaves_its_item(committer, commits):
    first = await commits.block(committer)
    second = asyncio.create_task(committer.submit("second"))
    await asyncio.sleep(0)
    second.cancel()
    commits.gate.set()
    await first
    await eventually(lambda: [0] in commits.batches and ["second"] in commits.batches)
    await eventually(lambda: committer.weight == 0)


async def test_close_commits_what_was_submitted(commits):
    committer = Committer("closing", commits, limit=10)
    task = asyncio.create_task(committer.submit("last"))
    await asyncio.sleep(0)
    committer.close()
    assert commits.batches == [["last"]]
    await task


async def test_submit_after_close_is_refused(commits):
    committer = Committer("closed", commits, limit=10)
    committer.close()
    committer.close()
    with pytest.raises(StoreClosedError):
        await committer.submit("x")


async def test_close_sends_waiting_submitters_away(commits):
    committer = Committer("closing", commits, limit=10)
    first = await commits.block(committer)
    waits = asyncio.create_task(committer.submit("waits", weight=10))
    await asyncio.sleep(0)
    commits.gate.set()
    committer.close()
    with pytest.raises(StoreClosedError):
        await waits
    await first
