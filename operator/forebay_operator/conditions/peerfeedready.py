"""Ready of a Peerfeed: its service has its newest generation in force. Whether the peer is reached is Connected."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, applied, malformed, peers_of, said_before, unconfigured
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.fault import Fault

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def peerfeed_ready(peerfeed: Body, views: Sequence["PodView"], fault: Fault | None = None) -> Verdict:
    """The first thing that is in the way, or what the service says of the newest generation."""
    if fault:
        return Verdict(FALSE, fault.reason, fault.message)
    is_served = answering(views) and not unconfigured(views)
    verdict = applied(peerfeed, views) if is_served else said_before(peerfeed)
    # To read it again costs more than all else here, and what is in force is sound.
    if verdict and verdict.status == TRUE:
        return verdict
    if problem := malformed(peerfeed):
        return Verdict(FALSE, "Invalid", f"{problem}; {_kept(peerfeed, views)}")
    if verdict and verdict.status == FALSE and is_served:
        return verdict._replace(message=f"{verdict.message}; {_kept(peerfeed, views)}")
    return verdict or _not_yet(peerfeed)


def _kept(peerfeed: Body, views: Sequence["PodView"]) -> str:
    """What is in force while the newest generation is not."""
    if peers_of(peerfeed, views):
        return "what was applied before stays in force"
    return "nothing is sent to the peer until it is mended" if answering(views) else "mend it"


def _not_yet(peerfeed: Body) -> Verdict:
    name = peerfeed["spec"]["outfeedRef"]["name"]
    return Verdict(UNKNOWN, "ServiceNotReady", f"waits for the Outfeed {name}, whose conditions tell how it is")
