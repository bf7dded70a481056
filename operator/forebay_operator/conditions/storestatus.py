"""The status of a Store."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import messages, queues_text
from forebay_operator.conditions.servicestatus import service_status
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def store_status(
    store: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None = None,
) -> Body:
    """The whole new status of a Store (its Body with metadata, spec and old status). See `service_status`."""
    queues = [queue for view in answering(views) for queue in view.queues]
    figures = {"queues": queues_text(queues), "messages": messages(queues)}
    return service_status(store, workload, views, revision, now, fault, figures)
