"""The status of an Outfeed."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, malformed
from forebay_operator.conditions.condition import settled
from forebay_operator.conditions.degraded import degraded
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import backlog, peers_text
from forebay_operator.conditions.outfeedready import outfeed_ready
from forebay_operator.conditions.progressing import progressing
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

    `views` has one entry a Pod that has an address; `revision` is that of the stored configuration, 0 before the first;
    `fault` is what kept the Outfeed from being brought about.
    """
    is_blocked = fault is not None or malformed(outfeed) != ""
    verdicts = {
        "Ready": outfeed_ready(outfeed, workload, views, fault),
        "Progressing": progressing(workload, views, revision, is_blocked),
        "Degraded": degraded(views),
    }
    return settled(outfeed, verdicts, now) | _figures(outfeed, views, revision)


def _figures(outfeed: Body, views: Sequence["PodView"], revision: int) -> Body:
    told = answering(views)
    before = outfeed.get("status", {})
    if not told:
        figures = {name: before[name] for name in ("peers", "backlog") if name in before}
    else:
        figures = {"peers": peers_text(told), "backlog": backlog([peer for view in told for peer in view.peers])}
    return figures | {"revision": revision}
