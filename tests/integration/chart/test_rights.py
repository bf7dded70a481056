"""The operator gets the rights that it uses, where it uses them, and no others."""

import pytest

from forebay_operator.permissions import PERMISSIONS, Scope
from helmchart import of_kind, render

from .samples import SAMPLES, each_sample, rendered

ROLES = ("Role", "ClusterRole")


def is_drivers(role):
    """Whether a Role is that of the drivers of Compactions."""
    return role["metadata"]["name"].endswith(":spark")


def roles(bodies):
    """Those of the operator."""
    return [body for kind in ROLES for body in of_kind(bodies, kind) if not is_drivers(body)]


def rights(role):
    """Group, resource and verb of all that a role allows."""
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def in_namespace(bodies, namespace):
    """What is allowed in one namespace."""
    return set().union(
        *(rights(role) for role in roles(bodies) if role["metadata"].get("namespace") in (None, namespace))
    )


def used(*scopes):
    """What the operator's code uses."""
    return {(each.group, each.resource, verb) for each in PERMISSIONS if each.scope in scopes for verb in each.verbs}


@pytest.mark.parametrize("is_wide", [False, True])
def test_they_are_those_that_the_operator_uses(is_wide):
    bodies = render({"namespaces": ["news"], "clusterWide": is_wide, "leaderElection": {"enabled": True}})
    granted = {(role["kind"], role["metadata"].get("namespace")): rights(role) for role in roles(bodies)}
    assert granted.pop(("Role", "system")) == used(Scope.OWN)
    everywhere = granted.pop(("ClusterRole", None)) if is_wide else used(Scope.WATCHED)
    assert everywhere == used(Scope.WATCHED)
    listed = used(Scope.LISTED) if is_wide else used(Scope.LISTED, Scope.WATCHED)
    assert granted == {("Role", "news"): listed}


@each_sample
def test_no_rule_has_a_wildcard(sample):
    rules = [rule for role in roles(rendered(sample)) for rule in role["rules"]]
    assert not [rule for rule in rules if "*" in (*rule["apiGroups"], *rule["resources"], *rule["verbs"])]


@pytest.mark.parametrize("sample", [sample for sample, values in SAMPLES.items() if not values.get("clusterWide")])
def test_without_cluster_wide_there_is_no_cluster_role(sample):
    assert not [body["kind"] for body in rendered(sample) if body["kind"].startswith("ClusterRole")]


def test_no_secret_can_be_reached_cluster_wide():
    (role,) = of_kind(rendered("cluster-wide"), "ClusterRole")
    assert "secrets" not in {resource for _, resource, _ in rights(role)}


def test_nothing_can_be_made_cluster_wide_but_events():
    (role,) = of_kind(rendered("cluster-wide"), "ClusterRole")
    changing = {(resource, verb) for _, resource, verb in rights(role) if verb not in ("get", "list", "watch")}
    services = ("outfeeds", "peerfeeds", "stores", "storequeues", "announcers", "forwarders", "routers", "routerlinks")
    kinds = ("spills", *services, "conduitnodes", "compactions")
    assert changing == {("events", "create"), *((f"{kind}/status", "patch") for kind in kinds)}


def test_secrets_are_never_listed():
    allowed = set().union(*map(rights, roles(rendered("everything"))))
    assert {verb for _, resource, verb in allowed if resource == "secrets"} == {"get", "create", "patch", "delete"}


def test_each_namespace_has_the_same_rights_however_it_is_watched():
    one, two = (in_namespace(render({"namespaces": ["news"], "clusterWide": wide}), "news") for wide in (True, False))
    assert one == two


def test_outside_of_its_namespaces_authorities_alone_are_reached_by_name():
    bodies = render({"namespaces": ["news", "lab"]})
    (role,) = (role for role in roles(bodies) if role["metadata"]["namespace"] == "system")
    named = [rule["resourceNames"] for rule in role["rules"] if "get" in rule["verbs"]]
    assert named == [["forebay-ca-news", "forebay-ca-lab"]]


def test_the_lease_of_the_operator_is_reached_only_where_a_leader_is_elected():
    def named(sample):
        rules = [rule for role in roles(rendered(sample)) for rule in role["rules"] if "leases" in rule["resources"]]
        return {name for rule in rules for name in rule.get("resourceNames", ())}

    assert named("defaults") == set()
    assert named("leader-election") == {"forebay-operator"}


@each_sample
def test_each_role_is_bound_to_the_operator_alone(sample):
    bodies = rendered(sample)
    for role in roles(bodies):
        bindings = of_kind(bodies, f"{role['kind']}Binding")
        (binding,) = (
            each
            for each in bindings
            if each["roleRef"]["name"] == role["metadata"]["name"]
            and each["metadata"].get("namespace") == role["metadata"].get("namespace")
        )
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "it-forebay", "namespace": "system"}]


def test_drivers_may_make_executors_in_their_namespace_and_no_more():
    bodies = render({"namespaces": ["news", "lab"], "spark": {"serviceAccount": "compactions"}})
    for namespace in ("news", "lab"):
        here = [body for body in bodies if body["metadata"].get("namespace") == namespace]
        (account,) = of_kind(here, "ServiceAccount")
        assert (account["metadata"]["name"], account["automountServiceAccountToken"]) == ("compactions", False)
        (role,) = filter(is_drivers, of_kind(here, "Role"))
        assert {resource for _, resource, _ in rights(role)} == {"pods"}
        (binding,) = filter(is_drivers, of_kind(here, "RoleBinding"))
        assert binding["roleRef"]["name"] == role["metadata"]["name"]
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "compactions", "namespace": namespace}]
