"""Kills beside a real innd: of the service in the midst of sending, and of innd in the midst of taking."""

import pytest

from corpus import synthetic
from eventually import eventually

from .waiting import has_spilled, ids

pytestmark = pytest.mark.inn

COUNT = 1000


@pytest.fixture
def articles():
    return list(synthetic(COUNT, 2_000))


async def has_some(outfeed, counted):
    """Whether the peer is in the midst of it."""
    counters = await outfeed.counters("inn")
    assert counters.accepted < COUNT, "all was sent before anything could happen"
    return getattr(counters, counted) >= 50


async def arrived_once(inn, articles):
    """Assert that innd has all of them, and got none that it had: a repeat is a line of its log."""
    assert inn.stored().keys() == set(ids(articles))
    lines = await inn.log()
    assert sorted(line.message_id for line in lines) == sorted(ids(articles))
    assert {line.sign for line in lines} == {"+"}


async def test_a_killed_sender_loses_nothing_and_repeats_are_refused_by_check(outfeed, inn, articles):
    # So slowly that the end comes in the midst; without CHECK a repeat would go out whole.
    options = {"noCheck": {"enabled": False}, "window": 10}
    outfeed.peer("inn", inn.port, maxRate=200, **options)
    await outfeed.start()
    offered = await outfeed.offer(articles)
    assert offered.confirmed == ids(articles)
    await eventually(lambda: has_some(outfeed, "accepted"))
    await outfeed.kill()
    outfeed.peer("inn", inn.port, **options)
    await outfeed.start()
    counters = await outfeed.drained("inn")
    assert counters.accepted + counters.refused == counters.offered
    assert counters.rejected == 0
    await arrived_once(inn, articles)
    await outfeed.emptied()


@pytest.mark.parametrize("waits", [False, True], ids=["live", "from the backlog"])
async def test_what_a_killed_innd_had_not_answered_is_sent_again(outfeed, inn, articles, waits):
    outfeed.peer("inn", inn.port, maxRate=300, queue={"size": 100})
    if waits:
        inn.kill()
    await outfeed.start()
    await outfeed.offer(articles)
    if waits:
        await eventually(lambda: has_spilled(outfeed, "inn", COUNT))
        await inn.start()
    await eventually(lambda: has_some(outfeed, "accepted"))
    inn.kill()
    await eventually(lambda: has_lost_it(outfeed))
    await inn.start()
    counters = await outfeed.drained("inn")
    assert counters.accepted + counters.refused + counters.rejected == counters.offered == COUNT
    assert inn.stored().keys() == set(ids(articles))
    await outfeed.emptied()


async def has_lost_it(outfeed):
    status = (await outfeed.peers())["inn"]
    return not status.connections and status.last_error
