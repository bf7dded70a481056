import pytest

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.links.window import MOST_FRAMES, LinkWindow, RetrySettings


@pytest.fixture
def window():
    return LinkWindow(RetrySettings(attempts=3, interval=1.0), epoch=7)


def told(name):
    return pb.LinkRequest(freight=pb.Freight(parcels=[pb.Parcel(sender=name)]))


def numbers(frames):
    return [frame.told.number for frame in frames]


def test_frames_are_numbered_and_kept_until_they_are_acknowledged(window):
    assert window.base == 1
    for name in "abc":
        window.send(told(name), 0.0)
    window.send(pb.LinkRequest(routes=pb.RouteChanges()), 0.0)
    window.acknowledge(2)
    window.acknowledge(1)
    assert window.base == 3
    assert [each.parcels[0].sender for each in window.give_up()] == ["c"]
    assert window.send(told("d"), 0.0).told.number == 5
    assert window.base == 5


def test_without_an_acknowledgement_all_is_sent_again_after_an_interval(window):
    window.send(told("a"), 0.0)
    window.send(told("b"), 0.9)
    assert window.overdue(0.99) == []
    assert numbers(window.overdue(1.0)) == [1, 2]
    assert window.overdue(1.5) == []
    window.acknowledge(1)
    assert numbers(window.overdue(2.0)) == [2]


def test_after_all_attempts_it_is_exhausted(window):
    assert not window.exhausted
    window.send(told("a"), 0.0)
    for now in (1.0, 2.0):
        window.overdue(now)
        assert not window.exhausted
    window.overdue(3.0)
    assert window.exhausted
    window.acknowledge(1)
    assert not window.exhausted


def coming(number, base=1, epoch=3):
    return pb.LinkRequest(number=number, base=base, epoch=epoch)


def test_each_frame_is_accepted_once_and_in_its_turn(window):
    assert [window.accept(coming(number)) for number in (1, 1, 3, 2, 2, 3)] == [True, False, False, True, False, True]
    assert window.received == 3


def test_what_will_not_come_is_not_waited_for(window):
    assert window.accept(coming(9, base=9))
    assert not window.accept(coming(5, base=5))


def test_numbers_that_begin_anew_are_accepted(window):
    window.accept(coming(1))
    window.accept(coming(2))
    assert window.accept(coming(1, epoch=4))
    assert window.received == 1


def test_only_so_many_frames_are_on_their_way(window):
    for _ in range(MOST_FRAMES):
        assert not window.full
        window.send(told("a"), 0.0)
    assert window.full
    window.acknowledge(1)
    assert not window.full
