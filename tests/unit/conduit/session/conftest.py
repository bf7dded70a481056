"""One node's sessions without conduits, and messages of its peers."""

from random import Random

import pytest

from forebay.conduit.core.session.identity import with_session
from forebay.conduit.core.session.sessions import Sessions
from forebay.conduit.core.session.settings import SessionSettings
from forebay.conduit.core.session.upkeep import Upkeep
from forebay.conduit.core.wire.messages import VERSION, Accept, Open

ME = b"me"
PLAIN = ((12, b"\x02\x03"),)


class House:
    """Sessions, their housekeeping, and what follows from it."""

    def __init__(self, number_bits=14, **options):
        self.sessions = Sessions(SessionSettings(ME, **options), number_bits, Random(1))
        self.upkeep = Upkeep(self.sessions, self)
        self.welcomed = []
        self.dismissed = []
        self.events = []

    def welcome(self, peer, now):
        self.welcomed.append(peer)

    def dismiss(self, peer, now):
        self.dismissed.append(peer)

    def notify(self, event):
        self.events.append(event)

    def opened(self, peer_id, source, now=0.0, session=1, lease=50):
        properties = PLAIN if session is None else with_session(PLAIN, session)
        return self.sessions.opened(Open(VERSION, peer_id, lease, (), properties), source, now)

    def accepted(self, peer_id, source, now=0.0, session=1, lease=50):
        properties = PLAIN if session is None else with_session(PLAIN, session)
        return self.sessions.accepted(Accept(ME, peer_id, lease, properties), source, now)

    @property
    def changes(self):
        return [(event.change.value, event.peer_id, event.previous) for event in self.events]

    @property
    def states(self):
        return sorted((peer.peer_id, peer.address, peer.state.value) for peer in self.sessions.peers)


@pytest.fixture
def house():
    return House()


@pytest.fixture
def make_house():
    return House
