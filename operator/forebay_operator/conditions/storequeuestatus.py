"""The status of a StoreQueue."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay.pb.store.v1 import store_pb2 as pb
from forebay_operator.body import Body
from forebay_operator.conditions.answers import queues_of
from forebay_operator.conditions.childready import child_ready
from forebay_operator.conditions.condition import FALSE, TRUE, Verdict, settled
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import rounded

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("ready", "unacknowledged")
"""What stays as it was while the service is away: the messages are still there."""


def storequeue_status(queue: Body, views: Sequence["PodView"], now: datetime, fault: Fault | None = None) -> Body:
    """The whole new status of a StoreQueue (its Body with metadata, spec and old status).

    `views` are the pods of its Store; `fault` as `Fault("ParentMissing", …)`.
    """
    found = queues_of(queue, views)
    figures: Body = {"consumers": sum(each.consumers for each in found)}
    if found:
        figures["ready"] = rounded(sum(each.ready for each in found))
        figures["unacknowledged"] = rounded(sum(each.unacked for each in found))
    else:
        before = queue.get("status", {})
        figures |= {name: before[name] for name in FIGURES if name in before}
    return settled(queue, {"Ready": storequeue_ready(queue, found, views, fault)}, now) | figures


def storequeue_ready(
    queue: Body, found: Sequence[pb.QueueStatus], views: Sequence["PodView"], fault: Fault | None
) -> Verdict:
    """Whether its newest generation is in force, and its messages can be had."""
    parent = f"Store {queue['spec']['storeRef']['name']}"
    verdict = child_ready(queue, parent, views, is_held=bool(found), fault=fault)
    if verdict.status != TRUE:
        return verdict
    for each in found:
        if each.state == pb.QUEUE_STATE_CRASHED:
            return Verdict(FALSE, "Crashed", f"{each.reason}; it is started again, and the Store's log tells more")
        if each.state == pb.QUEUE_STATE_RECOVERING:
            return Verdict(FALSE, "Recovering", "what is on disk is being read; it is ready by itself then")
    return verdict
