"""Events: stopped, completed and paused are passed on, in order, to those whom they concern."""

import pytest

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.outcome import Cause
from forwardings import Driven, failure


def told(forwarders=1, **settings):
    """A dispatcher whose forwarders know the client."""
    driven = Driven(forwarders, **settings)
    driven.announced(event=Event.STARTED)
    for job in driven.take_all():
        driven.done(job)
    return driven


def events(driven):
    return [job.announce.event for job in driven.take_all()]


@pytest.mark.parametrize("event", [Event.STOPPED, Event.COMPLETED, Event.PAUSED])
def test_an_event_does_not_wait_for_the_next_announce(event):
    driven = told(forwarders=3)
    driven.announced(event=event)
    assert events(driven) == [event] * 3


def test_a_repeated_start_waits():
    driven = told()
    driven.announced(event=Event.STARTED)
    assert driven.take() is None


def test_a_stop_goes_to_those_only_that_know_the_client():
    driven = told()
    driven.announced(peer="other", event=Event.STOPPED)
    driven.announced(torrent="other", event=Event.STOPPED)
    assert driven.take() is None


def test_a_completion_also_goes_to_those_that_are_due():
    driven = Driven()
    driven.announced(event=Event.COMPLETED)
    assert events(driven) == [Event.COMPLETED]


def test_a_completion_goes_once_to_who_is_due_and_knows_the_client():
    driven = told()
    driven.now += 1800
    driven.announced(event=Event.COMPLETED)
    assert events(driven) == [Event.COMPLETED]


def test_after_its_stop_the_torrent_may_be_announced_again_at_once():
    driven = told()
    driven.announced(event=Event.STOPPED)
    driven.work()
    driven.announced(event=Event.STARTED)
    assert events(driven) == [Event.STARTED]


def test_the_stop_of_one_client_does_not_make_others_due():
    driven = Driven()
    driven.announced(peer="first")
    driven.announced(peer="second")
    driven.work()
    driven.work()
    driven.announced(peer="first", event=Event.STOPPED)
    driven.work()
    driven.announced(peer="second")
    assert driven.take() is None


def test_a_stop_takes_back_what_waits_in_the_queue():
    driven = Driven(forwarders=3)
    driven.announced(event=Event.STARTED)
    driven.announced(event=Event.STOPPED)
    assert driven.queue.depth == 0
    assert driven.pending == 0
    assert driven.counters.cancelled == 3


def test_a_stop_takes_back_what_is_scheduled():
    driven = Driven()
    driven.announced(event=Event.STARTED)
    driven.work(failure(wait=60.0))
    driven.announced(event=Event.STOPPED)
    assert (driven.scheduled, driven.pending) == ([], 0)


def test_a_stop_leaves_jobs_of_other_clients_alone():
    driven = Driven()
    driven.announced(peer="first")
    driven.announced(peer="second")
    driven.announced(peer="first", event=Event.STOPPED)
    assert driven.queue.depth == 1


def test_a_stop_replaces_what_waits_for_a_forwarder_that_knows_the_client():
    driven = told()
    driven.now += 1800
    driven.announced()
    driven.announced(event=Event.STOPPED)
    assert events(driven) == [Event.STOPPED]
    assert driven.pending == 1


def test_an_event_replaces_what_is_scheduled_and_keeps_its_time():
    driven = Driven()
    driven.announced()
    driven.work(failure(wait=60.0))
    driven.announced(event=Event.COMPLETED)
    assert [(job.announce.event, job.scheduled) for job in driven.scheduled] == [(Event.COMPLETED, driven.now + 60)]


def test_a_stop_follows_a_start_that_is_in_flight():
    driven = Driven()
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    assert driven.take() is None
    driven.done(job)
    assert events(driven) == [Event.STOPPED]


def test_a_stop_that_waits_for_a_start_that_fails_is_not_sent():
    driven = Driven()
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    driven.done(job, failure())
    assert (driven.scheduled, driven.pending, driven.queue.depth) == ([], 0, 0)


def test_a_completion_that_waits_for_a_request_that_fails_is_sent_in_its_place():
    driven = Driven()
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.COMPLETED)
    driven.done(job, failure())
    assert [waiting.announce.event for waiting in driven.scheduled] == [Event.COMPLETED]


def test_a_start_follows_a_stop_that_is_in_flight():
    driven = told()
    driven.announced(event=Event.STOPPED)
    job = driven.take()
    driven.announced(event=Event.STARTED)
    driven.done(job)
    assert events(driven) == [Event.STARTED]


def test_a_start_takes_back_the_stop_that_was_to_follow():
    driven = Driven()
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    driven.announced(event=Event.STARTED)
    driven.done(job)
    assert driven.take() is None
    assert driven.pending == 0


def test_what_follows_is_dropped_and_counted_where_the_queue_is_full():
    driven = Driven(queue_size=1)
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    driven.fill(1)
    driven.done(job)
    assert driven.pending == 1
    assert driven.counters.dropped_full == 1


def test_what_follows_is_dropped_where_the_forwarder_is_disabled():
    driven = told()
    driven.now += 1800
    driven.announced()
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    driven.done(job, failure(Cause.REJECTED))
    assert driven.pending == 0


def test_events_of_a_disabled_forwarder_are_not_sent():
    driven = told()
    driven.core.forwarders.get("f0").disable(Cause.REJECTED, "HTTP 404")
    driven.announced(event=Event.STOPPED)
    assert driven.pending == 0
