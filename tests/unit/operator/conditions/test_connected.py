import pytest

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions import Verdict
from forebay_operator.conditions.connected import connected
from manifests import peerfeed

from .known import peer

FEED = peerfeed("one")
REACHED = Verdict("True", "Reached", "the peer is connected when there is something to send")
LOST = Verdict("False", "NotReached", "connection refused; it is tried again")
QUIET = [pb.PEER_STATE_IDLE, pb.PEER_STATE_CONNECTING]


def said(state, before=None, **fields):
    return connected(before, [peer(FEED, state, **fields)], True)


@pytest.mark.parametrize("before", [None, LOST])
def test_true_while_a_connection_is_up(before):
    assert said(pb.PEER_STATE_CONNECTED, before) == REACHED


def test_false_while_it_can_not_be_reached_by_the_last_error():
    assert said(pb.PEER_STATE_BACKING_OFF, REACHED, reason="connection refused") == LOST


def test_false_while_the_peer_is_paused():
    verdict = said(pb.PEER_STATE_PAUSED, REACHED, reason="spec.pause is set")
    assert verdict == ("False", "PeerPaused", "nothing is sent: spec.pause is set")


@pytest.mark.parametrize("state", QUIET)
@pytest.mark.parametrize("before", [REACHED, LOST])
def test_what_was_known_stays_while_there_is_nothing_to_send_and_while_it_connects(state, before):
    assert said(state, before) is before


@pytest.mark.parametrize("state", QUIET)
@pytest.mark.parametrize("before", [None, Verdict("False", "PeerPaused", ""), Verdict("Unknown", "NotApplied", "")])
def test_unknown_before_anything_was_to_be_sent(state, before):
    assert said(state, before)[:2] == ("Unknown", "NotTried")


def test_unknown_while_the_service_does_not_answer():
    assert connected(REACHED, [], False)[:2] == ("Unknown", "ServiceUnreachable")


def test_unknown_while_the_service_does_not_know_the_peer():
    assert connected(None, [], True)[:2] == ("Unknown", "NotApplied")


def test_of_several_pods_the_one_that_can_not_reach_it_counts():
    peers = [peer(FEED), peer(FEED, pb.PEER_STATE_BACKING_OFF, last_error="connection refused"), peer(FEED)]
    assert connected(REACHED, peers, True) == LOST
