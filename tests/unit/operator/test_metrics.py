from random import Random

from prometheus_client import CollectorRegistry

from fakeclock import FakeClock
from fakekube import FakeKube
from forebay_operator.kube.kinds import OUTFEED
from forebay_operator.metrics import QueueCollector
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
