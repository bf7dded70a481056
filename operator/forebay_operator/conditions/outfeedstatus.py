"""The status of an Outfeed."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import backlog, peers_text
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def outfeed_status(
    outfeed: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of an Outfeed (its Body with metadata, spec and old status).

    See `service_status`.
    """
    figures = {
        "peers": peers_text(views),
        "backlog": backlog([peer for view in answering(views) for peer in view.peers]),
    }
    return service_status(outfeed, workload, views, revision, now, fault, figures)
