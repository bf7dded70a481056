"""Against the C program, which is played by datagrams captured from it: what the node sends is what that one sent."""

from random import Random

import pytest

from forebay.conduit.core.conduits.publisher import PublisherSettings
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.node import Node
from forebay.conduit.core.participant import Participant
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.declarations import ResultStatus
from simnet import GROUP, Recorder

PUBLISHER = "ded2e47b41154fe0c4a6bd5c441159db"
SUBSCRIBER = "2556d286b9d13a22369e99e67e750332"
LOCATOR = b"udp/239.255.0.1:7447".hex()
SCOUT = "0105"
HELLO = f"02040114{LOCATOR}"
OPEN = f"230110{PUBLISHER}320114{LOCATOR}010c020203"
ACCEPT = f"2410{PUBLISHER}10{SUBSCRIBER}32010c020203"


class Zero(Random):
    """Numbers begin at 0, as those of the C program."""

    def getrandbits(self, bits: int) -> int:
        return 0


class Wire:
    """A node and the other end of its wire."""

    def __init__(self, peer_id):
        session = SessionSettings(
            bytes.fromhex(peer_id), locators=("udp/239.255.0.1:7447",), extended=False, scout_count=1
        )
        conduit = ConduitSettings(latency_budget=0.0)
        self.now = 0.0
        self.recorder = Recorder()
        settings = NodeSettings(session, multicast=(conduit, conduit), unicast=conduit, group=GROUP)
        self.node = Node(settings, Zero(), self.recorder)
        self.sent = []
        self.rest()

    def rest(self):
        while self.node.wake_at <= self.now:
            self.node.housekeep(self.now)
        self.sent += self.node.outgoing()

    def hear(self, datagram):
        self.sent += self.node.receive(bytes.fromhex(datagram), "peer", self.now)
        self.rest()
        return self.take()

    def wait(self, seconds):
        self.now += seconds
        self.rest()
        return self.take()

    def take(self):
        sent, self.sent = self.sent, []
        return [(each.address, each.datagram.hex()) for each in sent]


@pytest.fixture
def publisher():
    """A publisher of resource 1 whose peer has sent all it says to have a session and a subscription."""
    wire = Wire(PUBLISHER)
    assert wire.take() == [(GROUP, SCOUT)]
    assert wire.hear(HELLO) == [("peer", OPEN)]
    wire.hear(ACCEPT)
    return wire


def subscribed(wire):
    wire.hear("b3460001030201")
    wire.hear("b3ee0101")
    wire.hear("b3660001030201")
    number = wire.node.publish(PublisherSettings(1), wire.now)
    # Both ends have acknowledged what was sent so far.
    for acknowledged in ("0f00", "930f00", "b30f01"):
        wire.hear(acknowledged)
    return number


def test_the_session_is_there(publisher):
    assert publisher.recorder.changes == ["connected"]


def test_who_has_a_session_is_told_where_samples_begin():
    wire = Wire(PUBLISHER)
    wire.hear(HELLO)
    wire.take()
    assert wire.hear(ACCEPT) == [("peer", "ee0000"), ("peer", "93ee0000"), ("peer", "b3ee0000")]


def test_a_declaration_before_its_synch_is_ignored_then_asked_for_then_acknowledged(publisher):
    assert publisher.hear("b3460001030201") == []
    assert publisher.hear("b3ee0101") == [("peer", "b32f0000")]
    assert publisher.hear("b3660001030201") == [("peer", "b30f01")]
    assert publisher.node.declarations.subscribers(1)


def test_a_sample_is_sent_again_when_its_synch_brings_a_request(publisher):
    number = subscribed(publisher)
    publisher.node.write(number, [bytes.fromhex("0135")], publisher.now)
    publisher.rest()
    assert publisher.take() == [(GROUP, "470002020135")]
    # To the only one that lags, where the C program tells all.
    assert publisher.wait(0.011) == [("peer", "ee0101")]
    assert publisher.hear("2f0000") == [(GROUP, "670002020135")]
    assert publisher.hear("0f01") == []
    assert publisher.node.transmission.outlet(0).conduit.window.unacknowledged == 0


def test_after_the_lease_the_session_is_closed(publisher):
    subscribed(publisher)
    assert ("peer", f"0510{PUBLISHER}00") in publisher.wait(5.001)
    assert publisher.recorder.changes == ["connected", "disconnected"]


@pytest.fixture
def subscriber():
    wire = Wire(SUBSCRIBER)
    wire.take()
    wire.node.subscribe(1, lambda delivery: wire.recorder.spilled[1].extend(delivery.payloads), wire.now)
    return wire


def test_a_subscriber_greets_accepts_and_declares(subscriber):
    assert subscriber.hear(SCOUT) == [("peer", HELLO)]
    sent = subscriber.hear(OPEN)
    assert sent[0] == ("peer", ACCEPT)
    assert ("peer", "b3460001030201") in sent


def test_a_subscriber_declares_again_when_asked(subscriber):
    subscriber.hear(SCOUT)
    subscriber.hear(OPEN)
    assert subscriber.wait(0.011) == [("peer", "b3ee0101")]
    assert subscriber.hear("b32f0000") == [("peer", "b3660001030201")]


def test_a_subscriber_gets_samples(subscriber):
    subscriber.hear(OPEN)
    assert subscriber.hear("670002020135") == []
    assert subscriber.hear("ee0101") == [("peer", "2f0000")]
    assert subscriber.hear("670002020135") == [("peer", "0f01")]
    assert subscriber.hear("670102020136") == [("peer", "0f02")]
    assert subscriber.recorder.spilled[1] == [b"\x015", b"\x016"]


def test_a_transaction_is_answered(publisher):
    publisher.hear("b3ee0000")
    sent = publisher.hear("b30600020102022f610607")
    assert ("peer", "b3460001070700") in sent
    assert publisher.node.declarations.directory.names.resources.uri(1) == "/a"


def test_a_definition_is_asked_for_and_then_confirmed(publisher):
    for acknowledged in ("0f00", "930f00", "b30f00"):
        publisher.hear(acknowledged)
    publisher.hear("b3ee0000")
    definition = Participant(publisher.node).declare_resource("/a", publisher.now, rid=1)
    publisher.rest()
    assert ("peer", "b30600020102022f610600") in publisher.take()
    assert definition.status is None
    sent = publisher.hear("b3460001070000")
    assert definition.status is ResultStatus.OK
    assert ("peer", "b34601010102022f61") in sent
