"""The status of a Router."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import routers_of
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import as_before, links_text, rounded
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("threads", "processes", "links", "alarms")


def router_status(
    router: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of a Router (its Body with metadata, spec and old status).

    See `service_status`. Its figures also stay as they were while no pod has a sound configuration.
    """
    return service_status(router, workload, views, revision, now, fault, router_figures(router, views))


def router_figures(router: Body, views: Sequence["PodView"]) -> Body:
    """Who is attached, and what is linked.

    Each pod knows all threads and alarms of the domain, a new one only after a moment; processes are those of its own.
    """
    told = routers_of(views)
    if not told:
        return as_before(router, FIGURES)
    return {
        "threads": rounded(max(each.threads for each in told)),
        "processes": rounded(sum(len(each.processes) for each in told)),
        "links": links_text(views),
        "alarms": rounded(max(each.alarms for each in told)),
    }
