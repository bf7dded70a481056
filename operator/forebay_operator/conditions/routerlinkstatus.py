"""The status of a RouterLink."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay.pb.router.v1 import router_pb2 as pb
from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, links_of
from forebay_operator.conditions.childready import child_ready
from forebay_operator.conditions.condition import settled
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import rounded
from forebay_operator.conditions.linkdown import link_down
from forebay_operator.conditions.linksuspended import link_suspended

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

FIGURES = ("state", "router", "waiting")
"""What stays as it was while the routers are away."""


def routerlink_status(link: Body, views: Sequence["PodView"], now: datetime, fault: Fault | None = None) -> Body:
    """The whole new status of a RouterLink (its Body with metadata, spec and old status).

    `views` are the pods of its Router; `fault` as `Fault("ParentMissing", …)`.
    """
    found, is_answered = links_of(link, views), bool(answering(views))
    parent = f"Router {link['spec']['routerRef']['name']}"
    verdicts = {
        "Ready": child_ready(link, parent, views, is_held=bool(found), fault=fault),
        "LinkDown": link_down(found, is_answered),
        "Suspended": link_suspended(found, is_answered),
    }
    return settled(link, verdicts, now) | routerlink_figures(link, found)


def routerlink_figures(link: Body, found: Sequence[pb.LinkStatus]) -> Body:
    """Whether messages can take it, to where, and how much waits, in all pods."""
    if not found:
        before = link.get("status", {})
        return {name: before[name] for name in FIGURES if name in before}
    figures: Body = {"state": state_of(found), "waiting": rounded(sum(each.waiting_octets for each in found))}
    if routers := sorted({each.router for each in found if each.up}):
        figures["router"] = ", ".join(routers)
    return figures


def state_of(found: Sequence[pb.LinkStatus]) -> str:
    """It is up where one pod at least has it so: all messages can take it then."""
    if any(each.up for each in found):
        return "Up"
    return "Suspended" if any(each.suspended for each in found) else "Down"
