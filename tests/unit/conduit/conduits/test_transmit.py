from dataclasses import replace
from math import inf

import pytest

from forebay.conduit.core.conduits.forms import DataForm
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.conduits.transmit import TransmitConduit
from forebay.conduit.core.errors import SampleTooLargeError
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.messages import Data, Synch

SETTINGS = ConduitSettings(window_octets=400, window_samples=20, latency_budget=0.0, mtu=100)
RELIABLE = DataForm(1, reliable=True)
UNRELIABLE = DataForm(1, reliable=False)


class Sender:
    """A conduit, its receivers' acknowledgements, and all that it sends."""

    def __init__(self, members=(1,), first=0, number=0, settings=SETTINGS, **options):
        self.conduit = TransmitConduit(number, settings, first, **options)
        self.now = 0.0
        for member in members:
            self.conduit.join(member, self.now)
        self.conduit.take()

    def write(self, count, size=4):
        return self.conduit.write(RELIABLE, [b"x" * size] * count, self.now)

    def take(self):
        return [(peer, *messages(datagram)) for peer, datagram in self.conduit.take()]

    def housekeep(self, after=0.0):
        self.now += after
        return [(peer, *messages(datagram)) for peer, datagram in self.conduit.housekeep(self.now)]

    def hear(self, peer, number, mask=None, after=0.0):
        self.now += after
        answer = self.conduit.acknowledge(peer, number, mask, self.now)
        return [(peer, *messages(datagram)) for peer, datagram in answer]


def messages(datagram):
    found, malformed = decode(datagram, 14)
    assert malformed is None
    return found


def numbers(sent):
    return [[message.number for message in each[1:]] for each in sent]


def synchs(sent):
    return [(each[0], each[1].number, each[1].unacked) for each in sent if isinstance(each[1], Synch)]


def test_samples_are_numbered_and_sent():
    sender = Sender(first=5)
    assert sender.write(3) == 3
    (sent,) = sender.take()
    assert sent[0] is None
    assert [(type(each), each.reliable, each.number) for each in sent[1:]] == [(Data, True, n) for n in (5, 6, 7)]


def test_without_members_nothing_is_sent_and_nothing_waits():
    sender = Sender(members=())
    assert sender.write(3) == 3
    assert sender.take() == []
    assert sender.conduit.idle


def test_who_joins_is_told_where_the_samples_begin():
    sender = Sender()
    sender.write(3)
    sender.take()
    sender.conduit.join(7, 0.0)
    assert sender.take() == [(7, Synch(0, True, True, 3, 0))]


def test_what_was_written_before_somebody_joined_does_not_wait_for_it():
    sender = Sender()
    sender.write(3)
    sender.conduit.join(7, 0.0)
    sender.hear(1, 3)
    assert sender.conduit.window.unacknowledged == 0


def test_the_slowest_member_holds_the_window():
    sender = Sender(members=(1, 2))
    sender.write(3)
    sender.hear(1, 3)
    assert sender.conduit.window.unacknowledged == 3
    sender.hear(2, 2)
    assert sender.conduit.window.unacknowledged == 1


def test_a_member_that_leaves_holds_nothing():
    sender = Sender(members=(1, 2))
    sender.write(3)
    sender.hear(1, 3)
    sender.conduit.leave(2)
    assert sender.conduit.idle is False
    sender.take()
    assert sender.conduit.idle
    assert sender.conduit.due == inf


def test_a_window_of_samples_is_full():
    sender = Sender()
    assert sender.write(25) == 20
    assert sender.conduit.window.draining


def test_a_window_of_octets_is_full():
    sender = Sender()
    assert sender.write(10, size=60) == 6


def test_a_full_window_asks_for_acknowledgement_at_once():
    sender = Sender()
    sender.write(25)
    assert sender.take()[-1][-1] == Synch(0, True, True, 20, 20)


def test_a_full_window_takes_nothing_until_it_has_drained():
    sender = Sender()
    sender.write(25)
    sender.hear(1, 19)
    assert sender.write(1) == 0
    sender.hear(1, 20)
    assert sender.write(5) == 5


