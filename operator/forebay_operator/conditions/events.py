"""Events for transitions of conditions: one when something comes about, none while it stays."""

from collections.abc import Mapping
from typing import NamedTuple

from forebay_operator.body import Body
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN
from forebay_operator.conditions.degraded import PASSING
from forebay_operator.conditions.runevents import run_changes

NORMAL, WARNING = "Normal", "Warning"

_GOOD = {
    "Ready": TRUE,
    "Connected": TRUE,
    "Degraded": FALSE,
    "Backlogged": FALSE,
    "AuthFailed": FALSE,
    "Disabled": FALSE,
    "LinkDown": FALSE,
}
"""What each condition is when all is well. Those that are not here are neither good nor bad."""
_UNDER_WAY = frozenset(
    {"Applying", "Creating", "PodMissing", "Recovering", "ServiceNotReady", "SpillNotReady", "Starting"}
)
"""Reasons of a Ready that will be true by itself."""
_AT_STARTS = _UNDER_WAY | {"ParentMissing", "ServiceUnreachable", "SpillMissing"}
"""Reasons that a start has for a moment which goes well, since resources are applied one after the other, and a port
is tried before it is open: they are told of what was ready before."""


class Event(NamedTuple):
    """An Event to be posted about a resource."""

    type: str
    """Normal or Warning."""
    reason: str
    """One word in CamelCase."""
    message: str
    """What happened, and what to do."""


def transitions(old: Body, new: Body) -> list[Event]:
    """The Events that the way from one status to the next is worth.

    Not knowing is none, and neither is being well again after not knowing, or from the start on, but for Ready.
    """
    before = {condition["type"]: condition for condition in old.get("conditions", [])}
    after = {condition["type"]: condition for condition in new["conditions"]}
    events = [
        Event(_weight(kind, condition), condition["reason"], f"{kind} is {condition['status']}: {condition['message']}")
        for kind, condition in after.items()
        if kind in _GOOD and _is_told(kind, before, after)
    ]
    if "Paused" in after and "Paused" not in before:
        events.append(Event(NORMAL, "Paused", after["Paused"]["message"]))
    if "Paused" in before and "Paused" not in after:
        events.append(Event(NORMAL, "Resumed", "changes are carried out again"))
    return events + [Event(NORMAL, *change) for change in run_changes(old, new)]


def _is_told(kind: str, before: Mapping[str, Body], after: Mapping[str, Body]) -> bool:
    status, reason = after[kind]["status"], after[kind]["reason"]
    known, said = (before[kind]["status"], before[kind]["reason"]) if kind in before else (UNKNOWN, reason)
    if status == UNKNOWN:
        return False
    if kind != "Ready":
        known = UNKNOWN if _is_starting(before) or said in PASSING else known
        is_news = status != known and not (known == UNKNOWN and status == _GOOD[kind])
        return bool(is_news) and reason not in PASSING and not _is_starting(after)
    if reason in _AT_STARTS:
        return bool(known == TRUE)
    return bool(status != known or reason != said)


def _is_starting(conditions: Mapping[str, Body]) -> bool:
    """Whether it is too early for what is not well to mean something; what lasts is told of when it is ready."""
    ready = conditions.get("Ready", {})
    return ready.get("status") == FALSE and ready["reason"] in _AT_STARTS


def _weight(kind: str, condition: Body) -> str:
    is_well = condition["status"] == _GOOD[kind] or condition["reason"] in _UNDER_WAY
    return NORMAL if is_well else WARNING
