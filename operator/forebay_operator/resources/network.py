"""How pods are reached, and by whom: Services, NetworkPolicies and ServiceMonitors."""

from collections.abc import Mapping, Sequence
from typing import Any

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.resources.body import given
from forebay_operator.resources.labels import OURS, labels, selector
from forebay_operator.resources.ownership import owned

TCP, UDP = "TCP", "UDP"
OUR_PODS = {"podSelector": {"matchLabels": OURS}}
"""Pods of the same namespace that the operator made."""
ANY_POD: Body = {"namespaceSelector": {}}
"""Every pod of the cluster."""


def service(owner: Resource, role: str, name: str, ports: Sequence[Body], **more: Any) -> Body:
    """A Service for the pods of a resource."""
    spec = {"type": "ClusterIP", "selector": selector(owner, role), "ports": list(ports), **more}
    return owned(owner, role, "v1", "Service", name, spec=spec)


def headless_service(owner: Resource, role: str, name: str, ports: Sequence[Body]) -> Body:
    """A Service that gives each pod a name, ready or not: the operator calls pods that are just starting."""
    return service(owner, role, name, ports, clusterIP="None", publishNotReadyAddresses=True)


def service_port(name: str, port: int, application: str = "", protocol: str = TCP) -> Body:
    """A port of a Service, and the pods' port of the same name; `application` is the protocol above."""
    return {"name": name, "port": port, "protocol": protocol, "targetPort": name, **given(appProtocol=application)}


def outside_service(owner: Resource, role: str, name: str, ports: Sequence[Body]) -> Body:
    """A Service for clients outside the cluster, of whichever IP versions the cluster has.

    Pods see who calls, and no traffic goes from node to node: only the pod's own node takes it.
    """
    more = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ipFamilyPolicy": "PreferDualStack"}
    return service(owner, role, name, ports, **more)


def network_policy(owner: Resource, role: str, name: str, ingress: Sequence[Body]) -> Body:
    """Who may connect to the pods of a resource.

    What they connect to is left open: peers and a given Redis may be anywhere, on any port, and are known by names,
    which a NetworkPolicy has no notion of.
    """
    spec = {
        "podSelector": {"matchLabels": selector(owner, role)},
        "policyTypes": ["Ingress"],
        "ingress": list(ingress),
    }
    return owned(owner, role, "networking.k8s.io/v1", "NetworkPolicy", name, spec=spec)


def admission(port: int, *peers: Body, protocol: str = TCP) -> Body:
    """Lets peers in to a port; without any, everybody, from outside the cluster too."""
    return {"ports": [{"port": port, "protocol": protocol}], **given(**{"from": list(peers)})}


def service_monitor(owner: Resource, role: str, name: str, more_labels: Mapping[str, str]) -> Body:
    """Has Prometheus' operator scrape the Services of a resource that have a port `health`."""
    spec = {
        "selector": {"matchLabels": labels(owner, role)},
        "endpoints": [{"port": "health", "path": "/metrics"}],
    }
    body = owned(owner, role, "monitoring.coreos.com/v1", "ServiceMonitor", name, spec=spec)
    body["metadata"]["labels"] = {**more_labels, **body["metadata"]["labels"]}
    return body
