from collections import Counter
from datetime import UTC, datetime
from random import Random

from prometheus_client import CollectorRegistry

from fakeclock import FakeClock
from fakekube import FakeKube
from forebay_operator.compactions import RunCounts, State
from forebay_operator.kube.kinds import OUTFEED
from forebay_operator.metrics import QueueCollector, RunCollector
from forebay_operator.queue import Key, WorkQueue


async def test_queue_and_requests_are_shown_as_they_are_when_asked():
    clock, kube, registry = FakeClock(), FakeKube(), CollectorRegistry()
    queue = WorkQueue(clock, Random(0))
    registry.register(QueueCollector(queue, kube))
    queue.put(Key("Outfeed", "news", "hub"), delay=0)
    clock.advance(7)
    await kube.find(OUTFEED, "news", "hub")
    get = registry.get_sample_value
    assert get("forebay_operator_queue_length") == 1
    assert get("forebay_operator_queue_age_seconds", {"kind": "Outfeed"}) == 7
    assert get("forebay_operator_api_requests_total", {"verb": "get", "resource": "outfeeds"}) == 1


def test_runs_are_shown_by_how_they_ended():
    registry, moment = CollectorRegistry(), datetime(2026, 1, 1, tzinfo=UTC)
    counts = {Key("Compaction", "news", "nightly"): RunCounts(Counter({State.FAILED: 2}), moment)}
    registry.register(RunCollector(counts))
    runs, labels = "forebay_operator_compaction_runs_total", {"compaction": "news/nightly"}
    assert registry.get_sample_value(runs, {**labels, "state": "Failed"}) == 2
    # From the beginning, or nobody would see it rise to 1.
    assert registry.get_sample_value(runs, {**labels, "state": "Succeeded"}) == 0
    assert registry.get_sample_value(runs, {**labels, "state": "Running"}) is None
    success = "forebay_operator_compaction_last_success_timestamp_seconds"
    assert registry.get_sample_value(success, labels) == moment.timestamp()


def test_without_a_success_there_is_no_time_of_it():
    registry = CollectorRegistry()
    registry.register(RunCollector({Key("Compaction", "news", "nightly"): RunCounts()}))
    success = "forebay_operator_compaction_last_success_timestamp_seconds"
    assert registry.get_sample_value(success, {"compaction": "news/nightly"}) is None
