"""Disabled: a forwarder gets no announces until somebody acts."""

from collections.abc import Sequence

from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.wording import word

REMEDY = "mend spec.url if it is wrong; it gets announces again by `forebay announcer forwarders --enable`"


def forwarder_disabled(before: Verdict | None, found: Sequence[pb.Forwarder]) -> Verdict:
    """`found` is the forwarder in each pod that has it; without any, what was said before is still so."""
    for each in found:
        if each.condition == pb.FORWARDER_CONDITION_DISABLED:
            return Verdict(TRUE, word(each.cause) or "Unknown", f"{each.reason}; {REMEDY}")
    if found:
        return Verdict(FALSE, "Enabled", "nothing but time or its own spec keeps announces from it")
    return before or Verdict(UNKNOWN, "NotApplied", "the service does not have it yet")