def test_a_full_window_asks_once():
    sender = Sender()
    sender.write(25)
    sender.take()
    sender.write(5)
    assert sender.take() == []


def test_a_request_brings_the_samples_again_the_last_of_which_asks():
    sender = Sender()
    sender.write(10)
    sender.take()
    (sent,) = sender.hear(1, 2, 0b101, after=1.0)
    assert [(each.number, each.s) for each in sent[1:]] == [(2, False), (3, False), (5, True)]


def test_repeats_go_to_all_where_one_datagram_reaches_all():
    sender = Sender(members=(1, 2))
    sender.write(3)
    assert sender.hear(1, 0, 0)[0][0] is None


def test_repeats_go_to_who_asks_where_each_peer_gets_its_own():
    sender = Sender(members=(1, 2), shared=False)
    sender.write(3)
    assert sender.hear(1, 0, 0)[0][0] == 1
    assert sender.hear(2, 0, 0)[0][0] == 2


def test_a_repeat_is_held_back_within_a_round_trip_of_the_last():
    sender = Sender(members=(1, 2))
    sender.write(3)
    assert numbers(sender.hear(1, 0, 0b1)) == [[0, 1]]
    assert numbers(sender.hear(2, 0, 0b11)) == [[2]]
    assert numbers(sender.hear(2, 0, 0b11, after=SETTINGS.round_trip)) == [[0, 1, 2]]


def test_many_repeats_are_packed():
    sender = Sender()
    sender.write(20)
    assert numbers(sender.hear(1, 0, (1 << 32) - 1))[:2] == [list(range(12)), list(range(12, 20))]


def test_a_request_for_what_does_not_exist_is_answered():
    sender = Sender()
    sender.write(2)
    sent = sender.hear(1, 1, 0b111)
    assert numbers(sent) == [[1], [2]]
    assert synchs(sent) == [(1, 2, 1)]


def test_a_request_ahead_of_the_writer_is_answered():
    sender = Sender()
    sender.write(2)
    assert synchs(sender.hear(1, 17, 0)) == [(1, 2, 2)]
    assert sender.conduit.window.unacknowledged == 2


def test_an_acknowledgement_from_behind_the_window_is_answered():
    sender = Sender(first=10)
    sender.write(2)
    assert synchs(sender.hear(1, 3)) == [(1, 12, 2)]


def test_such_answers_come_once_a_round_trip():
    sender = Sender()
    sender.write(2)
    assert synchs(sender.hear(1, 17)) != []
    assert sender.hear(1, 17) == []
    assert synchs(sender.hear(1, 17, after=SETTINGS.round_trip)) != []


def test_an_older_acknowledgement_within_the_window_changes_nothing():
    sender = Sender(members=(1, 2))
    sender.write(5)
    sender.hear(1, 4)
    assert sender.hear(1, 2, 0b1) == []
    assert sender.conduit.members.acked(1) == 4


def test_a_peer_that_is_no_member_is_not_answered():
    assert Sender().hear(9, 0, 0) == []


def test_samples_that_wait_in_the_open_datagram_have_not_been_sent():
    """Neither do they exist for a request, nor does a SYNCH count them."""
    sender = Sender(settings=replace(SETTINGS, latency_budget=inf))
    sender.write(2)
    assert sender.conduit.due == inf
    assert synchs(sender.hear(1, 0, 0b1)) == [(1, 0, 0)]


def test_a_synch_goes_out_when_nobody_answers():
    sender = Sender()
    sender.write(3)
    sender.take()
    assert sender.housekeep(0.008) == []
    assert synchs(sender.housekeep(0.002)) == [(1, 3, 3)]


def test_synchs_become_rare_when_the_subscriber_is_dead():
    sender = Sender()
    sender.write(3)
    sender.take()
    sent = 0
    for _ in range(500):
        sent += len(sender.housekeep(0.01))
    assert sent <= 12
    assert sender.conduit.due - sender.now <= 1.0


