"""The status of an Announcer."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import as_before, forwarders_text, rounded
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("peers", "torrents", "forwarders", "queued", "fill")


def announcer_status(
    announcer: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of an Announcer (its Body with metadata, spec and old status).

    See `service_status`. Its figures also stay as they were while its pod has no sound configuration.
    """
    return service_status(announcer, workload, views, revision, now, fault, announcer_figures(announcer, views))


def announcer_figures(announcer: Body, views: Sequence["PodView"]) -> Body:
    """What it tracks, whom it passes it on to, and what waits."""
    told = next(((view.queue, view.forwarders) for view in answering(views) if view.queue), None)
    if told is None:
        return as_before(announcer, FIGURES)
    queue, forwarders = told
    return {
        "peers": rounded(queue.peers),
        "torrents": rounded(queue.swarms),
        "forwarders": forwarders_text(forwarders),
        "queued": rounded(queue.depth),
        "fill": min(100, int(queue.fill)),
    }
