from math import inf

import pytest

from forebay.conduit.core.conduits.reception import Reception
from forebay.conduit.core.session.identity import LIFE_BITS
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.subscribers import Recipients, Subscription
from forebay.conduit.core.wire.messages import AckNack, CloseReason, Data, Declare, Synch, WriteData
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Migrate, Pull

RID, UNICAST = 3, 2


class House:
    """Conduits in, whose samples all go to one subscriber; it stands for the declarations too."""

    def __init__(self, max_peers=4):
        self.payloads = []
        self.declared = []
        self.willing = True
        self.agreed = True
        self.most = None
        settings = NodeSettings(SessionSettings(b"me", max_peers=max_peers), conduits_in=4)
        self.reception = Reception(settings, self, lambda _: True)

    def take(self, delivery):
        taken = delivery.payloads[: self.most]
        self.payloads += [(delivery.rid, delivery.uri, payload) for payload in taken]
        return len(taken)

    def recipients(self, peer, sample):
        return Recipients([Subscription(0, RID, self.take)], getattr(sample, "rid", 0), getattr(sample, "uri", ""))

    def agrees(self, peer, message):
        return self.agreed

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


@pytest.mark.parametrize("dismissed", [True, False], ids=["after its end", "before its end"])
def test_a_peer_of_the_same_id_that_has_restarted_begins_anew(house, dismissed):
    first, second = peer(), peer(index=1)
    first.remote_session, second.remote_session = 7 << LIFE_BITS, 8 << LIFE_BITS
    house.synch(first, 1000)
    assert house.samples(first, 1000, 1001) == [1000, 1001]
    if dismissed:
        house.reception.dismiss(first)
    house.synch(second, 999)
    assert house.samples(second, 999, 1000) == [999, 1000]


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


def batch(number, *payloads, prids=None, reliable=True):
    return BatchData(0, reliable, False, number, RID, prids, payloads)


OWN = [batch(0, b"1"), ConduitClose(0, False, 0), Migrate(0, 0, 1, None, 0, 0), Pull(0, False, False, 0, RID)]


@pytest.mark.parametrize("message", OWN, ids=lambda message: type(message).__name__)
def test_without_an_agreement_the_session_ends(house, message):
    there = peer()
    there.establish()
    house.agreed = False
    house.synch(there, 0)
    house.reception.numbered(there, [message], 0.0)
    assert there.close_reason is CloseReason.PROTOCOL
    assert type(message).__name__ in there.reason
    assert house.payloads == house.declared == []


@pytest.mark.parametrize("reliable", [True, False], ids=["reliable", "unreliable"])
def test_the_samples_of_a_batch_come_in_order(house, reliable):
    there = peer()
    house.synch(there, 0)
    house.reception.numbered(there, [batch(0, b"1", b"2", prids=(4, 5), reliable=reliable)], 0.0)
    house.reception.numbered(there, [batch(1, b"3", b"4", reliable=reliable), data(2, reliable=reliable)], 0.0)
    assert [payload for _, _, payload in house.payloads] == [b"1", b"2", b"3", b"4", b"2"]


def test_what_is_refused_of_a_batch_comes_again_and_nothing_else(house):
    there, message = peer(), batch(0, b"1", b"2", b"3")
    house.synch(there, 0)
    house.most = 2
    house.reception.numbered(there, [message], 0.0)
    assert house.synch(there, 1, unacked=1) == ([AckNack(0, 0, 0)], False)
    house.most = None
    assert house.reception.numbered(there, [message._replace(s=True)], 1.0) == [AckNack(0, 1)]
    assert [payload for _, _, payload in house.payloads] == [b"1", b"2", b"3"]


def test_what_is_refused_of_an_unreliable_batch_does_not_come_again(house):
    there = peer()
    house.most = 0
    house.reception.numbered(there, [batch(0, b"1", b"2", reliable=False)], 0.0)
    assert (house.payloads, house.reception.refused) == ([], 2)


def test_a_conduit_that_was_closed_begins_anew_and_nothing_comes_twice(house):
    there = peer()
    house.synch(there, 0)
    assert house.samples(there, 0, 1) == [0, 1]
    assert house.reception.numbered(there, [ConduitClose(0, False, 2)], 0.0) == [AckNack(0, 3)]
    assert house.samples(there, 3) == []
    assert house.synch(there, 4, unacked=4)[0][0].number == 3
    assert house.samples(there, 2, 3) == [3]


def test_a_close_whose_acknowledgement_is_lost_is_acknowledged_again(house):
    there = peer()
    house.synch(there, 0)
    house.reception.numbered(there, [ConduitClose(0, False, 0)], 0.0)
    assert house.synch(there, 1, unacked=1) == ([AckNack(0, 1)], False)


def test_what_moves_comes_after_all_that_went_before(house):
    there = peer()
    for conduit in (0, 1):
        house.synch(there, 0, conduit=conduit)
    house.samples(there, 0)
    moved = [Migrate(1, 0, 0, RID, 2, 0), data(1, conduit=1)]
    for message in moved:
        house.reception.numbered(there, [message], 0.0)
    assert house.synch(there, 2, unacked=2, conduit=1)[0] == [AckNack(1, 0, 0)]
    assert house.samples(there, 1) == [1]
    house.reception.numbered(there, [moved[0]], 1.0)
    assert [int(payload) for _, _, payload in house.payloads] == [0, 1, 1]
    assert house.synch(there, 2, unacked=2, conduit=1)[0] == [AckNack(1, 2)]


def test_when_all_has_moved_the_old_conduit_is_closed(house):
    there = peer()
    for conduit in (0, 1):
        house.synch(there, 0, conduit=conduit)
    house.samples(there, 0)
    house.reception.numbered(there, [Migrate(1, 0, 0, None, 1, 0)], 0.0)
    assert house.samples(there, 1) == []
    house.synch(there, 2, unacked=2)
    assert house.samples(there, 0, 1) == [1]
