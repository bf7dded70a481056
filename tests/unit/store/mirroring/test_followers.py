"""Nothing is safe before every member of the set has it; who lacks something is in no set."""

import asyncio

import pytest

from backingqueues import Stores, fetch, publish, settle
from eventually import eventually
from fakeclock import FakeClock
from forebay.msgstore import Put
from forebay.store.backing.run import spans_of
from forebay.store.errors import DeposedError
from forebay.store.mirroring.followers import Followers
from forebay.store.mirroring.link import Link
from forebay.store.mirroring.mirrorqueue import MirrorQueue
from powerloss import PowerLossDisk

from .mirrors import Mirror, Record, Tenant


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def record():
    return Record("main-0")


@pytest.fixture
def tenant():
    return Tenant()


@pytest.fixture
def followers(record, tenant, clock):
    return Followers("main-0", record, tenant, clock)


@pytest.fixture
async def follow(followers, clock):
    """Have a mirror follow."""
    tasks = []

    def follow(name, mirror):
        tasks.append(asyncio.ensure_future(followers.follow(Link(name, mirror, clock))))
        return tasks[-1]

    yield follow
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def queue(followers):
    stores = Stores(PowerLossDisk())
    queue = followers.lead(MirrorQueue(await stores.open(), "uid", followers.told))
    queue.stores = stores
    yield queue
    queue.close()


async def joined(record, *names):
    await eventually(lambda: record.note == ",".join(("main-0", *names)))


async def test_a_mirror_is_a_member_once_it_has_everything(followers, follow, record, queue):
    publish(queue, queue.stores.arrivals(5))
    mirror = Mirror()
    mirror.answers.clear()
    follow("main-1", mirror)
    await eventually(lambda: any(request.complete for request in mirror.requests))
    assert record.note == "main-0"
    mirror.answers.set()
    await joined(record, "main-1")
    assert mirror.changes == ["opened", "published"]


@pytest.fixture
async def within_a_round(followers, follow, queue):
    """A mirror that began to follow when messages had been shipped to the others, and were in no queue yet."""
    queue.publish(queue.stores.arrivals(3))
    batch = queue.take()
    queue.write(batch)
    await followers.ship(followers.collect([]))
    mirror = Mirror()
    following = follow("main-1", mirror)
    for _ in range(10):
        await asyncio.sleep(0)
    assert not mirror.requests
    return mirror, batch, following


async def test_who_begins_to_follow_within_a_round_gets_what_it_has(within_a_round, record, queue):
    mirror, batch, _ = within_a_round
    queue.settle(batch)
    await joined(record, "main-1")
    assert mirror.changes == ["opened", "published"]


async def test_who_is_gone_within_a_round_is_not_waited_for(within_a_round, record):
    mirror, _, following = within_a_round
    mirror.end()
    await following
    assert record.note == "main-0"


async def test_a_queue_that_is_gone_holds_no_mirror_up(within_a_round, followers, record):
    followers.forget("uid")
    await joined(record, "main-1")


async def test_a_round_waits_for_every_member(followers, follow, record, queue):
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    mirror.answers.clear()
    queue.publish(queue.stores.arrivals(1))
    round = asyncio.ensure_future(followers.ship(followers.collect([Put(b"i" * 16, (b"content",))])))
    await eventually(lambda: bool(mirror.requests[-1].contents))
    assert not round.done()
    mirror.answers.set()
    await round
    assert mirror.requests[-1].contents[0].data == b"content"


async def test_who_is_gone_leaves_the_set_before_anything_is_safe(followers, follow, record, queue, clock):
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    record.broken = True
    mirror.end()
    queue.publish(queue.stores.arrivals(1))
    round = asyncio.ensure_future(followers.ship(followers.collect([])))
    await clock.run(2)
    assert not round.done()
    record.broken = False
    await clock.run(1)
    await round
    assert record.note == "main-0"


async def test_rounds_wait_for_who_is_gone_until_the_set_says_so(followers, follow, record, queue, clock):
    mirrors = Mirror(), Mirror()
    follow("main-1", mirrors[0])
    await joined(record, "main-1")
    follow("main-2", mirrors[1])
    await joined(record, "main-1", "main-2")
    record.broken = True
    for mirror in mirrors:
        mirror.end()
    await clock.run(1)  # both are known to be gone
    queue.publish(queue.stores.arrivals(1))
    round = asyncio.ensure_future(followers.ship(followers.collect([])))
    await clock.run(5)
    assert not round.done()
    record.broken = False
    await clock.run(1)
    await round
    assert record.note == "main-0"


async def test_a_round_ends_without_a_member_that_never_answers(followers, follow, record, queue, clock):
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    mirror.answers.clear()
    queue.publish(queue.stores.arrivals(1))
    round = asyncio.ensure_future(followers.ship(followers.collect([])))
    while not round.done():
        await clock.run(1)
    await round
    assert record.note == "main-0"


async def test_nothing_is_safe_when_the_set_cannot_be_changed(followers, follow, record, queue, tenant, clock):
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    mirror.answers.clear()
    record.holder = "main-1"
    queue.publish(queue.stores.arrivals(1))
    round = asyncio.ensure_future(followers.ship(followers.collect([])))
    while not round.done():
        await clock.run(1)
    with pytest.raises(DeposedError):
        await round
    assert record.note == "main-0,main-1"


async def test_nothing_is_safe_without_the_lease(followers, tenant):
    tenant.held = False
    with pytest.raises(DeposedError, match="nothing is confirmed any more"):
        await followers.ship(None)


async def test_a_queue_that_starts_again_has_all_mirrors_begin_anew(followers, follow, record, queue):
    mirror = Mirror()
    following = follow("main-1", mirror)
    await joined(record, "main-1")
    followers.lead(MirrorQueue(queue._under, "uid", followers.told))
    await following
    assert record.note == "main-0"
    assert mirror.cancelled


async def test_whoever_has_everything_may_be_primary_after_the_end_of_this_one(followers, follow, record, queue):
    mirror = Mirror()
    following = follow("main-1", mirror)
    await joined(record, "main-1")
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    assert mirror.cancelled
    assert record.note == "main-0,main-1"


async def test_a_pod_that_is_no_mirror_any_more_leaves_the_set(followers, follow, record, queue):
    mirror = Mirror()
    following = follow("main-1", mirror)
    await joined(record, "main-1")
    followers.drop("main-1")
    await following
    assert record.note == "main-0"


async def test_a_queue_that_is_gone_is_told(followers, follow, record, queue):
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    followers.forget("uid")
    await followers.ship(followers.collect([]))
    assert mirror.changes[-1] == "removed"


async def test_an_empty_queue_is_copied_too(followers, follow, record, queue):
    followers.collect([])
    mirror = Mirror()
    follow("main-1", mirror)
    await joined(record, "main-1")
    assert mirror.changes == ["opened"]


async def test_nothing_gathers_while_nobody_follows(followers, queue):
    publish(queue, queue.stores.arrivals(3))
    assert followers.collect([]) is None
    assert followers.told == []


async def test_what_happens_while_a_copy_is_made_is_sent_too(followers, follow, record, queue, monkeypatch):
    monkeypatch.setattr("forebay.store.mirroring.mirrorqueue.COPY_COUNT", 2)
    publish(queue, queue.stores.arrivals(5))
    followers.collect([])
    mirror = Mirror()
    follow("main-1", mirror)
    await eventually(lambda: "published" in mirror.changes)
    queue.ack(spans_of(await fetch(queue, 5)))
    settle(queue)
    await followers.ship(followers.collect([]))
    await joined(record, "main-1")
    assert "acknowledged" in mirror.changes
