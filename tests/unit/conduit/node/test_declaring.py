import pytest

from forebay.conduit.core.conduits.publisher import PublisherSettings
from forebay.conduit.core.declaring import PlainDeclarations
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.subscribers import Subscription
from forebay.conduit.core.wire.declarations import (
    ForgetPublisher,
    ForgetResource,
    ForgetSubscriber,
    PublisherDeclaration,
    ResourceDeclaration,
    SubscriberDeclaration,
)
from forebay.conduit.core.wire.messages import Data, Declare, WriteData

NOW = 0.0


class Told:
    """What peers are told."""

    def __init__(self):
        self.told = []

    def declare(self, peer, declarations, now):
        self.told += [(peer.index, declaration) for declaration in declarations]


@pytest.fixture
def announcer():
    return Told()


@pytest.fixture
def known(announcer):
    return PlainDeclarations(announcer)


def subscription(number, rid):
    return Subscription(number, rid, lambda _: None)


def peer(index):
    return Peer(index, f"address{index}", 1)


def declared(known, source, *declarations):
    assert known.receive(source, Declare(2, False, True, 0, declarations), NOW)


def test_a_peer_is_told_what_there_is(known, announcer):
    known.publish(PublisherSettings(1), NOW)
    known.subscribe(subscription(0, 2), NOW)
    assert announcer.told == []
    known.welcome(peer(0), NOW)
    assert announcer.told == [(0, PublisherDeclaration(1)), (0, SubscriberDeclaration(2))]


def test_peers_are_told_what_comes_and_goes(known, announcer):
    known.welcome(peer(0), NOW)
    known.welcome(peer(1), NOW)
    one, other = subscription(0, 2), subscription(1, 2)
    known.subscribe(one, NOW)
    known.subscribe(other, NOW)
    known.unsubscribe(one, NOW)
    assert announcer.told == [(0, SubscriberDeclaration(2)), (1, SubscriberDeclaration(2))]
    known.unsubscribe(other, NOW)
    assert announcer.told[2:] == [(0, ForgetSubscriber(2)), (1, ForgetSubscriber(2))]


def test_the_last_publisher_of_a_resource_is_told_of(known, announcer):
    known.welcome(peer(0), NOW)
    for step in (known.publish, known.publish, known.unpublish, known.unpublish):
        step(PublisherSettings(1), NOW)
    assert announcer.told == [(0, PublisherDeclaration(1)), (0, ForgetPublisher(1))]


def test_samples_are_wanted_while_a_peer_subscribes(known):
    there = peer(4)
    known.welcome(there, NOW)
    assert not known.wanted(PublisherSettings(1))
    declared(known, there, SubscriberDeclaration(1))
    assert known.wanted(PublisherSettings(1))
    assert known.wanted(PublisherSettings(1, conduit=-5))
    assert not known.wanted(PublisherSettings(1, conduit=-1))
    declared(known, there, ForgetSubscriber(1))
    assert not known.wanted(PublisherSettings(1))


def test_with_a_peer_its_subscriptions_go(known):
    there = peer(4)
    known.welcome(there, NOW)
    declared(known, there, SubscriberDeclaration(1))
    known.dismiss(there)
    assert not known.wanted(PublisherSettings(1))


def test_resources_are_known_until_they_are_forgotten(known):
    declared(known, peer(0), ResourceDeclaration(1, "/a"), PublisherDeclaration(1))
    assert known.resources == {1: "/a"}
    declared(known, peer(0), ForgetResource(1), ForgetResource(9), ForgetSubscriber(9))
    assert known.resources == {}


def test_samples_are_for_the_subscribers_of_their_resource(known):
    one = subscription(0, 2)
    known.subscribe(one, NOW)
    assert known.recipients(Data(0, True, False, 0, 2, None, b"")) == (one,)
    assert known.recipients(Data(0, True, False, 0, 3, None, b"")) == ()
    assert known.recipients(WriteData(0, True, False, 0, "/a", b"")) == ()
