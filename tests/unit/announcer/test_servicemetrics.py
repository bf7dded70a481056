"""The metrics of an announcer."""

from prometheus_client import CollectorRegistry, generate_latest

from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.servicemetrics import service_metrics
from forwardings import announce, failure, spec


class Registered:
    def __init__(self, tracker):
        self.tracker = tracker

    def collect(self):
        return service_metrics(self.tracker)


def text(tracker):
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Registered(tracker))
    return generate_latest(registry).decode()


def samples(tracker):
    return {
        (sample.name.removeprefix("forebay_announcer_"), *sample.labels.values()): sample.value
        for family in service_metrics(tracker)
        for sample in family.samples
    }


async def test_they_can_be_scraped_and_no_name_is_given_twice(make_tracker):
    lines = [line for line in text(make_tracker(spec("one"))).splitlines() if line.startswith("# TYPE")]
    assert lines
    assert len(lines) == len(set(lines))


async def test_requests_by_protocol(make_tracker):
    tracker = make_tracker()
    tracker.listeners.site.tally.announces = 1
    tracker.listeners.udp_desk.tally.ignored = 2
    tracker.grpc_desk.tally.failures = 3
    found = samples(tracker)
    assert (found["announces_total", "http"], found["ignored_total", "udp"], found["failures_total", "grpc"]) == (
        1,
        2,
        3,
    )
    assert (found["announces_total", "udp"], found["scrapes_total", "http"]) == (0, 0)


async def test_swarms(make_tracker):
    tracker = make_tracker()
    for torrent, peer in (("a", "x"), ("a", "y"), ("b", "x")):
        tracker.table.announce(announce(torrent, peer, port=ord(peer)), 1.0)
    found = samples(tracker)
    assert (found["peers",], found["swarms",], found["http_connections",]) == (3, 2, 0)


async def test_the_queue(make_tracker):
    tracker = make_tracker(spec("one"), forwarding={"queue_size": 10, "throttle_threshold": 20})
    for number in range(3):
        tracker.dispatcher.announced(announce(f"t{number}"), lambda _: True, 1000.0)
    found = samples(tracker)
    assert (found["queue_depth",], found["queue_capacity",], found["queue_fill_pct",]) == (3, 10, 30)
    assert (found["queue_throttling",], found["jobs_pending",], found["jobs_scheduled",]) == (1, 3, 0)
    assert (found["workers",], found["max_workers",], found["queue_spilled",]) == (0, 20, 0)


async def test_every_count_of_the_queue(make_tracker):
    tracker = make_tracker()
    counters = tracker.dispatcher.jobs.counters
    for number, name in enumerate(counters.__slots__, 1):
        setattr(counters, name, number)
    found = samples(tracker)
    shown = {name.removesuffix("_forwarders"): name for name in (
        "dropped_full", "refused_full", "rate_limited", "throttled_forwarders", "parked", "duplicates", "cancelled",
    )}  # fmt: skip
    assert {name: found[f"queue_{shown[name]}_total",] for name in counters.__slots__} == {
        name: number for number, name in enumerate(counters.__slots__, 1)
    }


async def test_each_forwarder_has_one_condition(make_tracker):
    tracker = make_tracker(spec("off"), spec("rests"), spec("works"))
    forwarders = tracker.dispatcher.forwarders
    forwarders.get("off").disable(Cause.REJECTED, "no")
    forwarders.get("rests").suspend(9999.0, Cause.TOO_MANY_REQUESTS, "later")
    forwarders.get("works").times.add(0.5, 900.0, 1000.0)
    found = samples(tracker)
    on = {key[1:] for key, value in found.items() if key[0] == "forwarder_status" and value}
    assert on == {("off", "disabled"), ("rests", "suspended"), ("works", "enabled")}
    assert found["forwarder_answers_total", "works"] == 1
    assert found["forwarder_response_seconds", "works"] == 0.5
    assert ("forwarder_response_seconds", "off") not in found


async def test_answers_are_counted_as_they_come(make_tracker):
    tracker = make_tracker(spec("one"))
    for outcome in (Answer(interval=900.0), failure(Cause.REJECTED)):
        tracker.dispatcher.announced(announce(str(outcome)), lambda _: True, 1000.0)
        tracker.dispatcher.done(tracker.dispatcher.take(1000.0).job, outcome, 1001.0)
    found = samples(tracker)
    assert (found["forwarder_answers_total", "one"], found["forwarder_status", "one", "disabled"]) == (1, 1)
