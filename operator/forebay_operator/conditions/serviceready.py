"""Ready of a service: its pods serve, and its newest generation is in force."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import applied, is_configured, malformed, unconfigured
from forebay_operator.conditions.condition import FALSE, UNKNOWN, Verdict
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.wording import listed, violations_text
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

CHILDREN = frozenset({"Peerfeed", "StoreQueue", "Forwarder", "RouterLink"})
"""Kinds of which one that is refused leaves its service ready."""


def service_ready(service: Body, workload: Workload, views: Sequence["PodView"], fault: Fault | None = None) -> Verdict:
    """The first thing that is in the way, or what the service says of the newest generation."""
    obstacle = fault or _malformed(service, views) or workload.lacking or _silent(views) or _unconfigured(views)
    if obstacle:
        return Verdict(FALSE, obstacle.reason, obstacle.message)
    verdict = applied(service, views, workload.outdated) or Verdict(UNKNOWN, "Applying", "no pod has answered yet")
    if verdict.status == FALSE:
        return verdict._replace(message=f"{verdict.message}; what was applied before stays in force")
    return verdict._replace(message=verdict.message + _refused_children(views))


def _malformed(service: Body, views: Sequence["PodView"]) -> Fault | None:
    problem = malformed(service)
    if not problem:
        return None
    kept = (
        "what was applied before stays in force" if is_configured(views) else "nothing is in force until it is mended"
    )
    return Fault("Invalid", f"{problem}; {kept}")


def _silent(views: Sequence["PodView"]) -> Fault | None:
    """A pod that did not answer, or that did not take its configuration."""
    for view in views:
        if not view.reachable:
            return Fault("ServiceUnreachable", f"{view.name}: {view.problem}")
        if view.problem:
            return Fault("ApplyFailed", f"{view.name}: {view.problem}")
    return None


def _unconfigured(views: Sequence["PodView"]) -> Fault | None:
    problem = unconfigured(views)
    if not problem:
        return None
    refused = [result for view in views for result in view.results if result.violations and result.kind not in CHILDREN]
    reasons = [f"{result.kind} {result.name}: {violations_text(result.violations)}" for result in refused]
    return Fault("NotConfigured", "; ".join(reasons) or problem)


def _refused_children(views: Sequence["PodView"]) -> str:
    """A remark about children that are not in force; the conditions of each tell why."""
    names = sorted(
        {result.name for view in views for result in view.results if result.kind in CHILDREN and not result.applied}
    )
    return f"; refused, each for the reason in its own conditions: {listed(names)}" if names else ""