def test_progress_brings_synchs_back_to_their_pace():
    sender = Sender()
    sender.write(3)
    sender.take()
    for _ in range(300):
        sender.housekeep(0.01)
    sender.hear(1, 1)
    assert sender.conduit.due == pytest.approx(sender.now + SETTINGS.synch_interval)


def test_a_synch_goes_to_the_only_one_that_lags():
    sender = Sender(members=(1, 2))
    sender.write(3)
    sender.hear(2, 3)
    sender.hear(1, 1)
    sender.take()
    assert synchs(sender.housekeep(0.01)) == [(1, 3, 2)]


def test_a_synch_goes_to_all_when_several_lag():
    sender = Sender(members=(1, 2))
    sender.write(3)
    sender.hear(2, 2)
    sender.take()
    assert synchs(sender.housekeep(0.01)) == [(None, 3, 3)]


def test_no_synch_once_all_is_acknowledged():
    sender = Sender()
    sender.write(3)
    sender.take()
    sender.hear(1, 3)
    assert sender.housekeep(10.0) == []


def test_an_acknowledgement_that_crossed_a_sample_does_not_silence_its_synch():
    sender = Sender()
    sender.write(3)
    # As when the acknowledgement of what was before stops it just now, on another thread.
    sender.conduit._timer.stop()
    sender.housekeep()
    assert synchs(sender.housekeep(0.02)) == [(1, 3, 3)]


def test_a_datagram_waits_for_its_latency_budget():
    sender = Sender(settings=replace(SETTINGS, latency_budget=0.005))
    sender.write(2)
    sender.now += 0.003
    sender.write(1)
    assert sender.take() == []
    assert sender.conduit.due == 0.005
    assert numbers(sender.housekeep(0.002)) == [[0, 1, 2]]


def test_a_flush_does_not_wait():
    sender = Sender(settings=replace(SETTINGS, latency_budget=inf))
    sender.write(2)
    sender.conduit.flush(sender.now)
    assert numbers(sender.take()) == [[0, 1]]


def test_a_conduit_to_one_peer_names_it():
    sender = Sender(members=(4,), number=2, peer=4)
    sender.write(1)
    sender.hear(4, 0, 0)
    assert [(peer, message.conduit) for peer, message in sender.take()] == [(4, 2)]
    assert synchs(sender.housekeep(0.02)) == [(4, 1, 1)]


def test_unreliable_samples_have_numbers_of_their_own_and_wait_for_nobody():
    sender = Sender()
    sender.write(2)
    sender.conduit.send(UNRELIABLE, [b"a", b"b"], sender.now)
    sent = sender.take()[-1]
    assert [(each.reliable, each.number) for each in sent[1:]] == [(False, 0), (False, 1)]
    assert sender.conduit.window.unacknowledged == 2


def test_numbers_wrap():
    sender = Sender(first=(1 << 14) - 2)
    sender.write(4)
    assert numbers(sender.take()) == [[16382, 16383, 0, 1]]
    assert numbers(sender.hear(1, 16383, 0b1)) == [[16383, 0]]
    sender.hear(1, 1)
    assert sender.conduit.window.unacknowledged == 1


@pytest.mark.parametrize(
    ("settings", "size", "limit", "name"),
    [
        pytest.param(SETTINGS, 96, 100, "mtu", id="a datagram"),
        pytest.param(replace(SETTINGS, window_octets=50), 48, 50, "window_octets", id="the window"),
    ],
)
def test_a_sample_beyond_a_limit_is_an_error_that_names_it(settings, size, limit, name):
    conduit = TransmitConduit(0, settings, 0)
    conduit.cutter.is_large(RELIABLE, [b"x" * (limit - 5)])
    with pytest.raises(SampleTooLargeError, match=rf"{name} of {limit} octets") as caught:
        conduit.cutter.is_large(RELIABLE, [b"", b"x" * size])
    assert (caught.value.limit, caught.value.size) == (limit, size + 5)


def test_the_marker_of_its_conduit_takes_room():
    conduit = TransmitConduit(7, SETTINGS, 0)
    with pytest.raises(SampleTooLargeError, match="mtu of 98 octets"):
        conduit.cutter.is_large(RELIABLE, [b"x" * 94])
