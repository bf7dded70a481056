from math import inf

import pytest

from forebay.conduit.core.conduits.reception import Reception
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.subscribers import Recipients, Subscription
from forebay.conduit.core.wire.messages import AckNack, Data, Declare, Synch, WriteData

RID, UNICAST = 3, 2


class House:
    """Conduits in, whose samples all go to one subscriber; it stands for the declarations too."""

    def __init__(self, max_peers=4):
        self.payloads = []
        self.declared = []
        self.willing = True
        settings = NodeSettings(SessionSettings(b"me", max_peers=max_peers), conduits_in=4)
        self.reception = Reception(settings, self, lambda _: True)

    def take(self, delivery):
        self.payloads += [(delivery.rid, delivery.uri, payload) for payload in delivery.payloads]

    def recipients(self, peer, sample):
        return Recipients([Subscription(0, RID, self.take)], getattr(sample, "rid", 0), getattr(sample, "uri", ""))

    def receive(self, peer, message, now):
        if self.willing:
            self.declared.append(message)
        return self.willing

    def samples(self, peer, *numbers, conduit=0, **options):
        before = len(self.payloads)
        messages = [data(number, conduit, **options) for number in numbers]
        self.reception.numbered(peer, messages, 0.0)
        return [int(payload) for _, _, payload in self.payloads[before:]]

    def synch(self, peer, number, unacked=0, conduit=0, now=0.0):
        return self.reception.synch(peer, Synch(conduit, True, True, number, unacked), now)


def data(number, conduit=0, rid=RID, s=False, reliable=True):
    return Data(conduit, reliable, s, number, rid, None, b"%d" % number)


def peer(peer_id=b"you", index=0):
    made = Peer(index, "address", 1)
    made.peer_id = peer_id
    return made


@pytest.fixture
def house():
    return House()


@pytest.mark.parametrize("dismissed", [True, False], ids=["after its end", "before its end"])
def test_in_the_next_session_of_a_peer_nothing_comes_twice(house, dismissed):
    first, second = peer(), peer(index=1)
    house.synch(first, 0)
    assert house.samples(first, 0, 1, 2) == [0, 1, 2]
    if dismissed:
        house.reception.dismiss(first)
    house.synch(second, 3, unacked=3)
    assert house.samples(second, 0, 1, 2, 3) == [3]


def test_the_conduit_to_the_node_alone_begins_anew_with_a_session(house):
    first, second = peer(), peer(index=1)
    house.synch(first, 0, conduit=UNICAST)
    house.samples(first, 0, 1, 2, conduit=UNICAST)
    house.reception.dismiss(first)
    house.synch(second, 3, unacked=3, conduit=UNICAST)
    assert house.samples(second, 0, 1, 2, conduit=UNICAST) == [0, 1, 2]


def test_only_so_many_earlier_peers_are_remembered():
    house = House(max_peers=2)
    for number in range(3):
        one = peer(b"%d" % number)
        house.synch(one, 0)
        house.samples(one, 0)
        house.reception.dismiss(one)
    again = [peer(b"%d" % number, index=1) for number in range(3)]
    for one in again:
        house.synch(one, 1, unacked=1)
    assert [house.samples(one, 0) for one in again] == [[0], [], []]


def test_conduits_count_apart(house):
    one, other = peer(), peer(b"other", 1)
    house.synch(one, 5)
    house.synch(one, 7, conduit=1)
    house.synch(other, 9)
    assert [house.samples(one, 5), house.samples(one, 7, conduit=1), house.samples(other, 9)] == [[5], [7], [9]]


def test_who_asks_is_answered(house):
    one = peer()
    house.synch(one, 0)
    assert house.reception.numbered(one, [data(0, s=True), data(1)], 1.0) == [AckNack(0, 2, None)]
    assert house.reception.numbered(one, [data(2)], 1.0) == []


def test_a_request_that_was_held_back_goes_out_later(house):
    one = peer()
    house.synch(one, 0)
    assert house.reception.due() == inf
    assert house.reception.numbered(one, [data(1)], 1.0) == [AckNack(0, 0, 0)]
    assert house.reception.numbered(one, [data(3)], 1.0) == []
    assert house.reception.due() == 1.001
    assert house.reception.housekeep(1.0005) == []
    assert house.reception.housekeep(1.001) == [(one, AckNack(0, 0, 2))]
    assert house.reception.due() == inf


def test_with_the_session_ends_what_was_held_back(house):
    one = peer()
    house.synch(one, 0)
    house.reception.numbered(one, [data(1)], 1.0)
    house.reception.numbered(one, [data(3)], 1.0)
    house.reception.dismiss(one)
    assert house.reception.housekeep(2.0) == []


def test_a_synch_that_does_not_agree_puts_the_session_in_doubt(house):
    one = peer()
    assert house.synch(one, 10) == ([AckNack(0, 10, None)], False)
    assert house.synch(one, 12, unacked=2) == ([AckNack(0, 10, 1)], False)
    assert house.synch(one, 5, now=1.0)[1]


def test_unreliable_synchs_say_nothing(house):
    assert house.reception.synch(peer(), Synch(0, False, True, 5), 0.0) == ([], False)


def test_messages_that_are_no_samples_come_in_their_order(house):
    one = peer()
    house.synch(one, 0)
    declare = Declare(0, False, True, 1, ())
    messages = [data(0), declare, WriteData(0, True, False, 2, "/a", b"2"), data(3, rid=9)]
    house.reception.numbered(one, messages, 0.0)
    assert house.payloads == [(RID, "", b"0"), (0, "/a", b"2"), (9, "", b"3")]
    assert house.declared == [declare]


def test_a_message_that_is_not_taken_comes_again(house):
    one = peer()
    house.synch(one, 0)
    house.willing = False
    messages = [data(0), Declare(0, False, True, 1, ()), data(2)]
    house.reception.numbered(one, messages, 0.0)
    assert [payload for _, _, payload in house.payloads] == [b"0"]
    house.willing = True
    house.reception.numbered(one, messages, 0.0)
    assert [payload for _, _, payload in house.payloads] == [b"0", b"2"]
    assert len(house.declared) == 1


def test_an_unreliable_message_that_is_not_taken_does_not_come_again(house):
    house.willing = False
    messages = [data(0, reliable=False), Declare(0, False, True, 1, ()), data(2, reliable=False)]
    assert house.reception.numbered(peer(), messages, 0.0) == []
    assert [payload for _, _, payload in house.payloads] == [b"0", b"2"]
    assert house.reception.refused == 1


def test_a_conduit_in_use_takes_no_second_datagram(house):
    one = peer()
    house.synch(one, 0)
    again = []
    house.take = lambda delivery: again.append(house.reception.numbered(one, [data(1, s=True)], 0.0))
    house.reception.numbered(one, [data(0)], 0.0)
    assert again == [[]]
