"""AuthFailed: a peer asks for a login, or does not accept ours."""

from collections.abc import Sequence

from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict

AUTH_FAILED = "AUTH_FAILED"
REMEDY = "mend spec.auth or the password in its Secret, which the next connection uses"


def authfailed(before: Verdict | None, peers: Sequence[pb.PeerStatus]) -> Verdict:
    """True after a refused login, False once a connection is up; whatever else happens says nothing about logins."""
    if failed := next((peer for peer in peers if peer.error_reason == AUTH_FAILED), None):
        return Verdict(TRUE, "LoginRefused", f"{failed.last_error}; {REMEDY}")
    if any(peer.state == pb.PEER_STATE_CONNECTED for peer in peers):
        return Verdict(FALSE, "Accepted", "the peer takes us as we come")
    return before or Verdict(UNKNOWN, "NotTried", "no connection was made yet")
