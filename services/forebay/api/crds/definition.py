"""The CustomResourceDefinition of a kind."""

from typing import Any, NamedTuple

from forebay.api.crds import cel
from forebay.api.crds.columns import Column, columns, figure, wide
from forebay.api.crds.fields import held_at
from forebay.api.crds.structural import Schema, object_schema, validated
from forebay.api.crds.validations import Validation
from forebay.api.model import Model
from forebay.api.v1alpha1 import (
    API_VERSION,
    Announcer,
    Compaction,
    ConduitNode,
    Forwarder,
    Outfeed,
    Peerfeed,
    Resource,
    Router,
    RouterLink,
    Spill,
    Store,
    StoreQueue,
)
from forebay.api.v1alpha1.status import (
    AnnouncerStatus,
    CompactionStatus,
    ConduitNodeStatus,
    ForwarderStatus,
    OutfeedStatus,
    PeerfeedStatus,
    RouterLinkStatus,
    RouterStatus,
    SpillStatus,
    Status,
    StoreQueueStatus,
    StoreStatus,
)
from forebay.api.values import Text

GROUP, _, VERSION = API_VERSION.partition("/")


class Presentation(NamedTuple):
    """How Kubernetes shows a kind."""

    short: str
    """Its short name on the command line."""
    status: type[Status]
    figures: tuple[Column, ...]
    selectable: tuple[str, ...] = ()
    """Fields that `kubectl get --field-selector` can ask for."""


PRESENTATIONS: dict[type[Resource], Presentation] = {
    Spill: Presentation(
        "spl",
        SpillStatus,
        (
            figure("Services", "serviceCount", "Services that have keys there"),
            figure("Backlog", "backlog", "Articles that wait there"),
        ),
    ),
    Outfeed: Presentation(
        "of",
        OutfeedStatus,
        (
            figure("Peers", "peers", "Peers that are connected, of all", "string"),
            figure("Backlog", "backlog", "Articles that wait for its peers"),
        ),
        (".spec.spillRef.name",),
    ),
    Peerfeed: Presentation(
        "pf",
        PeerfeedStatus,
        (
            figure("Connections", "connections", "Connections that are open"),
            figure("Backlog", "backlog", "Articles that wait for the peer"),
        ),
        (".spec.outfeedRef.name",),
    ),
    Store: Presentation(
        "st",
        StoreStatus,
        (
            figure("Queues", "queues", "Queues that are running, of all", "string"),
            figure("Messages", "messages", "Messages in its queues"),
            wide(figure("In sync", "inSync", "Pods that have all that was confirmed, of all", "string")),
            wide(figure("Primary", "primary", "Pod that is primary", "string")),
        ),
    ),
    StoreQueue: Presentation(
        "sq",
        StoreQueueStatus,
        (
            figure("Messages", "ready", "Messages that may be delivered"),
            figure("Unacked", "unacknowledged", "Messages that consumers hold"),
        ),
        (".spec.storeRef.name",),
    ),
    Announcer: Presentation(
        "an",
        AnnouncerStatus,
        (
            figure("Torrents", "torrents", "Torrents that have clients"),
            figure("Peers", "peers", "Clients that announce, of all torrents"),
            wide(figure("Forwarders", "forwarders", "Forwarders that get announces, of all", "string")),
            wide(figure("Queued", "queued", "Jobs that wait for a worker")),
            wide(figure("Fill", "fill", "How full the job queue is, in per cent")),
        ),
        (".spec.spillRef.name",),
    ),
    Forwarder: Presentation(
        "fw",
        ForwarderStatus,
        (
            figure("State", "state", "Whether it gets announces", "string"),
            figure("Answers", "answers", "Answers since its Announcer was started"),
            wide(figure("Mean ms", "meanMilliseconds", "Mean time of an answer in milliseconds")),
        ),
        (".spec.announcerRef.name",),
    ),
    Router: Presentation(
        "rt",
        RouterStatus,
        (
            figure("Threads", "threads", "Threads of its domain"),
            figure("Links", "links", "RouterLinks that are up, of all", "string"),
            wide(figure("Processes", "processes", "Processes attached to its pods")),
            wide(figure("Alarms", "alarms", "Alarms that are on")),
        ),
        (".spec.spillRef.name",),
    ),
    RouterLink: Presentation(
        "rl",
        RouterLinkStatus,
        (
            figure("State", "state", "Whether messages can take it", "string"),
            figure("Waiting", "waiting", "Octets that wait to be written to it"),
            wide(figure("Router", "router", "The router at the other end", "string")),
        ),
        (".spec.routerRef.name",),
    ),
    ConduitNode: Presentation(
        "cn",
        ConduitNodeStatus,
        (
            figure("Peers", "peers", "Peers of all its pods"),
            figure("Undelivered", "undelivered", "Samples that were dropped, or whose time to wait was over"),
            wide(figure("Resources", "resources", "Resources that are known")),
        ),
        (".spec.spillRef.name",),
    ),
    Compaction: Presentation(
        "cpt",
        CompactionStatus,
        (
            figure("Last run", "lastRun.state", "How far the newest run is", "string"),
            figure("Next run", "nextRun", "When the next one starts", "string"),
        ),
        (".spec.targetRef.name",),
    ),
}


def definition(kind: type[Resource]) -> dict[str, Any]:
    """The CustomResourceDefinition of a kind, `kubectl apply` takes it."""
    name = kind.__name__
    plural = f"{name.lower()}s"
    names = {
        "kind": name,
        "listKind": f"{name}List",
        "plural": plural,
        "singular": name.lower(),
        "shortNames": [PRESENTATIONS[kind].short],
        "categories": ["forebay"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [_version(kind)]},
    }


def _version(kind: type[Resource]) -> dict[str, Any]:
    shown = PRESENTATIONS[kind]
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns(*shown.figures),
        "schema": {"openAPIV3Schema": _schema(kind, shown.status)},
    }
    fields = [{"jsonPath": path} for path in shown.selectable]
    return version | ({"selectableFields": fields} if fields else {})


def _schema(kind: type[Resource], status: type[Status]) -> Schema:
    spec: type[Model] = held_at(kind, "spec").type
    return {
        "description": kind.__doc__,
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
            "spec": {"description": spec.__doc__} | object_schema(spec),
            "status": {"description": status.__doc__} | object_schema(status),
        },
        **validated([_name(kind)]),
    }


def _name(kind: type[Resource]) -> Validation:
    """The rule about the resource's name, which Kubernetes itself takes when it has up to 253 characters."""
    name = next(note for note in held_at(kind, "metadata.name").notes if isinstance(note, Text))
    rule = f"self.metadata.name.size() <= {name.longest} && {cel.matches('self.metadata.name', name.pattern)}"
    return Validation(rule, f"does not fit; give {name.form}, at most {name.longest} of them", "metadata.name")
