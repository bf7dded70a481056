from math import inf

import pytest

from forebay.conduit.core.conduits import outlet as outlets
from forebay.conduit.core.conduits.forms import DataForm
from forebay.conduit.core.conduits.outlet import Outlet
from forebay.conduit.core.conduits.publisher import Congestion, Publisher, PublisherSettings
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.conduits.transmit import TransmitConduit
from forebay.conduit.core.errors import SampleTooLargeError, WindowFullError

PEER = 1
SETTINGS = ConduitSettings(window_samples=4, latency_budget=0.0)
FORM = DataForm(9, reliable=True)


@pytest.fixture
def outlet():
    conduit = TransmitConduit(0, SETTINGS, 0)
    conduit.join(PEER, 0.0)
    return Outlet(conduit)


def publisher(congestion, **options):
    return Publisher(0, PublisherSettings(1, congestion=congestion, **options))


def samples(count):
    return [b"%d" % number for number in range(count)]


def acknowledge(outlet, number, now=1.0):
    outlet.conduit.acknowledge(PEER, number, None, now)


def test_blocked_samples_go_out_as_room_opens(outlet):
    source = publisher(Congestion.BLOCK)
    write = outlet.publish(source, samples(10), 0.0, None)
    done = []
    write.done = done.append
    assert (write.written, write.pending) == (4, 6)
    acknowledge(outlet, 4)
    assert outlet.due == -inf
    outlet.resume(1.0)
    assert (write.written, write.pending, done) == (8, 2, [])
    acknowledge(outlet, 8)
    outlet.resume(2.0)
    assert (write.written, write.pending, done) == (10, 0, [write])
    assert source.written == 10
    assert not outlet.blocked


def test_blocked_writes_keep_their_order(outlet):
    source = publisher(Congestion.BLOCK)
    first = outlet.publish(source, samples(6), 0.0, None)
    second = outlet.publish(source, samples(1), 0.0, None)
    acknowledge(outlet, 2)
    assert outlet.due > -inf
    third = outlet.publish(source, samples(1), 0.0, None)
    assert (first.pending, second.pending, third.pending) == (2, 1, 1)
    acknowledge(outlet, 4)
    outlet.resume(1.0)
    assert (first.pending, second.pending, third.pending) == (0, 0, 0)


def test_blocked_samples_are_given_up_at_their_deadline(outlet):
    source = publisher(Congestion.BLOCK, deadline=2.0)
    write = outlet.publish(source, samples(6), 1.0, None)
    done = []
    write.done = done.append
    outlet.resume(2.9)
    assert write.pending == 2
    outlet.resume(3.0)
    assert (write.written, write.expired, write.pending, done) == (4, 2, 0, [write])
    assert source.expired == 2


def test_a_deadline_is_due(outlet):
    outlet.conduit.flush(0.0)
    outlet.publish(publisher(Congestion.BLOCK, deadline=0.005), samples(6), 1.0, None)
    assert outlet.due == 1.005


def test_what_gives_up_lets_the_others_through(outlet):
    hasty, patient = publisher(Congestion.BLOCK, deadline=1.0), publisher(Congestion.BLOCK)
    outlet.publish(hasty, samples(6), 0.0, None)
    write = outlet.publish(patient, samples(2), 0.0, None)
    acknowledge(outlet, 4)
    outlet.resume(5.0)
    assert (hasty.expired, write.pending) == (2, 0)


def test_dropped_samples_are_counted(outlet):
    source = publisher(Congestion.DROP)
    write = outlet.publish(source, samples(6), 0.0, None)
    assert (write.written, write.dropped, write.pending) == (4, 2, 0)
    assert (source.written, source.dropped) == (4, 2)


def test_an_error_says_what_was_taken(outlet):
    with pytest.raises(WindowFullError, match="conduit 0 is full: 2 samples") as caught:
        outlet.publish(publisher(Congestion.ERROR), samples(6), 0.0, None)
    assert (caught.value.accepted, caught.value.refused) == (4, 2)


def test_no_error_while_there_is_room(outlet):
    assert outlet.publish(publisher(Congestion.ERROR), samples(4), 0.0, None).written == 4


def test_laid_aside_samples_are_followed_by_all_later_ones(outlet):
    source, aside = publisher(Congestion.SPILL), []
    write = outlet.publish(source, samples(6), 0.0, aside.extend)
    assert (write.written, write.spilled, aside) == (4, 2, [b"4", b"5"])
    acknowledge(outlet, 4)
    outlet.publish(source, [b"6"], 1.0, aside.extend)
    assert aside == [b"4", b"5", b"6"]
    assert source.spilled == 3


def test_laid_aside_samples_are_written_when_there_is_room(outlet):
    source = publisher(Congestion.SPILL)
    outlet.publish(source, samples(10), 0.0, lambda _: None)
    assert outlet.unspill(source, samples(6), 0.0) == 0
    acknowledge(outlet, 4)
    assert outlet.unspill(source, samples(6), 1.0) == 4
    assert source.written == 8


@pytest.mark.parametrize("congestion", [Congestion.DROP, Congestion.ERROR], ids=["drop", "error"])
def test_nobody_overtakes_those_who_wait(outlet, congestion):
    outlet.publish(publisher(Congestion.BLOCK), samples(6), 0.0, None)
    acknowledge(outlet, 4)
    other = publisher(congestion)
    if congestion is Congestion.ERROR:
        with pytest.raises(WindowFullError):
            outlet.publish(other, samples(1), 1.0, None)
    else:
        assert outlet.publish(other, samples(1), 1.0, None).dropped == 1


def test_unreliable_samples_never_wait(outlet):
    outlet.publish(publisher(Congestion.BLOCK), samples(6), 0.0, None)
    source = publisher(Congestion.BLOCK, reliable=False)
    assert outlet.publish(source, samples(100), 0.0, None).pending == 0
    assert source.written == 100


def test_a_sample_that_is_too_large_takes_the_whole_write_back(outlet):
    with pytest.raises(SampleTooLargeError, match="mtu"):
        outlet.publish(publisher(Congestion.BLOCK), [b"small", b"x" * 5000], 0.0, None)
    assert outlet.conduit.window.unacknowledged == 0


def test_what_is_no_publishers_waits_without_a_deadline(outlet):
    write = outlet.write(FORM, samples(6), 0.0)
    outlet.resume(1e9)
    assert write.pending == 2
    acknowledge(outlet, 4)
    outlet.resume(1e9)
    assert write.pending == 0


def test_when_the_conduit_ends_nothing_waits(outlet):
    write = outlet.publish(publisher(Congestion.BLOCK), samples(6), 0.0, None)
    outlet.abandon()
    assert (write.expired, write.pending) == (2, 0)


def test_only_so_many_writes_wait(outlet, monkeypatch):
    monkeypatch.setattr(outlets, "MOST_BLOCKED", 2)
    for _ in range(3):
        outlet.publish(publisher(Congestion.BLOCK), samples(4), 0.0, None)
    with pytest.raises(WindowFullError):
        outlet.publish(publisher(Congestion.BLOCK), samples(1), 0.0, None)
    assert outlet.write(FORM, samples(1), 0.0).pending == 1
