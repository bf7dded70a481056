"""The status of a Peerfeed."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from forebay_operator.body import Body
from forebay_operator.conditions.answers import answering, peers_of
from forebay_operator.conditions.authfailed import authfailed
from forebay_operator.conditions.backlogged import backlogged
from forebay_operator.conditions.childready import child_ready
from forebay_operator.conditions.condition import conditions_of, settled, verdict_of
from forebay_operator.conditions.connected import connected
from forebay_operator.conditions.fault import Fault
from forebay_operator.conditions.figures import backlog

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def peerfeed_status(peerfeed: Body, views: Sequence["PodView"], now: datetime, fault: Fault | None = None) -> Body:
    """The whole new status of a Peerfeed (its Body with metadata, spec and old status).

    `views` are the pods of its Outfeed; `fault` as `Fault("ParentMissing", …)`.
    """
    before, peers = conditions_of(peerfeed), peers_of(peerfeed, views)
    parent = f"Outfeed {peerfeed['spec']['outfeedRef']['name']}"
    verdicts = {
        "Ready": child_ready(peerfeed, parent, views, is_held=bool(peers), fault=fault),
        "Connected": connected(verdict_of(before, "Connected"), peers, bool(answering(views))),
        "Backlogged": backlogged(verdict_of(before, "Backlogged"), peers),
        "AuthFailed": authfailed(verdict_of(before, "AuthFailed"), peers),
    }
    figures = {"connections": sum(len(peer.connections) for peer in peers)}
    if peers:
        figures["backlog"] = backlog(peers)
    elif "backlog" in (status := peerfeed.get("status", {})):
        figures["backlog"] = status["backlog"]
    return settled(peerfeed, verdicts, now) | figures
