"""Suspended: a link is not made, for its spec says so."""

from collections.abc import Sequence

from forebay.pb.router.v1 import router_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict


def link_suspended(found: Sequence[pb.LinkStatus], is_answered: bool) -> Verdict:
    """`found` is the link in each pod that tells of it; `is_answered`: a pod of its Router answers."""
    if not is_answered:
        return Verdict(UNKNOWN, "ServiceUnreachable", "the routers that make the link do not answer")
    if any(each.suspended for each in found):
        return Verdict(TRUE, "Suspended", "messages take another way until spec.suspended is false")
    if found:
        return Verdict(FALSE, "NotSuspended", "it is to be up")
    return Verdict(UNKNOWN, "NotTried", "no router has made it yet, or tried in vain")
