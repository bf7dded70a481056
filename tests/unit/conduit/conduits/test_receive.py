from math import inf
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.conduits.receive import Answer, ReceiveConduit

ROUND_TRIP = 0.001


class Sample(NamedTuple):
    number: int


def conduit(*, bits=14, most_held=64, synched_at=0):
    made = ReceiveConduit(Numbers(bits), most_held, ROUND_TRIP)
    if synched_at is not None:
        made.synch(synched_at, 0, 0.0)
    return made


def arrive(conduit, *numbers, taken=None):
    """Let samples arrive; returns the numbers of those that were delivered."""
    ready = [sample.number for sample in conduit.arrive([Sample(number) for number in numbers])]
    accepted = len(ready) if taken is None else min(taken, len(ready))
    conduit.accept(len(ready), accepted)
    return ready[:accepted]


def test_nothing_is_received_before_the_sender_told_where_it_begins():
    receiver = conduit(synched_at=None)
    assert arrive(receiver, 0, 1) == []
    assert receiver.answer(1.0, asked=True) is None


def test_the_first_synch_tells_where_the_samples_begin():
    receiver = conduit(synched_at=None)
    receiver.synch(10, 4, 1.0)
    assert arrive(receiver, 4, 5) == []
    assert arrive(receiver, 6, 7) == [6, 7]


def test_samples_come_in_order():
    receiver = conduit()
    assert arrive(receiver, 0, 1, 2) == [0, 1, 2]
    assert arrive(receiver, 3) == [3]


def test_no_sample_comes_twice():
    receiver = conduit()
    assert arrive(receiver, 0, 0, 1) == [0, 1]
    assert arrive(receiver, 0, 1, 2) == [2]


def test_what_comes_too_early_waits_for_what_is_missing():
    receiver = conduit()
    assert arrive(receiver, 1, 2, 4) == []
    assert arrive(receiver, 0) == [0, 1, 2]
    assert arrive(receiver, 3) == [3, 4]


def test_a_datagram_may_fill_a_gap_and_open_another():
    receiver = conduit()
    arrive(receiver, 1)
    assert arrive(receiver, 0, 2, 4) == [0, 1, 2]
    assert receiver.answer(1.0) == Answer(3, 0)


def test_without_room_to_keep_them_early_samples_are_asked_for_again():
    receiver = conduit(most_held=0)
    arrive(receiver, 1, 2)
    assert receiver.answer(1.0) == Answer(0, 0b11)
    assert arrive(receiver, 0) == [0]
    assert receiver.answer(2.0) == Answer(1, 0b1)


def test_only_so_many_early_samples_are_kept():
    receiver = conduit(most_held=3)
    arrive(receiver, *range(1, 10))
    assert arrive(receiver, 0) == [0, 1, 2, 3]


def test_a_sample_of_half_a_turn_ago_is_no_early_one():
    receiver = conduit(bits=7, synched_at=0)
    arrive(receiver, 63)
    assert receiver.answer(1.0) is None
    arrive(receiver, 62)
    assert receiver.answer(1.0) is not None


def test_nothing_is_answered_unless_something_is_asked_or_missing():
    receiver = conduit()
    arrive(receiver, 0)
    assert receiver.answer(1.0) is None
    assert receiver.answer(1.0, asked=True) == Answer(1, None)


def test_the_mask_asks_for_what_is_missing_and_for_nothing_else():
    receiver = conduit()
    arrive(receiver, 0, 2, 3, 6)
    # 1 itself, and of 2 to 5 the last two.
    assert receiver.answer(1.0) == Answer(1, 0b1100)


def test_the_mask_has_at_most_32_bits():
    receiver = conduit()
    arrive(receiver, 1000)
    assert receiver.answer(1.0) == Answer(0, (1 << 32) - 1)


def test_a_synch_shows_what_is_missing_at_the_end():
    receiver = conduit()
    arrive(receiver, 0)
    receiver.synch(3, 3, 1.0)
    assert receiver.answer(1.0, asked=True, synch=True) == Answer(1, 0b1)


def test_a_request_is_held_back_within_a_round_trip_of_the_last():
    receiver = conduit()
    arrive(receiver, 1)
    assert receiver.answer(1.0) == Answer(0, 0)
    arrive(receiver, 3)
    assert receiver.answer(1.0005) is None
    assert receiver.nack_due == 1.001
    assert receiver.answer(1.001) == Answer(0, 0b10)
    assert receiver.nack_due == inf


def test_whoever_asks_meanwhile_is_told_how_far_it_came_and_no_more():
    receiver = conduit()
    arrive(receiver, 1)
    receiver.answer(1.0)
    assert receiver.answer(1.0005, asked=True) == Answer(0, None)


def test_a_request_for_another_sample_is_not_held_back():
    receiver = conduit()
    arrive(receiver, 1)
    receiver.answer(1.0)
    arrive(receiver, 0, 3)
    assert receiver.answer(1.0001) == Answer(2, 0)


def test_a_refused_sample_is_not_acknowledged_and_comes_again():
    receiver = conduit()
    assert arrive(receiver, 0, 1, 2, taken=1) == [0]
    assert receiver.expected == 1
    assert arrive(receiver, 1, 2) == [1, 2]


def test_a_refused_sample_is_asked_for_by_the_next_synch_only():
    """Else sender and receiver would pass it back and forth as fast as the network can."""
    receiver = conduit()
    arrive(receiver, 0, 1, taken=1)
    assert receiver.answer(1.0) is None
    assert receiver.answer(1.0, asked=True) == Answer(1, None)
    receiver.synch(2, 1, 2.0)
    assert receiver.answer(2.0, asked=True, synch=True) == Answer(1, 0)


