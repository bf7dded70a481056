"""The schedule."""

from random import Random

from forebay.announcer.forwarding.job import Job
from forebay.announcer.forwarding.schedule import Schedule
from forwardings import announce


def job(torrent="torrent", forwarder="one", at=10.0, peer="peer"):
    return Job(announce(torrent, peer), forwarder, 0.0, at)


def test_due_at_its_time_and_not_before():
    schedule = Schedule(10)
    schedule.add(job(at=10.0))
    assert schedule.pop_due(9.999) == []
    assert schedule.pop_due(10.0) == [job(at=10.0)]
    assert len(schedule) == 0


def test_the_earliest_comes_first():
    schedule = Schedule(10)
    for at in (3.0, 1.0, 2.0):
        schedule.add(job(str(at), at=at))
    assert [due.scheduled for due in schedule.pop_due(10.0)] == [1.0, 2.0, 3.0]


def test_another_client_of_the_same_torrent_and_forwarder_is_a_duplicate():
    schedule = Schedule(10)
    assert schedule.add(job(peer="first"))
    assert not schedule.add(job(peer="second"))
    assert schedule.add(job(peer="second", forwarder="two"))
    assert schedule.add(job(peer="second", torrent="other"))


def test_a_removed_job_is_not_due_even_where_another_took_its_key():
    schedule = Schedule(10)
    schedule.add(job(at=10.0))
    schedule.remove(job().pending_key)
    schedule.add(job(at=20.0))
    assert schedule.pop_due(15.0) == []
    assert schedule.pop_due(20.0) == [job(at=20.0)]


def test_only_the_clients_own_job_is_found():
    schedule = Schedule(10)
    schedule.add(job(peer="first"))
    assert schedule.get(job(peer="first").pending_key) == job(peer="first")
    assert schedule.get(job(peer="second").pending_key) is None


def test_full():
    schedule = Schedule(2)
    schedule.add(job("a"))
    assert not schedule.full
    schedule.add(job("b"))
    assert schedule.full


def test_the_next_ones():
    schedule = Schedule(20)
    for number in range(12):
        schedule.add(job(str(number), at=100.0 - number))
    assert [upcoming.scheduled for upcoming in schedule.upcoming(10)] == [89.0 + number for number in range(10)]


def test_the_next_ones_are_found_among_many_that_came_and_went():
    random, schedule, jobs = Random(0), Schedule(2000), {}
    for number in range(3000):
        one = job(str(random.randrange(1000)), at=float(random.randrange(500)))
        if schedule.add(one):
            jobs[one.schedule_key] = one
        elif number % 3:
            schedule.remove(jobs.pop(one.schedule_key).pending_key)
    times = sorted(one.scheduled for one in jobs.values())
    assert [one.scheduled for one in schedule.upcoming(50)] == times[:50]
    assert len(schedule.upcoming(5000)) == len(jobs)


def test_a_job_that_came_again_for_the_same_time_is_one():
    schedule = Schedule(10)
    for _ in range(2):
        schedule.add(job(at=10.0))
        schedule.remove(job().pending_key)
    schedule.add(job(at=10.0))
    assert schedule.upcoming(10) == [job(at=10.0)]
