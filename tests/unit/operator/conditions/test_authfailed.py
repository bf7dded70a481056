import pytest

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions import Verdict
from forebay_operator.conditions.authfailed import authfailed
from manifests import peerfeed

from .known import peer

FEED = peerfeed("one")
FAILED = Verdict(
    "True", "LoginRefused", "481 no; mend spec.auth or the password in its Secret, which the next connection uses"
)
ACCEPTED = Verdict("False", "Accepted", "")


def said(before, state, **fields):
    return authfailed(before, [peer(FEED, state, **fields)])


@pytest.mark.parametrize("state", [pb.PEER_STATE_BACKING_OFF, pb.PEER_STATE_CONNECTING, pb.PEER_STATE_IDLE])
def test_true_after_a_refused_login(state):
    assert said(ACCEPTED, state, last_error="481 no", error_reason="AUTH_FAILED") == FAILED


def test_false_once_a_connection_is_up():
    assert said(FAILED, pb.PEER_STATE_CONNECTED, last_error="481 no")[:2] == ("False", "Accepted")


@pytest.mark.parametrize("before", [FAILED, ACCEPTED])
def test_other_failures_say_nothing_about_logins(before):
    assert said(before, pb.PEER_STATE_BACKING_OFF, error_reason="CONNECT_FAILED") is before


@pytest.mark.parametrize("before", [FAILED, ACCEPTED])
def test_what_was_known_stays_while_the_service_is_away(before):
    assert authfailed(before, []) is before


def test_unknown_before_a_connection_was_made():
    assert said(None, pb.PEER_STATE_IDLE)[:2] == ("Unknown", "NotTried")
