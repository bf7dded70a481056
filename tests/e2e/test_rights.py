"""The operator's account can do what its code needs, and nothing else."""

import itertools

import pytest

from e2e.cluster import Cluster
from e2e.release import Release
from forebay_operator.permissions import PERMISSIONS, Scope
from kubeaccess import KubectlError

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")


def rules(cluster: Cluster, release: Release, namespace: str) -> list[dict]:
    """What the account may do in a namespace, as the API server sees it."""
    review = '{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","spec":{"namespace":"%s"}}'
    account = f"system:serviceaccount:{release.name}:{release.name}"
    found = cluster.json("create", "--validate=false", "-f", "-", f"--as={account}", stdin=review % namespace)
    return list(found["status"]["resourceRules"])


def can(cluster: Cluster, release: Release, verb: str, resource: str, *place: str) -> bool:
    account = f"system:serviceaccount:{release.name}:{release.name}"
    try:
        return cluster("auth", "can-i", verb, resource, f"--as={account}", *place).strip() == "yes"
    except KubectlError:
        return False  # "no" is a failure to kubectl


@pytest.mark.parametrize("verb", VERBS)
def test_secrets_are_not_reached_elsewhere(release: Release, cluster: Cluster, verb: str):
    assert not can(cluster, release, verb, "secrets", "-n", "kube-system")
    assert not can(cluster, release, verb, "secrets", "--all-namespaces")


def test_no_right_has_a_wildcard(release: Release, cluster: Cluster):
    for namespace in (release.name, *release.namespaces, "default"):
        for rule in rules(cluster, release, namespace):
            values = itertools.chain(rule["verbs"], rule.get("resources", []), rule.get("apiGroups", []))
            assert "*" not in values, rule


@pytest.mark.parametrize("place", ["own", "listed", "other"])
def test_there_is_no_right_that_the_code_does_not_use(release: Release, cluster: Cluster, place: str):
    namespace = {"own": release.name, "listed": release.namespaces[0], "other": "default"}[place]
    scopes = {"own": [Scope.OWN], "listed": [Scope.WATCHED, Scope.LISTED], "other": []}[place]
    used = {(each.group, each.resource, verb) for each in PERMISSIONS if each.scope in scopes for verb in each.verbs}
    granted = {
        (group, resource, verb)
        for rule in rules(cluster, release, namespace)
        for group in rule.get("apiGroups", [])
        for resource in rule.get("resources", [])
        for verb in rule["verbs"]
    }
    assert granted - BASIC <= used


BASIC = {
    ("authorization.k8s.io", "selfsubjectaccessreviews", "create"),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "create"),
    ("authentication.k8s.io", "selfsubjectreviews", "create"),
}
"""What everybody may do."""
