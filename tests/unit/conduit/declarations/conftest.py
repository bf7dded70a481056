from random import Random

import pytest

from forebay.conduit.core.conduits.publisher import PublisherSettings
from forebay.conduit.core.declarations.register import Register
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.subscribers import Subscription
from forebay.conduit.core.wire.messages import Declare

from .programs import ALL_AGREED


class Told:
    """What peers are told, and the node's owner."""

    def __init__(self):
        self.told = []
        self.events = []
        self.room = True
        self.acked = True
        self.agreed = ALL_AGREED
        self.woken = 0
        self.fault = None

    def tell(self, peer, messages, now):
        self.told += [(peer.index, message) for message in messages]

    def check(self, peer, message):
        if self.fault:
            raise self.fault

    def has_room(self, peer):
        return self.room

    def acknowledged(self, peer):
        return self.acked

    def mark(self, peer, now):
        return ()

    def passed(self, peer, marks):
        return self.acked

    def agreement(self, peer):
        return self.agreed

    def note(self, event):
        self.events.append(event)

    def wake(self):
        self.woken += 1


class Site:
    """A register, and peers that are played by the test."""

    def __init__(self, **limits):
        self.announcer = Told()
        self.register = Register(b"mmm", DeclarationSettings(**limits), Random(1), self.announcer)
        self.now = 100.0
        self.peers = {}

    def meet(self, index, peer_id=None):
        peer = self.peers[index] = Peer(index, f"address{index}", 1)
        peer.peer_id = peer_id or b"p%d" % index
        peer.establish()
        peer.announced = True
        self.register.welcome(peer, self.now)
        return peer

    def leave(self, index):
        self.register.dismiss(self.peers.pop(index))
        self.settle()

    def settle(self, seconds=0.0):
        self.now += seconds
        self.register.housekeep(self.now)

    def hear(self, index, *declarations, committed=True):
        assert self.register.receive(self.peers[index], Declare(2, False, committed, 0, declarations), self.now)
        self.settle()

    def take(self):
        """Declarations that peers were told, in their order, and whether these were committed."""
        told, self.announcer.told = self.announcer.told, []
        return [(index, *message.declarations) for index, message in told]

    def events(self):
        events, self.announcer.events = self.announcer.events, []
        return events

    def publish(self, rid, **options):
        settings = PublisherSettings(rid, **options)
        self.register.publish(settings, self.now)
        return settings

    def subscribe(self, rid, number=0, **options):
        subscription = Subscription(number, rid, lambda _: None, **options)
        self.register.subscribe(subscription, self.now)
        return subscription

    def uri(self, rid):
        return self.register.directory.names.resources.uri(rid)


@pytest.fixture
def site():
    return Site()


@pytest.fixture
def make_site():
    return Site
