"""What a dispatcher tells of its jobs, what it takes back, and where jobs go that find no room."""

import pytest

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.forwarding.refusal import Refusal, Why
from forwardings import ANSWER, Driven, announce, failure, octets


class Record:
    """A watcher that holds what would be kept."""

    def __init__(self):
        self.jobs = {}

    def kept(self, job):
        self.jobs[job.pending_key] = job

    def gone(self, key):
        self.jobs.pop(key, None)

    async def settle(self):
        pass


class Outside:
    """An overflow in memory."""

    def __init__(self):
        self.is_open = True
        self.jobs = []
        self.stops = []

    @property
    def is_empty(self):
        return not self.jobs

    def put(self, job):
        self.jobs.append(job)

    def stopped(self, info_hash, peer_id, now):
        self.stops.append((info_hash, peer_id, now))


@pytest.fixture
def driven():
    return watched()


def watched(**settings):
    driven = Driven(**settings)
    driven.core.jobs.watcher = Record()
    return driven


def kept(driven):
    """What is kept, which is always what there is."""
    jobs = list(driven.core.jobs.watcher.jobs.values())
    assert {job.pending_key for job in jobs} == {job.pending_key for job in driven.core.jobs}
    assert len(jobs) == driven.pending
    return jobs


def test_a_job_is_kept_from_the_queue_to_its_answer(driven):
    driven.announced()
    assert kept(driven) == [Job(announce(), "f0", driven.now)]
    job = driven.take()
    assert kept(driven) == [job]
    driven.done(job)
    assert kept(driven) == []


def test_a_retry_is_kept_with_its_time(driven):
    driven.announced()
    driven.work(failure(wait=60.0))
    (job,) = kept(driven)
    assert job.scheduled == driven.now + 60.0
    driven.tick(60)
    assert len(kept(driven)) == 1


def test_a_job_that_is_put_off_is_kept_with_its_new_time():
    driven = watched(queue_size=10)
    driven.announced("retried")
    driven.work(failure(wait=60.0))
    driven.fill(10)
    driven.tick(60)
    assert [job.scheduled for job in kept(driven) if job.scheduled] == [driven.now + 10]


def test_a_request_that_took_another_s_place_is_kept(driven):
    driven.announced(event=Event.STARTED)
    driven.announced(event=Event.COMPLETED)
    assert [job.announce.event for job in kept(driven)] == [Event.COMPLETED]
    driven.work(failure(wait=60.0))
    driven.announced(event=Event.PAUSED)
    assert [job.announce.event for job in kept(driven)] == [Event.PAUSED]


def test_an_event_that_follows_a_request_in_flight_is_kept_in_its_place(driven):
    driven.announced(event=Event.STARTED)
    job = driven.take()
    driven.announced(event=Event.STOPPED)
    assert [job.announce.event for job in kept(driven)] == [Event.STOPPED]
    driven.done(job)
    assert [job.announce.event for job in kept(driven)] == [Event.STOPPED]


def test_what_is_taken_back_dropped_or_of_a_forwarder_that_goes_is_not_kept(driven):
    driven.announced("back", event=Event.STARTED)
    driven.announced("back", event=Event.STOPPED)
    assert kept(driven) == []
    driven.announced("dropped")
    driven.core.forwarders.get("f0").suspend(driven.now + 10, Cause.TOO_MANY_REQUESTS, "")
    assert driven.take() is None
    assert kept(driven) == []
    driven.now += 10
    driven.announced("goes")
    driven.specs = []
    driven.configure()
    assert kept(driven) == []


def test_a_duplicate_retry_is_not_kept(driven):
    driven.announced(peer="one")
    driven.announced(peer="other")
    jobs = driven.take_all()
    for job in jobs:
        driven.done(job, failure(wait=60.0))
    assert [job.announce.peer_id for job in kept(driven)] == [octets("one")]


# What is taken back after a restart.


def job(driven, torrent="torrent", event=Event.NONE, **fields):
    return Job(announce(torrent, event=event), "f0", **{"made": driven.now - 10} | fields)


def test_a_queued_job_is_queued_again(driven):
    assert driven.core.restore(job(driven), driven.now)
    assert driven.queue.depth == driven.pending == 1


def test_a_scheduled_job_waits_on_and_other_clients_with_it(driven):
    assert driven.core.restore(job(driven, scheduled=driven.now + 60), driven.now)
    assert [each.scheduled for each in driven.scheduled] == [driven.now + 60]
    driven.announced(peer="other")
    assert driven.queue.depth == 0


def test_a_job_that_its_client_has_by_now_is_not_taken_back(driven):
    driven.announced()
    assert not driven.core.restore(job(driven), driven.now)
    assert driven.pending == 1


def test_a_second_retry_of_a_torrent_is_not_taken_back(driven):
    driven.announced(peer="other")
    driven.work(failure(wait=60.0))
    assert not driven.core.restore(job(driven, scheduled=driven.now + 5), driven.now)
    assert driven.pending == 1


def test_what_was_told_meanwhile_is_not_taken_back_but_an_event_is(driven):
    driven.announced(peer="other")
    driven.work(Answer(1800.0))
    assert not driven.core.restore(job(driven), driven.now)
    assert driven.core.restore(job(driven, event=Event.STOPPED), driven.now)


def test_what_finds_the_queue_full_is_put_off_and_what_finds_the_schedule_full_is_not_taken_back():
    driven = Driven(queue_size=10)
    driven.fill(10)
    assert driven.core.restore(job(driven), driven.now)
    assert [each.scheduled for each in driven.scheduled] == [driven.now + 10]
    for number in range(99):
        driven.core.restore(job(driven, f"more{number}"), driven.now)
    assert len(driven.scheduled) == 100
    assert not driven.core.restore(job(driven, "beyond"), driven.now)


