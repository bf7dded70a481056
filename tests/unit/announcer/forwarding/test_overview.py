"""The overview."""

from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.forwarding.status import Counters, ScheduledJob
from forwardings import Driven, failure, octets


def test_an_empty_queue():
    status = Driven().status(workers=10)
    assert (status.depth, status.capacity, status.fill) == (0, 10_000, 0.0)
    assert (status.workers, status.max_workers) == (10, 20)
    assert (status.pending, status.scheduled, status.next_scheduled) == (0, 0, ())
    assert status.counters == Counters()


def test_depth_fill_and_pending():
    driven = Driven(queue_size=8)
    driven.fill(3)
    driven.take()
    status = driven.status()
    assert (status.depth, status.fill, status.pending) == (2, 25.0, 3)


def test_the_next_ten_scheduled_with_their_time_to_execution():
    driven = Driven()
    for number in range(12):
        driven.announced(f"t{number}")
        driven.work(failure(wait=500.0 - number))
    driven.now += 100
    status = driven.status()
    assert status.scheduled == 12
    assert len(status.next_scheduled) == 10
    assert status.next_scheduled[0] == ScheduledJob(octets("t11"), "f0", octets("peer"), 389.0)
    assert [job.time_to_execution for job in status.next_scheduled] == [389.0 + number for number in range(10)]


def test_counters_are_a_copy():
    driven = Driven(queue_size=1)
    before = driven.status().counters
    driven.fill(1)
    driven.announced("more")
    assert (before.dropped_full, driven.status().counters.dropped_full) == (0, 1)


def test_a_forwarder_that_was_never_asked():
    status = Driven().state()
    assert (status.name, status.url, status.condition) == ("f0", "http://tracker.example/announce", Condition.ENABLED)
    assert (status.samples, status.mean_response, status.last_interval, status.since_last_answer) == (
        0,
        None,
        None,
        None,
    )


def test_a_forwarder_that_answered():
    driven = Driven()
    driven.announced()
    job = driven.take()
    driven.now += 0.25
    driven.done(job, Answer(interval=900.0))
    driven.now += 7
    status = driven.state()
    assert (status.samples, status.mean_response, status.last_interval) == (1, 0.25, 900.0)
    assert status.since_last_answer == 7


def test_the_reason_of_a_suspension_is_told_while_it_lasts():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.TOO_MANY_REQUESTS, reason="HTTP 429"))
    assert (driven.state().cause, driven.state().reason) == (Cause.TOO_MANY_REQUESTS, "HTTP 429")
    driven.now += 300
    assert (driven.state().cause, driven.state().reason, driven.state().suspended_for) == (None, "", 0)
