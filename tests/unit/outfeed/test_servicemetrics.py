"""The metrics of an outfeed as a whole."""

from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from forebay.outfeed.incoming.feeder import ListenerCounts
from forebay.outfeed.servicemetrics import service_metrics


class Registered:
    def __init__(self, house, listener=None):
        self.house, self.listener = house, listener

    def collect(self):
        return service_metrics(self.house.rooms, self.listener, 0)


def text(house, listener=None):
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Registered(house, listener))
    return generate_latest(registry).decode()


def samples(house, listener=None):
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in service_metrics(house.rooms, listener, 0)
        for sample in family.samples
    }


async def test_they_can_be_scraped(house):
    await house.add("a")
    await house.offer("one")
    assert 'forebay_outfeed_articles_total{verdict="accepted"} 1.0' in text(house)


async def test_no_name_is_given_twice(house):
    await house.add("a")
    lines = [line for line in text(house).splitlines() if line.startswith("# TYPE")]
    assert len(lines) == len(set(lines))


async def test_articles_are_counted_by_verdict(house):
    await house.add("a")
    await house.offer("one", "two", "one")
    found = samples(house)
    verdicts = {verdict: found["forebay_outfeed_articles_total", verdict] for verdict in ("accepted", "duplicate")}
    assert verdicts == {"accepted": 2, "duplicate": 1}
    assert found["forebay_outfeed_store_messages",] == 2
    assert found["forebay_outfeed_history",] == 2
    assert found["forebay_outfeed_log_bytes",] > 0
    assert found["forebay_outfeed_log_limit_bytes",] == house.storeroom.feedlog.room.limit
    assert found["forebay_outfeed_disk_free_bytes",] > 0


async def test_what_the_outcome_log_lacks_shows(house):
    outcomes = house.storeroom.outcomes
    outcomes.lost, outcomes.unwritten, outcomes._files.deleted = 2, 3, 4
    found = samples(house)
    assert found["forebay_outfeed_outcomes_lost_total",] == 5
    assert found["forebay_outfeed_outcome_files_deleted_total",] == 4


async def test_the_state_of_redis_shows(house):
    found = samples(house)
    assert (found["forebay_spill_available",], found["forebay_spill_full",]) == (1, 0)
    house.redis.away, house.redis.room = True, 0
    found = samples(house)
    assert (found["forebay_spill_available",], found["forebay_spill_full",]) == (0, 1)


@pytest.mark.parametrize("listens", [False, True])
async def test_feeders_are_counted_where_there_is_a_listener(house, listens):
    counts = ListenerCounts()
    counts.answers[b"239"] = 5
    listener = SimpleNamespace(connected=3, counts=counts) if listens else None
    found = samples(house, listener)
    assert found.get(("forebay_outfeed_feeders",)) == (3 if listens else None)
    assert found.get(("forebay_outfeed_nntp_answers_total", "239")) == (5 if listens else None)
