"""Conditions as Kubernetes has them: a list by type, each with the time since when its status is so."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from forebay_operator.body import Body
from forebay_operator.conditions.wording import clipped

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"


class Verdict(NamedTuple):
    """What one condition says now."""

    status: str
    """True, False or Unknown."""
    reason: str
    """One word in CamelCase."""
    message: str
    """Why, and what to do; for people."""


def verdict_of(conditions: Sequence[Body], kind: str) -> Verdict | None:
    """What the condition of a type says; None where there is none."""
    for condition in conditions:
        if condition["type"] == kind:
            return Verdict(condition["status"], condition.get("reason", ""), condition.get("message", ""))
    return None


def set_condition(
    conditions: Sequence[Body], kind: str, verdict: Verdict, generation: int, now: datetime
) -> list[Body]:
    """The conditions with that of a type set; its transition time moves only when its status changes."""
    before = next((condition for condition in conditions if condition["type"] == kind), None)
    stays = before is not None and before["status"] == verdict.status
    condition = {
        "type": kind,
        "status": verdict.status,
        "observedGeneration": generation,
        "lastTransitionTime": before["lastTransitionTime"] if before and stays else timestamp(now),
        "reason": verdict.reason,
        "message": clipped(verdict.message),
    }
    if before is None:
        return [*conditions, condition]
    return [condition if each is before else each for each in conditions]


def settled(resource: Body, verdicts: Mapping[str, Verdict], now: datetime) -> Body:
    """What all statuses have: observedGeneration, and these conditions in their order; others of before are gone."""
    before, generation = conditions_of(resource), generation_of(resource)
    conditions: list[Body] = []
    for kind, verdict in verdicts.items():
        known = [condition for condition in before if condition["type"] == kind]
        conditions += set_condition(known, kind, verdict, generation, now)
    return {"observedGeneration": generation, "conditions": conditions}


def conditions_of(resource: Body) -> list[Body]:
    """The conditions of a resource, as its status has them."""
    found: list[Body] = resource.get("status", {}).get("conditions", [])
    return found


def generation_of(resource: Body) -> int:
    """How often the spec of a resource was changed."""
    return int(resource["metadata"].get("generation", 0))


def timestamp(moment: datetime) -> str:
    """A time as Kubernetes writes it, in whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
