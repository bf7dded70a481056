"""Which announces go to which forwarders: eligibility, deduplication, rate limit, throttle, a full queue."""

import pytest

from forebay.announcer.forwarding.eligibility import REMEMBERED
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.forwarding.refusal import Refusal, Why
from forebay.announcer.forwarding.settings import ForwardingSettings
from forwardings import Driven, announce, failure, octets, spec


def names(driven):
    return sorted(job.forwarder for job in driven.take_all())


def test_every_forwarder_that_never_heard_of_the_torrent_gets_it_at_once():
    driven = Driven(forwarders=3)
    assert driven.announced(initial=True) is None
    jobs = driven.take_all()
    assert sorted(job.forwarder for job in jobs) == ["f0", "f1", "f2"]
    assert {job.scheduled for job in jobs} == {None}


def test_without_forwarders_there_is_nothing_to_do():
    driven = Driven(forwarders=0, queue_size=1, rate_limit_burst=0)
    assert driven.announced(initial=True) is None
    assert driven.pending == 0


def test_a_re_announce_waits_for_the_next_announce_but_for_what_timers_differ():
    driven = Driven()
    driven.announced()
    driven.work(Answer(interval=1800.0))
    driven.now += 1739.9
    driven.announced()
    assert driven.take() is None
    driven.now += 0.1
    driven.announced()
    assert driven.take() is not None


def test_a_nonsense_interval_cannot_make_it_announce_at_each_client_announce_or_never():
    driven = Driven()
    driven.announced()
    driven.work(Answer(interval=300.0))
    assert driven.core.eligibility.next_announce(octets("torrent"), driven.core.forwarders.get("f0")) == 1285.0


def test_a_client_has_one_job_for_a_forwarder_until_it_is_done():
    driven = Driven()
    driven.announced()
    driven.announced()
    assert driven.queue.depth == 1
    job = driven.take()
    driven.announced()
    assert driven.queue.depth == 0
    driven.done(job)
    assert driven.pending == 0


@pytest.mark.parametrize("other", [{"peer": "other"}, {"torrent": "other"}], ids=["client", "torrent"])
def test_another_client_or_torrent_has_its_own_job(other):
    driven = Driven()
    driven.announced()
    driven.announced(**other)
    assert driven.queue.depth == 2


def test_jobs_are_carried_out_in_order():
    driven = Driven()
    for torrent in "abc":
        driven.announced(torrent)
    assert [job.announce.info_hash for job in driven.take_all()] == [octets("a"), octets("b"), octets("c")]


def test_a_disabled_forwarder_gets_nothing():
    driven = Driven(forwarders=2)
    driven.core.forwarders.get("f0").disable(Cause.REJECTED, "HTTP 404")
    driven.announced()
    assert names(driven) == ["f1"]


def test_jobs_of_a_forwarder_that_was_disabled_meanwhile_are_dropped():
    driven = Driven(forwarders=2)
    driven.announced()
    driven.core.forwarders.get("f0").disable(Cause.REJECTED, "HTTP 404")
    assert names(driven) == ["f1"]
    assert driven.pending == 1


def test_jobs_of_a_forwarder_that_was_suspended_meanwhile_are_dropped():
    driven = Driven()
    driven.announced()
    driven.core.forwarders.get("f0").suspend(driven.now + 300, Cause.TOO_MANY_REQUESTS, "HTTP 429")
    assert driven.take() is None
    assert driven.pending == 0


# The rate limit.


def test_below_80_per_cent_first_announces_need_no_token():
    driven = Driven(queue_size=100, rate_limit_burst=0, throttle_threshold=100)
    driven.fill(79)
    assert driven.announced("new", initial=True) is None


def test_from_80_per_cent_on_first_announces_without_a_token_are_refused():
    driven = Driven(queue_size=100, rate_limit_burst=0)
    driven.fill(80)
    assert driven.announced("new", initial=True) == Refusal(Why.RATE_LIMITED, 300)
    assert driven.counters.rate_limited == 1
    assert driven.queue.depth == 80


def test_a_burst_of_200_then_100_a_second():
    driven = Driven(queue_size=2000)
    driven.fill(1600)
    admitted = [driven.announced(f"a{number}", initial=True) is None for number in range(201)]
    assert admitted == [True] * 200 + [False]
    driven.now += 1.0
    admitted = [driven.announced(f"b{number}", initial=True) is None for number in range(101)]
    assert admitted == [True] * 100 + [False]
    assert driven.counters.rate_limited == 2


def test_re_announces_are_not_rate_limited():
    driven = Driven(queue_size=100, rate_limit_burst=0)
    driven.fill(80)
    assert driven.announced("new", initial=False) is None
    assert driven.queue.depth == 81


def test_a_first_announce_that_makes_no_job_is_not_refused():
    driven = Driven(queue_size=100, rate_limit_burst=0)
    driven.announced("known", peer="first")
    driven.work()
    driven.fill(80)
    assert driven.announced("known", peer="second", initial=True) is None


def test_a_refusal_tells_whole_minutes():
    assert [Refusal(Why.QUEUE_FULL, seconds).retry_in for seconds in (300, 301, 1, 60)] == [5, 6, 1, 1]


# A full queue.


