"""The status of a Spill."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.condition import settled
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import backlog
from forebay_operator.conditions.spillready import spill_ready
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def spill_status(
    spill: Body,
    services: Sequence[Body],
    workload: Workload,
    views: Sequence["PodView"],
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of a Spill (its Body with metadata, spec and old status).

    `services` are the entries of `status.services` ({kind, name, uid}); `workload` runs a managed one, and is empty for
    a given one; `views` are the pods of all services that use it.
    """
    verdicts = {"Ready": spill_ready(spill, bool(services), workload, views, fault)}
    figures = {"services": list(services), "serviceCount": len(services)}
    if told := answering(views):
        figures["backlog"] = backlog([peer for view in told for peer in view.peers])
    elif "backlog" in (status := spill.get("status", {})):
        figures["backlog"] = status["backlog"]
    return settled(spill, verdicts, now) | figures
