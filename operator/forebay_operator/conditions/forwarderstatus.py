"""The status of a Forwarder."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, forwarders_of
from forebay_operator.conditions.childready import child_ready
from forebay_operator.conditions.condition import conditions_of, settled, verdict_of
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import rounded
from forebay_operator.conditions.forwarderdisabled import forwarder_disabled
from forebay_operator.conditions.forwardersuspended import forwarder_suspended

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("state", "answers", "meanMilliseconds")
"""What stays as it was while the service is away."""
STATES = {
    pb.FORWARDER_CONDITION_ENABLED: "Enabled",
    pb.FORWARDER_CONDITION_SUSPENDED: "Suspended",
    pb.FORWARDER_CONDITION_DISABLED: "Disabled",
    pb.FORWARDER_CONDITION_PAUSED: "Paused",
}


def forwarder_status(forwarder: Body, views: Sequence["PodView"], now: datetime, fault: Fault | None = None) -> Body:
    """The whole new status of a Forwarder (its Body with metadata, spec and old status).

    `views` are the pods of its Announcer; `fault` as `Fault("ParentMissing", …)`.
    """
    before, found = conditions_of(forwarder), forwarders_of(forwarder, views)
    parent = f"Announcer {forwarder['spec']['announcerRef']['name']}"
    verdicts = {
        "Ready": child_ready(forwarder, parent, views, is_held=bool(found), fault=fault),
        "Disabled": forwarder_disabled(verdict_of(before, "Disabled"), found),
        "Suspended": forwarder_suspended(found, bool(answering(views))),
    }
    return settled(forwarder, verdicts, now) | forwarder_figures(forwarder, found)


def forwarder_figures(forwarder: Body, found: Sequence[pb.Forwarder]) -> Body:
    """Whether it gets announces, and how its tracker answers."""
    if not found:
        before = forwarder.get("status", {})
        return {name: before[name] for name in FIGURES if name in before}
    told = found[0]
    figures: Body = {"state": STATES[told.condition]} if told.condition in STATES else {}
    figures["answers"] = rounded(told.answers)
    if told.HasField("mean_response"):
        figures["meanMilliseconds"] = rounded(round(told.mean_response * 1000))
    return figures
