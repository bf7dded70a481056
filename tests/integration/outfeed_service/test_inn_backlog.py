"""A real innd that is away for longer than its backlog has room."""

import pytest

from corpus import synthetic
from eventually import eventually

from .waiting import ids

pytestmark = pytest.mark.inn

LIMIT = 16 * 1024
"""Octets of the backlog."""
COUNT = 2_000


async def test_the_newest_are_kept_within_the_limit_and_the_rest_is_counted(outfeed, inn):
    await inn.stop()
    backlog = {"maxBytes": LIMIT, "rotateBytes": "2KB", "rotateAge": "1s"}
    outfeed.peer("inn", inn.port, backlog=backlog, noCheck={"enabled": False})
    await outfeed.start()
    articles = list(synthetic(COUNT, 500))
    for first in range(0, COUNT, 100):
        await outfeed.offer(articles[first : first + 100])
        await eventually(lambda: is_bounded(outfeed))
    counters = await eventually(lambda: is_bounded(outfeed))
    assert counters.dropped > COUNT // 2
    assert counters.dropped + counters.queued == COUNT
    reasons = await outfeed.samples("forebay_outfeed_dropped_total", "reason", peer="inn")
    assert reasons == {"limit-bytes": counters.dropped}
    await inn.start()
    counters = await outfeed.drained("inn")
    assert counters.accepted == COUNT - counters.dropped
    assert [line.message_id for line in await inn.log()] == ids(articles)[-counters.accepted :]
    await outfeed.emptied()


async def is_bounded(outfeed):
    """The counters once the service has seen to the limit; what has not gone to Redis yet is in memory."""
    status = (await outfeed.peers())["inn"]
    assert status.backlog.bytes <= LIMIT
    assert status.queue_length == 0
    return status.counters
