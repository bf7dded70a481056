"""Ready of a Spill: its server runs, if it is a managed one, and the services that use it can."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, applied, malformed, said_before
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def spill_ready(
    spill: Body, is_used: bool, workload: Workload, views: Sequence["PodView"], fault: Fault | None = None
) -> Verdict:
    """The first thing that is in the way, or what the services say that use it, if any do."""
    obstacle = fault or _malformed(spill) or _not_running(spill, workload) or _unusable(spill, views)
    if obstacle:
        return Verdict(FALSE, obstacle.reason, obstacle.message)
    if not is_used:
        return _unused(spill)
    verdict = applied(spill, views)
    if verdict is None:
        return said_before(spill) or Verdict(UNKNOWN, "ServiceUnreachable", "no service that uses it answers")
    return verdict if verdict.status != TRUE else Verdict(TRUE, "Connected", "its services can use it")


def _malformed(spill: Body) -> Fault | None:
    problem = malformed(spill)
    return Fault("Invalid", problem) if problem else None


def _not_running(spill: Body, workload: Workload) -> Fault | None:
    return workload.lacking if "managed" in spill["spec"] else None


def _unusable(spill: Body, views: Sequence["PodView"]) -> Fault | None:
    """What the services do without because of it."""
    for view in answering(views):
        for each in view.degradations:
            if each.kind == "Spill" and each.name == spill["metadata"]["name"]:
                return Fault(each.reason, f"{view.name}: {each.message}")
    return None


def _unused(spill: Body) -> Verdict:
    if "managed" in spill["spec"]:
        return Verdict(TRUE, "Serving", "its server runs; no service uses it yet")
    return Verdict(UNKNOWN, "Unused", "no service uses it yet; it is tried when one does")