def test_an_old_synch_changes_nothing():
    receiver = conduit()
    arrive(receiver, 0, 1, 2)
    receiver.synch(1, 1, 1.0)
    assert receiver.expected == 3
    assert receiver.answer(1.0, asked=True, synch=True) == Answer(3, None)


def astray(receiver, number, unacknowledged, times=(1.0, 1.1, 1.3, 1.4, 1.6)):
    for now in times:
        receiver.synch(number, unacknowledged, now)


def test_what_the_sender_no_longer_has_counts_as_lost():
    receiver = conduit()
    arrive(receiver, 0)
    astray(receiver, 20, 5)
    assert receiver.lost == 14
    assert arrive(receiver, 15) == [15]


def test_a_receiver_ahead_of_its_sender_begins_again():
    """A SYNCH of an earlier session had told it a number that the sender has yet to reach."""
    receiver = conduit(synched_at=500)
    astray(receiver, 10, 3)
    assert (receiver.resynchronised, receiver.lost) == (1, 0)
    assert arrive(receiver, 7, 8) == [7, 8]


@pytest.mark.parametrize("number", [10, 900], ids=["behind", "ahead"])
@pytest.mark.parametrize(
    "times", [pytest.param([1.0, 2.0, 3.0], id="too few"), pytest.param([1.0, 1.01, 1.02, 1.03, 1.04], id="too soon")]
)
def test_a_few_synchs_that_are_late_or_of_another_session_do_not_move_it(times, number):
    receiver = conduit(synched_at=500)
    astray(receiver, number, 3, times)
    assert receiver.expected == 500


def test_a_synch_that_agrees_shows_that_the_others_were_late():
    receiver = conduit(synched_at=500)
    astray(receiver, 10, 3, [1.0, 1.1, 1.2, 1.3])
    receiver.synch(501, 1, 1.5)
    astray(receiver, 10, 3, [1.6])
    assert receiver.expected == 500


def test_a_receiver_that_was_astray_gets_nothing_twice():
    receiver = conduit()
    arrive(receiver, 0, 1, 2)
    astray(receiver, 700, 0)
    astray(receiver, 3000, 2, [2.0, 2.1, 2.3, 2.4, 2.6])
    astray(receiver, 5, 5, [3.0, 3.1, 3.3, 3.4, 3.6])
    assert arrive(receiver, 0, 1, 2, 3, 4) == [3, 4]


def test_a_successor_follows_a_sender_that_does_not_count_on():
    """It is behind what was received of the sender before, by less than a wrap would be."""
    before = conduit(synched_at=500)
    arrive(before, 500)
    receiver = before.successor()
    astray(receiver, 10, 3, [1.0, 1.1, 1.3, 1.4, 1.6, 1.8])
    assert receiver.resynchronised == 1
    assert arrive(receiver, 7, 8) == [7, 8]
    assert receiver.synch(9, 0, 2.0)


def test_a_synch_tells_whether_it_agrees():
    receiver = conduit(synched_at=500)
    assert [receiver.synch(number, 3, 1.0) for number in (499, 500, 503, 504)] == [False, True, True, False]


def test_numbers_wrap():
    receiver = conduit(bits=7, synched_at=126)
    assert arrive(receiver, 126, 0) == [126]
    assert receiver.answer(1.0) == Answer(127, 0)
    assert arrive(receiver, 127) == [127, 0]
    assert arrive(receiver, 1) == [1]


def test_unreliable_samples_come_at_most_once_and_never_backwards():
    receiver = conduit(bits=7)
    fresh = [receiver.fresh([Sample(number)]) != [] for number in (125, 127, 126, 127, 2, 1, 2, 3)]
    assert fresh == [True, True, False, False, True, False, False, True]


def test_in_a_new_session_with_the_same_sender_nothing_comes_twice():
    receiver = conduit()
    arrive(receiver, *range(10))
    successor = receiver.successor()
    assert arrive(successor, 10) == []
    successor.synch(12, 6, 1.0)
    assert arrive(successor, *range(6, 12)) == [10, 11]


def test_a_sender_that_counts_from_elsewhere_is_followed():
    successor = conduit(synched_at=500).successor()
    successor.synch(12, 6, 1.0)
    assert arrive(successor, 6) == [6]


@given(st.permutations(range(20)), st.integers(0, 20), st.integers(0, 127))
def test_in_whatever_order_they_come_they_are_delivered_once_and_in_order(order, most_held, first):
    receiver = conduit(bits=7, most_held=most_held, synched_at=first)
    delivered, round_ = [], 0
    pending = [(first + number) % 128 for number in order]
    while pending:
        for number in pending:
            delivered += arrive(receiver, number)
        receiver.synch((first + 20) % 128, 20, round_)
        round_ += 1
        answer = receiver.answer(round_, asked=True, synch=True)
        asked = [] if answer.mask is None else [0, *(bit + 1 for bit in range(32) if answer.mask >> bit & 1)]
        pending = [(answer.number + place) % 128 for place in asked]
    assert delivered == [(first + number) % 128 for number in range(20)]


@pytest.mark.parametrize("synched", [False, True], ids=["at first", "later"])
def test_a_synch_of_more_than_a_window_can_hold_says_nothing(synched):
    conduit = ReceiveConduit(Numbers(14), 10, 0.0)
    if synched:
        conduit.synch(5, 0, 0.0)
    assert conduit.synch(9000, 1 << 13, 0.0) is False
    assert (conduit.synched, conduit.expected) == (synched, 5 if synched else 0)
    assert conduit.answer(1.0, asked=True, synch=True) == (Answer(5, None) if synched else None)
