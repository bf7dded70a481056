"""Retries: what is scheduled, when it runs, and what happens when the queue is full by then."""

import pytest

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.dispatcher import STALE
from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.outcome import Cause
from forwardings import Driven, announce, failure, octets


def asks_again(minutes):
    return failure(Cause.FAILURE_REASON, minutes * 60.0)


def retried(minutes=1, **settings):
    """A dispatcher with one job that waits for its retry."""
    driven = Driven(**settings)
    driven.announced()
    driven.work(asks_again(minutes))
    return driven


def next_announce(driven, torrent="torrent", name="f0"):
    return driven.core.eligibility.next_announce(octets(torrent), driven.core.forwarders.get(name))


def test_nine_minutes_are_scheduled():
    driven = retried(minutes=9)
    assert [job.scheduled for job in driven.scheduled] == [driven.now + 540]
    assert driven.pending == 1


def test_ten_minutes_complete_the_job_and_put_the_torrent_off():
    driven = retried(minutes=10)
    assert driven.scheduled == []
    assert driven.pending == 0
    assert next_announce(driven) == driven.now + 600


def test_a_longer_time_that_was_set_before_stays():
    driven = Driven()
    driven.announced(peer="first")
    driven.announced(peer="second")
    driven.work(asks_again(30))
    driven.work(asks_again(10))
    assert next_announce(driven) == driven.now + 1800


def test_the_retry_sends_the_same_request():
    driven = Driven()
    driven.announced(uploaded=1)
    first = driven.work(asks_again(1))
    driven.announced(uploaded=2)
    driven.tick(60)
    assert driven.take().announce is first.announce


def test_the_next_client_announces_do_not_go_before_the_retry():
    driven = retried(minutes=1)
    for seconds in (0, 30, 29.9):
        driven.now += seconds
        assert driven.announced() is None
        assert driven.announced(peer="other") is None
        assert driven.take() is None


def test_it_runs_at_the_first_tick_at_or_after_its_time():
    driven = retried(minutes=1)
    driven.tick(59.9)
    assert driven.take() is None
    driven.tick(0.1)
    assert driven.take() is not None


def test_it_stays_pending_until_it_has_run():
    driven = retried()
    driven.announced()
    assert driven.queue.depth == 0
    driven.tick(60)
    assert driven.queue.depth == 1
    driven.announced()
    assert driven.queue.depth == 1
    job = driven.take()
    assert driven.pending == 1
    driven.done(job)
    assert driven.pending == 0


def test_retry_in_may_repeat():
    driven = retried(minutes=1)
    for _ in range(20):
        driven.tick(60)
        assert driven.work(asks_again(1)).attempt == 1
    assert driven.state().failures == 0
    assert len(driven.scheduled) == 1


def test_a_request_that_is_hours_old_is_not_sent_again():
    driven = retried(minutes=9)
    driven.tick(STALE)
    driven.work(asks_again(1))
    assert len(driven.scheduled) == 1
    driven.tick(60)
    driven.work(asks_again(1))
    assert driven.scheduled == []
    assert driven.pending == 0


def test_never_disables_the_forwarder():
    driven = Driven()
    driven.announced()
    driven.work(failure(Cause.RETRY_NEVER, reason="go away"))
    assert driven.pending == 0
    assert driven.core.forwarders.get("f0").disabled
    assert (driven.state().cause, driven.state().reason) == (Cause.RETRY_NEVER, "go away")


def test_of_two_clients_of_a_torrent_one_retry_is_scheduled_and_the_other_unmarked():
    driven = Driven()
    driven.announced(peer="first")
    driven.announced(peer="second")
    driven.work(asks_again(1))
    driven.work(asks_again(2))
    assert [job.announce.peer_id for job in driven.scheduled] == [octets("first")]
    assert driven.pending == 1
    assert driven.counters.duplicates == 1


def test_a_duplicate_whose_key_the_scheduled_job_owns_leaves_it_marked():
    driven = retried()
    twin = Job(announce(), "f0", driven.now)
    driven.core.jobs.reschedule(twin, driven.now + 5)
    assert driven.pending == 1
    assert len(driven.scheduled) == 1


def test_other_forwarders_and_torrents_have_retries_of_their_own():
    driven = Driven(forwarders=2)
    driven.announced("one")
    driven.announced("two")
    for job in driven.take_all():
        driven.done(job, asks_again(1))
    assert len(driven.scheduled) == 4


def test_a_full_queue_parks_it_for_ten_seconds_and_loses_nothing():
    driven = retried(minutes=1, queue_size=5)
    driven.fill(5)
    driven.tick(60)
    assert [job.scheduled for job in driven.scheduled] == [driven.now + 10]
    assert driven.counters.parked == 1
    assert driven.counters.dropped_full == 0
    driven.take()
    driven.tick(5)
    assert driven.queue.depth == 4
    driven.tick(5)
    assert driven.queue.depth == 5
    assert driven.scheduled == []


def test_it_is_parked_again_while_the_queue_stays_full():
    driven = retried(minutes=1, queue_size=5)
    driven.fill(5)
    driven.now += 55
    parked = []
    for _ in range(5):
        driven.tick(5)
        parked.append(driven.counters.parked)
    assert parked == [1, 1, 2, 2, 3]


def test_the_queue_fills_up_exactly():
    driven = Driven(queue_size=3)
    for torrent in "abc":
        driven.announced(torrent)
    for _ in range(3):
        driven.work(asks_again(1))
    driven.fill(1)
    driven.tick(60)
    assert driven.queue.depth == 3
    assert len(driven.scheduled) == 1


def test_a_job_that_is_taken_too_early_goes_back_to_the_schedule():
    driven = Driven()
    early = Job(announce(), "f0", driven.now, scheduled=driven.now + 3)
    assert driven.core.jobs.enqueue(early)
    driven.announced("behind")
    assert driven.take().announce.info_hash == octets("behind")
    assert driven.scheduled == [early]
    assert driven.pending == 2
    driven.tick(5)
    assert driven.take() == early


def test_a_retry_of_a_suspended_forwarder_waits_until_it_is_over():
    driven = retried(minutes=1)
    driven.core.forwarders.get("f0").suspend(driven.now + 300, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    driven.tick(60)
    assert [job.scheduled for job in driven.scheduled] == [driven.now + 240]
    driven.tick(240)
    assert driven.take() is not None


def test_a_retry_of_a_disabled_forwarder_is_dropped():
    driven = retried(minutes=1)
    driven.core.forwarders.get("f0").disable(Cause.REJECTED, "HTTP 404")
    driven.tick(60)
    assert driven.pending == 0


def test_the_schedule_is_bounded():
    driven = Driven(queue_size=1)
    for number in range(11):
        driven.announced(f"t{number}")
        driven.work(asks_again(1))
    assert len(driven.scheduled) == 10
    assert driven.pending == 10
    assert driven.counters.dropped_full == 1


@pytest.mark.parametrize("event", [Event.NONE, Event.STARTED, Event.COMPLETED])
def test_the_event_of_the_request_is_sent_again(event):
    driven = Driven()
    driven.announced(event=event)
    driven.work(asks_again(1))
    driven.tick(60)
    assert driven.take().announce.event is event
