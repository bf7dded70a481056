"""The status of a ConduitNode."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import conduitnodes_of
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import as_before, rounded
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("peers", "resources", "undelivered")


def conduitnode_status(
    node: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of a ConduitNode (its Body with metadata, spec and old status).

    See `service_status`. Its figures also stay as they were while no pod has a sound configuration.
    """
    return service_status(node, workload, views, revision, now, fault, conduitnode_figures(node, views))


def conduitnode_figures(node: Body, views: Sequence["PodView"]) -> Body:
    """Whom its pods have sessions with, and what did not arrive.

    A peer may have a session with each pod, and so have the pods with each other; what is declared reaches them all.
    """
    told = conduitnodes_of(views)
    if not told:
        return as_before(node, FIGURES)
    own = {each.peer_id for each in told}
    peers = {peer.peer_id for each in told for peer in each.peers}
    return {
        "peers": rounded(len(peers - own)),
        "resources": rounded(max(each.resources for each in told)),
        "undelivered": rounded(sum(each.undelivered for each in told)),
    }
