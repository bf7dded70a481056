"""The status of a Store."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import as_before, messages, queues_text
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("queues", "messages", "primary", "members", "inSync")


def store_status(
    store: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of a Store (its Body with metadata, spec and old status). See `service_status`.

    Of a Store with mirrors its figures are what the primary tells, and stay as they were while there is none.
    """
    return service_status(store, workload, views, revision, now, fault, store_figures(store, workload, views))


def store_figures(store: Body, workload: Workload, views: Sequence["PodView"]) -> Body:
    """What is in its queues, and who has it."""
    if workload.replicas <= 1:
        queues = [queue for view in answering(views) for queue in view.queues]
        return {"queues": queues_text(queues), "messages": messages(queues)}
    primary = next((view for view in answering(views) if view.members), None)
    if primary is None:
        return as_before(store, FIGURES)
    return {
        "queues": queues_text(primary.queues),
        "messages": messages(primary.queues),
        "primary": primary.members[0],
        "members": list(primary.members),
        "inSync": f"{len(primary.members)}/{workload.replicas}",
    }
