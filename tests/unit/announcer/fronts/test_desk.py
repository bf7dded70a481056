import pytest

from forebay.announcer.access import AccessList, Mode
from forebay.announcer.announce import Event
from forebay.announcer.errors import RefusedError
from forebay.announcer.forwarding.refusal import Refusal, Why
from forebay.announcer.swarms.figures import NOBODY
from swarms import NOW, announce, desk, octets


class Forwarder:
    """Passes nothing on, and tells of what it was asked."""

    def __init__(self, refusal=None):
        self.refusal = refusal
        self.calls = []

    def __call__(self, announce, knows, now):
        initial = not knows(announce)
        self.calls.append((announce, initial))
        return self.refusal if initial else None


@pytest.mark.parametrize(
    ("told", "event", "wanted"),
    [
        pytest.param(None, Event.NONE, 50, id="not-told"),
        pytest.param(7, Event.NONE, 7, id="some"),
        pytest.param(0, Event.NONE, 0, id="none"),
        pytest.param(200, Event.STARTED, 200, id="most"),
        pytest.param(10**9, Event.NONE, 200, id="too-many"),
        pytest.param(50, Event.STOPPED, 0, id="stopped"),
    ],
)
def test_a_client_gets_as_many_peers_as_it_wants_within_bounds(told, event, wanted):
    assert desk().wanted(announce(numwant=told, event=event)) == wanted


@pytest.mark.parametrize(("mode", "torrent"), [(Mode.DENY, "listed"), (Mode.ALLOW, "other")])
def test_a_torrent_that_is_not_permitted_is_refused(mode, torrent):
    forwarder = Forwarder()
    it = desk(access=AccessList(mode, [octets("listed")]), forward=forwarder)
    with pytest.raises(RefusedError, match="not tracked here") as caught:
        it.enter(announce(torrent=torrent), NOW)
    assert (caught.value.retry_after, forwarder.calls, it.table.peers) == (None, [], 0)


def test_announces_are_passed_on_and_the_first_of_a_client_is_told():
    forwarder = Forwarder()
    it = desk(forward=forwarder)
    sent = [announce(1), announce(1), announce(2), announce(1, "other")]
    for each in sent:
        it.enter(each, NOW)
    assert forwarder.calls == list(zip(sent, [True, False, True, True], strict=True))


def test_a_first_announce_that_is_refused_stays_the_first():
    it = desk(forward=Forwarder(Refusal(Why.QUEUE_FULL, 300.0)))
    for _ in range(2):
        with pytest.raises(RefusedError, match="busy") as caught:
            it.enter(announce(1), NOW)
        assert (caught.value.retry_after, it.table.peers) == (300.0, 0)


def test_a_scrape_tells_nothing_of_what_is_unknown():
    it = desk()
    it.enter(announce(1, left=0), NOW)
    assert it.scrape([octets("other"), octets("torrent")]) == [NOBODY, (1, 0, 0, 0)]
