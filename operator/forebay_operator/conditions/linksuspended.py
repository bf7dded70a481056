"""Suspended: a link is not made, for its spec says so."""

from collections.abc import Sequence

from forebay.pb.router.v1 import router_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, Verdict
from forebay_operator.conditions.linkdown import NOT_TRIED, UNREACHABLE


def link_suspended(found: Sequence[pb.LinkStatus], is_answered: bool) -> Verdict:
    """`found` is the link in each pod that tells of it; `is_answered`: a pod of its Router answers."""
    if not is_answered:
        return UNREACHABLE
    if any(each.suspended for each in found):
        return Verdict(TRUE, "Suspended", "messages take another way until spec.suspended is false")
    if found:
        return Verdict(FALSE, "NotSuspended", "it is to be up")
    return NOT_TRIED
