"""Degraded: a service works, and does without something for now."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

PASSING = frozenset({"DeletionHeld"})
"""Reasons that end by themselves, and that every start has for a while."""


def degraded(views: Sequence["PodView"]) -> Verdict:
    """What the services in the pods do without; the reason is that of the first which lasts."""
    told = answering(views)
    if not told:
        return Verdict(UNKNOWN, "ServiceUnreachable", "no pod answers: what it does without can't be told")
    found: dict[str, str] = {}
    for view in told:
        for each in view.degradations:
            found.setdefault(each.reason, each.message)
    if not found:
        return Verdict(FALSE, "AsExpected", "at full strength")
    reason = min(found, key=PASSING.__contains__)
    return Verdict(TRUE, reason, "; ".join(f"{each}: {message}" for each, message in found.items()))
