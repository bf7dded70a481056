"""Suspended: a forwarder gets no announces for a while, since its tracker asked for that."""

from collections.abc import Sequence

from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.wording import word


def forwarder_suspended(found: Sequence[pb.Forwarder], is_answered: bool) -> Verdict:
    """`found` is the forwarder in each pod that has it; `is_answered`: its service answers."""
    if not is_answered:
        return Verdict(UNKNOWN, "ServiceUnreachable", "the service that passes announces on does not answer")
    for each in found:
        if each.condition == pb.FORWARDER_CONDITION_SUSPENDED:
            # How long is left would be another message at each look.
            return Verdict(TRUE, word(each.cause) or "Unknown", f"{each.reason}; it gets announces again by itself")
    if found:
        return Verdict(FALSE, "NotSuspended", "its tracker did not ask to be left alone")
    return Verdict(UNKNOWN, "NotApplied", "the service does not have it yet")
