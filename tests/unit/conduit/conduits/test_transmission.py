from math import inf
from random import Random

import pytest

from forebay.conduit.core.conduits.forms import DataForm
from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.conduits.transmission import Transmission
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.settings import NodeSettings
from forebay.conduit.core.wire.messages import AckNack

CONDUIT = ConduitSettings(window_samples=2, latency_budget=1.0, synch_interval=5.0)
FORM = DataForm(9, reliable=True)
PEERS = 3


class Site:
    """What a node sends on, and its peers."""

    def __init__(self):
        settings = NodeSettings(SessionSettings(b"own"), multicast=(CONDUIT,), unicast=CONDUIT)
        self.transmission = Transmission(settings, Random(1))
        self.peers = [Peer(index, f"peer-{index}", 0) for index in range(PEERS)]
        for peer in self.peers:
            self.transmission.join(peer, 0.0)
        self.housekeep(0.0)

    def outlet(self, peer):
        return self.transmission.find(-peer - 1)

    def write(self, peer, count, now):
        return self.transmission.use(self.outlet(peer)).write(FORM, [b"sample"] * count, now)

    def acknowledge(self, peer, now):
        """All that has gone out to it."""
        sent = self.outlet(peer).conduit.sent & 0x3FFF
        return self.transmission.acknowledge(self.peers[peer], AckNack(1, sent, None), now)

    def housekeep(self, now):
        return [peer for peer, _ in self.transmission.housekeep(now)]


@pytest.fixture
def site():
    return Site()


def test_nothing_is_due_and_nothing_busy_while_nothing_is_written(site):
    assert site.transmission.due() == inf
    assert site.transmission.busy() == []


def test_only_what_is_due_goes_out(site):
    site.write(1, 1, 10.0)
    assert site.transmission.due() == 11.0
    site.write(2, 1, 10.5)
    assert site.transmission.due() == 11.0
    assert site.housekeep(11.0) == [1]
    assert site.transmission.due() == 11.5
    assert site.housekeep(11.5) == [2]


def test_what_is_acknowledged_is_looked_at_no_more(site):
    site.write(1, 1, 10.0)
    site.housekeep(11.0)
    assert site.transmission.due() == 16.0
    site.acknowledge(1, 12.0)
    assert site.transmission.due() == inf
    assert site.housekeep(12.0) == []
    assert site.transmission.busy() == []


def test_an_acknowledgement_lets_those_write_who_wait(site):
    write = site.write(1, 3, 10.0)
    assert write.pending == 1
    site.housekeep(10.0)
    assert site.transmission.due() > 10.0
    site.acknowledge(1, 10.5)
    assert site.transmission.due() == -inf
    site.housekeep(10.5)
    assert write.pending == 0
    assert site.transmission.due() == 11.5


def test_the_conduit_of_a_peer_that_has_gone_is_due_no_more(site):
    site.write(1, 1, 10.0)
    gone = site.outlet(1)
    site.transmission.leave(site.peers[1])
    site.transmission.use(gone)
    site.housekeep(10.0)
    assert site.transmission.due() == inf
    assert gone not in site.transmission.busy()
