"""Paused: the annotation that stops reconciling is set. There is no such condition without it."""

from datetime import datetime

from forebay_operator.body import Body
from forebay_operator.conditions.condition import TRUE, Verdict, conditions_of, generation_of, set_condition

PAUSED_ANNOTATION = "forebay.dev/paused"


def is_paused(resource: Body) -> bool:
    """Whether reconciling is stopped by the annotation `forebay.dev/paused: "true"`."""
    return bool((resource["metadata"].get("annotations") or {}).get(PAUSED_ANNOTATION) == "true")


def paused_status(resource: Body, now: datetime) -> Body:
    """The whole new status of a paused resource: what it was, and Paused."""
    message = f"changes are not carried out; remove the annotation {PAUSED_ANNOTATION} to go on"
    verdict = Verdict(TRUE, "ByAnnotation", message)
    conditions = set_condition(conditions_of(resource), "Paused", verdict, generation_of(resource), now)
    return {**resource.get("status", {}), "conditions": conditions}
