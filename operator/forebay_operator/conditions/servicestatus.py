"""The status of a service, whatever kind it is of."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, malformed
from forebay_operator.conditions.condition import settled
from forebay_operator.conditions.degraded import degraded
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.progressing import progressing
from forebay_operator.conditions.serviceready import service_ready
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def service_status(
    service: Body,
    workload: Workload,
    views: Sequence["PodView"],
    revision: int,
    now: datetime,
    fault: Fault | None,
    figures: Mapping[str, object],
) -> Body:
    """The whole new status of a service (its Body with metadata, spec and old status).

    `views` has one entry a Pod that has an address; `revision` is that of the stored configuration, 0 before the first;
    `fault` is what kept the service from being brought about; `figures` are what the Pods tell of it, which stay as
    they were while none answers.
    """
    is_blocked = fault is not None or malformed(service) != ""
    verdicts = {
        "Ready": service_ready(service, workload, views, fault),
        "Progressing": progressing(workload, views, revision, is_blocked),
        "Degraded": degraded(views),
    }
    before = service.get("status", {})
    told = figures if answering(views) else {name: before[name] for name in figures if name in before}
    return settled(service, verdicts, now) | dict(told) | {"revision": revision}
