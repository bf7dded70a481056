"""What is remembered of jobs that wait outside."""

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.job import Job
from forebay.announcer.lasting.waitinglist import WaitingList
from forwardings import announce, octets


def job(torrent="torrent", event=Event.NONE, made=10.0):
    return Job(announce(torrent, event=event), "one", made)


def test_the_same_request_waits_once():
    waiting = WaitingList(10)
    assert waiting.add(job())
    assert not waiting.add(job(made=11.0))
    assert waiting.add(job(event=Event.COMPLETED))


def test_it_may_wait_again_once_it_came_back():
    waiting = WaitingList(10)
    waiting.add(job())
    assert waiting.remove(job())
    assert waiting.add(job())


def test_what_is_forgotten_for_want_of_room_may_wait_twice():
    waiting = WaitingList(1)
    waiting.add(job("a"))
    waiting.add(job("b"))
    assert waiting.add(job("a"))


def test_a_stop_takes_back_what_was_made_before_it_and_not_itself():
    waiting = WaitingList(10)
    waiting.stop(octets("torrent"), octets("peer"), 10.5)
    assert not waiting.remove(job(made=10.0))
    assert waiting.remove(job(event=Event.STOPPED, made=10.5))
    assert waiting.remove(job(made=10.6))
    assert waiting.remove(job("other", made=10.0))


def test_stops_are_bounded_and_forgotten():
    waiting = WaitingList(1)
    waiting.stop(octets("torrent"), octets("peer"), 10.5)
    waiting.stop(octets("other"), octets("peer"), 10.5)
    assert waiting.remove(job())
    assert not waiting.remove(job("other"))
    waiting.clear()
    assert waiting.remove(job("other"))
