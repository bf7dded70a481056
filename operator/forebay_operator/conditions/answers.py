"""What services said about one resource."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from forebay.api.manifests import read_object
from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.conduit.v1 import conduit_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.router.v1 import router_pb2
from forebay.pb.store.v1 import store_pb2
from forebay_operator.body import Body
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict, conditions_of, generation_of
from forebay_operator.conditions.wording import listed, violations_text

if TYPE_CHECKING:
    from forebay_operator.pods import PodView

NOT_CONFIGURED = "NotConfigured"
"""The degradation of a service that has nothing in force yet."""

SAID_BY_SERVICES = frozenset({"Applied", "Connected", "Refused"})
"""Reasons of a Ready that stay true while services are away: they start with what they had."""


def answering(views: Sequence["PodView"]) -> list["PodView"]:
    """The pods that answered."""
    return [view for view in views if view.reachable]


def unconfigured(views: Sequence["PodView"]) -> str:
    """Why a service has nothing in force; empty when it has, or when none answered."""
    messages = [
        each.message for view in answering(views) for each in view.degradations if each.reason == NOT_CONFIGURED
    ]
    return messages[0] if messages else ""


def is_configured(views: Sequence["PodView"]) -> bool:
    """Whether a service has a configuration in force, as far as it answered."""
    return any(view.revision for view in answering(views)) and not unconfigured(views)


def applied(resource: Body, views: Sequence["PodView"], outdated: Collection[str] = ()) -> Verdict | None:
    """What the services made of the newest generation of a resource; None when none answered.

    `outdated` names pods that are replaced: what these refuse may hold for as long as they run, and no longer.
    """
    results = [(view.name, view.result_of(resource["kind"], resource["metadata"]["uid"])) for view in answering(views)]
    if not results:
        return None
    generation = generation_of(resource)
    told = [(pod, result) for pod, result in results if result and result.generation >= generation]
    if len(told) < len(results):
        return Verdict(UNKNOWN, "Applying", f"generation {generation} is on its way to the service")
    refusing = [(pod, result) for pod, result in told if not result.applied]
    if final := next((result for pod, result in refusing if pod not in outdated), None):
        return Verdict(FALSE, "Refused", violations_text(final.violations))
    if refusing:
        problem = f"{listed([pod for pod, _ in refusing])} has begun with something else, and is to be replaced"
        return Verdict(UNKNOWN, "Restarting", problem)
    warnings = "; ".join(dict.fromkeys(warning for _, result in told for warning in result.warnings))
    return Verdict(TRUE, "Applied", f"in force; left aside: {warnings}" if warnings else "in force")


def said_before(resource: Body) -> Verdict | None:
    """What services said of this generation, by its Ready, before they went away; None when it was not they who did."""
    for condition in conditions_of(resource):
        is_theirs = condition["type"] == "Ready" and condition["reason"] in SAID_BY_SERVICES
        if is_theirs and condition["observedGeneration"] == generation_of(resource):
            return Verdict(condition["status"], condition["reason"], condition["message"])
    return None


def malformed(resource: Body) -> str:
    """What is wrong with a resource by itself, by the rules that services read it with; empty when it is sound."""
    reading = read_object(resource, lenient=True)
    return "" if reading.resource else violations_text(reading.violations)


def peers_of(peerfeed: Body, views: Sequence["PodView"]) -> list[outfeed_pb2.PeerStatus]:
    """How a peer fares in each pod that answered and has it."""
    uid = peerfeed["metadata"]["uid"]
    return [peer for view in answering(views) if (peer := view.peer_of(uid))]


def queues_of(storequeue: Body, views: Sequence["PodView"]) -> list[store_pb2.QueueStatus]:
    """How a queue fares in each pod that answered and has it."""
    uid = storequeue["metadata"]["uid"]
    return [queue for view in answering(views) if (queue := view.queue_of(uid))]


def forwarders_of(forwarder: Body, views: Sequence["PodView"]) -> list[announcer_pb2.Forwarder]:
    """How a forwarder fares in each pod that answered and has it."""
    name = forwarder["metadata"]["name"]
    return [found for view in answering(views) if (found := view.forwarder_of(name))]


def routers_of(views: Sequence["PodView"]) -> list[router_pb2.GetRouterResponse]:
    """How each pod of a Router is that answered and is configured."""
    return [view.router for view in answering(views) if view.router]


def conduitnodes_of(views: Sequence["PodView"]) -> list[conduit_pb2.GetNodeResponse]:
    """How each pod of a ConduitNode is that answered and is configured."""
    return [view.conduit for view in answering(views) if view.conduit]


def links_of(link: Body, views: Sequence["PodView"]) -> list[router_pb2.LinkStatus]:
    """How a link fares in each pod that answered and has tried it, or is not to make it."""
    name = link["metadata"]["name"]
    return [found for view in answering(views) for found in view.links_of(name)]
