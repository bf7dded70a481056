"""Degraded: a service works, and does without something for now."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.serviceready import CHILDREN
from forebay_operator.conditions.wording import listed

if TYPE_CHECKING:
    from forebay.runtime import Degradation
    from forebay_operator.pods import PodView

PASSING = frozenset({"DeletionHeld"})
"""Reasons that end by themselves, and that every start has for a while."""


def degraded(views: Sequence["PodView"]) -> Verdict:
    """What the services in the pods do without; the reason is that of the first which lasts."""
    told = answering(views)
    if not told:
        return Verdict(UNKNOWN, "ServiceUnreachable", "no pod answers: what it does without can't be told")
    found: dict[str, dict[str, None]] = {}
    for view in told:
        for each in view.degradations:
            found.setdefault(each.reason, {})[_text(each)] = None
    if not found:
        return Verdict(FALSE, "AsExpected", "at full strength")
    reason = min(found, key=PASSING.__contains__)
    return Verdict(TRUE, reason, "; ".join(f"{each}: {listed([*messages])}" for each, messages in found.items()))


def _text(degradation: "Degradation") -> str:
    """What it does without; of many children, by the name of that one."""
    of_a_child = degradation.kind in CHILDREN
    return f"{degradation.name}: {degradation.message}" if of_a_child else degradation.message
