"""What is not as it should be, and the next step of whoever looks into it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from forebay.cli.kubectl.objects import FALSE, TRUE, Condition, Pod, Resource
from forebay.cli.kubectl.tree import Branch

UNWELL = {
    "Connected": FALSE,
    "AuthFailed": TRUE,
    "Backlogged": TRUE,
    "Disabled": TRUE,
    "LinkDown": TRUE,
    "Degraded": TRUE,
    "Paused": TRUE,
}
"""The status in which a condition is a problem. Unknown is none: then Ready of a service tells more."""
AT_REST = frozenset({"PeerPaused", "ServiceNotReady", "Unused"})
"""Reasons that are somebody's wish, or that are told of the service already."""
OPERATOR = "app.kubernetes.io/name=forebay-operator"


class Problem(NamedTuple):
    """One thing that is wrong."""

    title: str
    """What it is about, as `Peerfeed/west`."""
    namespace: str
    condition: Condition
    next_step: str
    """A command."""


def problems(branches: Iterable[Branch]) -> list[Problem]:
    """All problems of trees, in the order in which they should be looked at: pods explain resources."""
    every = [branch for root in branches for branch in root.walk()]
    return [
        *(each for branch in every for each in _of_pods(branch)),
        *(each for branch in every for each in _of(branch)),
    ]


def _of_pods(branch: Branch) -> Iterator[Problem]:
    for pod in branch.pods:
        if pod.ready.status != TRUE:
            yield Problem(pod.title, pod.namespace, pod.ready, pod_step(pod))


def _of(branch: Branch) -> Iterator[Problem]:
    resource = branch.resource
    for condition in unwell(resource):
        yield Problem(resource.title, resource.namespace, condition, resource_step(resource, condition))


def unwell(resource: Resource) -> Iterator[Condition]:
    """The conditions of a resource that are not as they should be."""
    if resource.ready.status != TRUE and resource.ready.reason not in AT_REST:
        yield resource.ready
    for name, status in UNWELL.items():
        condition = resource.conditions.get(name)
        if condition and condition.status == status and condition.reason not in AT_REST:
            yield condition


def pod_step(pod: Pod) -> str:
    """Where a pod that is not ready tells more."""
    place = f"{pod.name} -n {pod.namespace}"
    if pod.phase == "CrashLoopBackOff":
        return f"kubectl logs {place} --previous"
    return f"kubectl logs {place}" if pod.running else f"kubectl describe pod {place}"


def resource_step(resource: Resource, condition: Condition) -> str:
    """Where a resource tells more, or what ends its trouble."""
    kind, place = resource.kind.lower(), f"{resource.name} -n {resource.namespace}"
    if condition.type == "Paused":
        return f"kubectl annotate {kind} {place} forebay.dev/paused-"
    if condition.reason in ("NotSeen", "ChangePending"):
        return f"kubectl get pods --all-namespaces --selector={OPERATOR}"
    if condition.type != "Ready" and resource.kind == "Peerfeed":
        return f"kubectl forebay peers {resource.parent[1]} {place}"
    if condition.type == "Disabled":
        return f"kubectl forebay forwarders {resource.parent[1]} -n {resource.namespace}"
    if condition.type == "LinkDown":
        return f"kubectl forebay threads {resource.parent[1]} -n {resource.namespace} --routers"
    return f"kubectl describe {kind} {place}"
