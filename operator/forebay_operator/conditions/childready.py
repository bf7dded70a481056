"""Ready of what belongs to a service, as a Peerfeed: its service has its newest generation in force."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, applied, malformed, said_before, unconfigured
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.fault import Fault

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def child_ready(
    child: Body, parent: str, views: Sequence["PodView"], *, is_held: bool, fault: Fault | None = None
) -> Verdict:
    """The first thing that is in the way, or what the service says of the newest generation.

    `parent` is the service, as `Outfeed main`; `is_held`: it has some generation in force.
    """
    if fault:
        return Verdict(FALSE, fault.reason, fault.message)
    is_served = answering(views) and not unconfigured(views)
    verdict = applied(child, views) if is_served else said_before(child)
    # To read it again costs more than all else here, and what is in force is sound.
    if verdict and verdict.status == TRUE:
        return verdict
    if problem := malformed(child):
        return Verdict(FALSE, "Invalid", f"{problem}; {_kept(views, is_held)}")
    if verdict and verdict.status == FALSE and is_served:
        return verdict._replace(message=f"{verdict.message}; {_kept(views, is_held)}")
    return verdict or Verdict(UNKNOWN, "ServiceNotReady", f"waits for the {parent}, whose conditions tell how it is")


def _kept(views: Sequence["PodView"], is_held: bool) -> str:
    """What is in force while the newest generation is not."""
    if is_held:
        return "what was applied before stays in force"
    return "nothing of it is in force until it is mended" if answering(views) else "mend it"