@pytest.mark.parametrize(
    ("torrent", "fields"),
    [("old", {"made": -20_000.0}), ("old", {"made": -20_000.0, "scheduled": 1001.0})],
    ids=["queued", "scheduled"],
)
def test_requests_of_long_ago_are_not_taken_back(driven, torrent, fields):
    assert not driven.core.restore(job(driven, torrent, **fields), driven.now)


@pytest.mark.parametrize("scheduled", [None, 1030.0], ids=["queued", "scheduled"])
def test_jobs_of_a_disabled_forwarder_are_not_taken_back(driven, scheduled):
    driven.core.forwarders.get("f0").disable(Cause.RETRY_NEVER, "never")
    assert not driven.core.restore(job(driven, scheduled=scheduled), driven.now)


# Where jobs go that find no room.


@pytest.fixture
def outside():
    return Outside()


@pytest.fixture
def spilling(outside):
    driven = watched(queue_size=10, forwarders=1, rate_limit_burst=1000, throttle_threshold=100)
    driven.core.overflow = outside
    driven.fill(10)
    return driven


@pytest.mark.parametrize("initial", [True, False], ids=["first", "later"])
def test_a_job_without_room_goes_outside(spilling, outside, initial):
    assert spilling.announced("new", initial=initial) is None
    assert [each.announce.info_hash for each in outside.jobs] == [octets("new")]
    assert (spilling.counters.refused_full, spilling.counters.dropped_full) == (0, 0)
    assert spilling.pending == 10


def test_of_several_forwarders_those_that_fit_go_into_the_queue(outside):
    driven = watched(queue_size=10, forwarders=4, throttle_threshold=100)
    driven.core.overflow = outside
    for torrent in "abc":
        driven.announced(torrent)
    assert (driven.queue.depth, len(outside.jobs)) == (10, 2)
    assert {job.forwarder for job in [*driven.queue, *outside.jobs] if job.announce.info_hash == octets("c")} == {
        "f0", "f1", "f2", "f3",
    }  # fmt: skip


def test_while_some_wait_outside_all_go_there(spilling, outside):
    spilling.announced("first")
    spilling.work()
    spilling.announced("second")
    assert spilling.queue.depth == 9
    assert len(outside.jobs) == 2


@pytest.mark.parametrize("waiting", [True, False])
def test_when_it_is_closed_the_drop_rules_hold(spilling, outside, waiting):
    if waiting:
        spilling.announced("waiting")
    outside.is_open = False
    assert spilling.announced("new", initial=True) == Refusal(Why.QUEUE_FULL, 300)
    assert spilling.announced("new") is None
    assert (spilling.counters.refused_full, spilling.counters.dropped_full) == (1, 1)
    spilling.work()
    assert spilling.announced("new", initial=True) is None
    assert spilling.queue.depth == 10


def test_the_rate_limit_holds_as_ever(outside):
    driven = Driven(queue_size=10, rate_limit_burst=0)
    driven.core.overflow = outside
    driven.fill(10)
    assert driven.announced("new", initial=True) == Refusal(Why.RATE_LIMITED, 300)


def test_retries_are_put_off_and_do_not_go_outside(outside):
    driven = Driven(queue_size=10)
    driven.core.overflow = outside
    driven.announced("retried")
    driven.work(failure(wait=60.0))
    driven.fill(10)
    driven.tick(60)
    assert (len(driven.scheduled), outside.jobs) == (1, [])


def test_an_event_that_follows_a_request_goes_outside_when_there_is_no_room(spilling, outside):
    job = spilling.take()
    spilling.announced("fill0", event=Event.COMPLETED)
    spilling.announced("last")
    spilling.done(job)
    assert [each.announce.event for each in outside.jobs] == [Event.COMPLETED]


def test_a_stop_is_told_outside(spilling, outside):
    spilling.announced("new")
    spilling.announced("new", event=Event.STOPPED)
    assert outside.stops == [(octets("new"), octets("peer"), spilling.now)]


def test_what_comes_back_is_queued_when_there_is_room(spilling, outside):
    spilling.announced("new")
    (waiting,) = outside.jobs
    assert not spilling.core.bring_back(waiting, spilling.now)
    spilling.work()
    assert spilling.core.bring_back(waiting, spilling.now)
    assert waiting in kept(spilling)


def test_what_comes_back_and_is_known_by_now_is_dropped(driven):
    driven.announced(peer="other")
    driven.work(Answer(1800.0))
    assert driven.core.bring_back(job(driven), driven.now)
    assert driven.queue.depth == 0


def test_an_event_that_comes_back_takes_the_place_of_what_its_client_has_waiting(driven):
    driven.announced(event=Event.STARTED)
    assert driven.core.bring_back(job(driven, event=Event.COMPLETED), driven.now)
    assert [each.announce.event for each in kept(driven)] == [Event.COMPLETED]


@pytest.mark.parametrize("block", ["suspend", "disable", "remove", "age"])
def test_what_comes_back_to_nobody_is_dropped(driven, block):
    state, waiting = driven.core.forwarders.get("f0"), job(driven)
    if block == "suspend":
        state.suspend(driven.now + 1, Cause.TOO_MANY_REQUESTS, "")
    elif block == "disable":
        state.disable(Cause.RETRY_NEVER, "")
    elif block == "remove":
        driven.specs = []
        driven.configure()
    else:
        driven.now += 3 * 3600
    assert driven.core.bring_back(waiting, driven.now)
    assert driven.pending == 0


def test_what_comes_back_is_answered_as_ever(driven):
    assert driven.core.bring_back(job(driven), driven.now)
    driven.work(ANSWER)
    assert driven.pending == 0