def test_the_10_001st_first_announce_is_refused_and_not_marked():
    driven = Driven(rate_limit_burst=10_000, rate_limit_per_second=0)
    for number in range(10_000):
        assert driven.announced(f"t{number}", initial=True) is None
    assert driven.announced("too many", initial=True) == Refusal(Why.QUEUE_FULL, 300)
    assert driven.pending == 10_000
    assert (driven.counters.refused_full, driven.counters.dropped_full) == (1, 0)
    driven.work()
    assert driven.announced("too many", initial=True) is None


def test_a_re_announce_that_finds_the_queue_full_is_dropped_counted_and_not_marked():
    driven = Driven(queue_size=2)
    driven.fill(2)
    assert driven.announced("more") is None
    assert driven.pending == 2
    assert driven.counters.dropped_full == 1
    driven.work()
    driven.announced("more")
    assert driven.pending == 2


def test_a_first_announce_that_finds_room_for_some_forwarders_is_not_refused():
    driven = Driven(forwarders=5, queue_size=3, rate_limit_burst=10)
    assert driven.announced(initial=True) is None
    assert driven.pending == 3
    assert driven.counters.dropped_full == 2


# The throttle.


@pytest.mark.parametrize(("filled", "chosen"), [(599, 50), (600, 20)])
def test_from_60_per_cent_on_20_of_the_eligible(filled, chosen):
    driven = Driven(queue_size=1000)
    driven.fill(filled)
    driven.specs = [spec(f"f{number}") for number in range(50)]
    driven.configure()
    driven.announced("one")
    assert driven.queue.depth == filled + chosen
    assert driven.counters.throttled == 50 - chosen


def test_the_20_are_others_each_time():
    driven = Driven(forwarders=50, throttle_threshold=0)
    driven.announced("one")
    first = names(driven)
    driven.announced("two")
    second = names(driven)
    assert len(set(first)) == len(set(second)) == 20
    assert first != second


def test_disabled_forwarders_take_no_place_among_the_20():
    driven = Driven(forwarders=50, queue_size=100, throttle_threshold=0)
    for number in range(25):
        driven.core.forwarders.get(f"f{number}").disable(Cause.REJECTED, "HTTP 404")
    driven.announced()
    chosen = names(driven)
    assert len(chosen) == 20
    assert set(chosen) <= {f"f{number}" for number in range(25, 50)}


def test_forwarders_are_shuffled_at_any_fill():
    driven = Driven(forwarders=20)
    driven.announced("one")
    first = [job.forwarder for job in driven.take_all()]
    driven.announced("two")
    second = [job.forwarder for job in driven.take_all()]
    assert sorted(first) == sorted(second)
    assert first != second


def test_at_most_100_forwarders_of_an_announce():
    driven = Driven(forwarders=101)
    driven.announced()
    assert driven.queue.depth == 100
    assert driven.counters.throttled == 0


def test_all_forwarders_get_their_turn():
    driven = Driven(forwarders=40, throttle_threshold=0, throttle_top=1)
    for number in range(600):
        driven.announced(f"t{number}")
    assert {job.forwarder for job in driven.take_all()} == {f"f{number}" for number in range(40)}


def test_failures_of_one_forwarder_do_not_touch_another():
    driven = Driven(forwarders=2)
    driven.announced()
    first, second = driven.take_all()
    driven.done(first, failure(Cause.REJECTED))
    driven.done(second)
    assert driven.core.forwarders.get(first.forwarder).disabled
    assert not driven.core.forwarders.get(second.forwarder).disabled


# Other settings.


def test_another_queue_size_holds_at_once():
    driven = Driven(queue_size=1)
    driven.fill(1)
    driven.settings = ForwardingSettings(queue_size=2)
    driven.configure()
    driven.announced("second")
    driven.announced("third")
    assert driven.queue.depth == 2


def test_another_rate_limit_holds_at_once():
    driven = Driven(queue_size=100, rate_limit_burst=0)
    driven.fill(80)
    assert driven.announced("one", initial=True) is not None
    driven.settings = ForwardingSettings(queue_size=100, rate_limit_burst=1)
    driven.configure()
    assert driven.announced("one", initial=True) is None
    assert driven.announced("two", initial=True) is not None


def test_the_same_settings_again_bring_no_tokens():
    driven = Driven(queue_size=100, rate_limit_burst=1, rate_limit_per_second=0)
    driven.fill(80)
    assert driven.announced("one", initial=True) is None
    driven.configure()
    assert driven.announced("two", initial=True) is not None


def test_torrents_that_nobody_announces_are_forgotten():
    driven = Driven()
    driven.announced()
    driven.work()
    driven.tick(REMEMBERED + 1)
    assert len(driven.core.eligibility) == 0


def test_whether_it_is_the_first_is_asked_only_when_the_announce_goes_somewhere():
    driven, asked = Driven(), []
    knows = asked.append  # returns None: no
    driven.core.announced(announce(), knows, driven.now)
    driven.work(Answer(interval=1800.0))
    driven.core.announced(announce(), knows, driven.now)
    assert asked == [announce()]


def test_workers_are_woken_when_there_is_a_job_and_only_then():
    driven, woken = Driven(queue_size=1), []
    driven.core.wake = lambda: woken.append(driven.queue.depth)
    driven.announced()
    driven.announced()
    driven.announced("other")
    assert woken == [1]
