"""A real API server takes what the chart renders, and Helm can install, change, remove and install it again."""

import json
from functools import partial

import pytest

from helmchart import CHART, HelmError, helm, of_kind, only, render

from .samples import each_sample, rendered

NAMES = ["spills.forebay.dev", "outfeeds.forebay.dev", "peerfeeds.forebay.dev", "compactions.forebay.dev"]
SPILL = {
    "apiVersion": "forebay.dev/v1alpha1",
    "kind": "Spill",
    "metadata": {"name": "kept"},
    "spec": {"url": "redis://redis.example"},
}


@pytest.fixture(scope="module")
def namespace(apiserver):
    """A namespace that takes restricted pods alone; beside it are those that the samples name."""
    for name in ("news", "more-news", "system"):
        apiserver.admin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return apiserver.namespace("chart", **{"pod-security.kubernetes.io/enforce": "restricted"})


@pytest.fixture
def release(apiserver, namespace):
    """Helm with the release `it`, which is gone at the end."""
    run = partial(helm, environment={"KUBECONFIG": str(apiserver.kubeconfig), "HOME": str(apiserver.folder)})
    yield lambda command, *options: run(command, "it", *options, "--namespace", namespace)
    run("uninstall", "it", "--namespace", namespace, "--ignore-not-found")


def dry_run(apiserver, bodies):
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": bodies})
    options = ("--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")
    return apiserver.admin.kubectl("apply", *options, "-f", "-", stdin=text)


@each_sample
def test_each_object_is_strictly_valid(apiserver, namespace, sample):
    bodies = rendered(sample, namespace=namespace)
    dry_run(apiserver, [body for body in bodies if not body["apiVersion"].startswith("monitoring")])


def test_the_operators_pod_is_admitted_where_pods_are_restricted(apiserver, namespace):
    bodies = render(namespace=namespace)
    pod = only(bodies, "Deployment")["spec"]["template"]
    metadata = {**pod["metadata"], "name": "operator", "namespace": namespace}
    (account,) = (body for body in of_kind(bodies, "ServiceAccount") if body["metadata"]["name"] == "it-forebay")
    apiserver.admin.apply(account, namespace=namespace)
    dry_run(apiserver, [{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"]}])
    apiserver.admin.kubectl("delete", "serviceaccount", account["metadata"]["name"], "-n", namespace)


def test_the_notes_tell_the_next_steps(release):
    notes = release("install", CHART, "--take-ownership", "--dry-run=server").split("NOTES:")[1]
    for step in ("kubectl apply", "kubectl get forebay", "kubectl forebay status", "helm test it"):
        assert step in notes


def test_the_manifests_of_the_notes_are_valid(apiserver, namespace, release):
    notes = release("install", CHART, "--take-ownership", "--dry-run=server").split("<<'END'\n")[1].split("\nEND")[0]
    apiserver.admin.kubectl("apply", "--dry-run=server", "--validate=strict", "-n", namespace, "-f", "-", stdin=notes)


def test_leader_election_can_be_turned_on_and_off(apiserver, namespace, release):
    release("install", CHART, "--take-ownership")

    def strategy():
        spec = apiserver.admin.get("deployment", "it-forebay", "-n", namespace)["spec"]
        return spec["replicas"], spec["strategy"]["type"]

    release("upgrade", CHART, "--set", "leaderElection.enabled=true")
    assert strategy() == (2, "RollingUpdate")
    release("upgrade", CHART, "--reset-values")
    assert strategy() == (1, "Recreate")
    assert not apiserver.admin.get("poddisruptionbudgets", "-n", namespace)["items"]


def test_definitions_and_resources_outlive_the_release_and_are_taken_over_again(apiserver, namespace, release):
    release("install", CHART, "--take-ownership")
    apiserver.admin.apply(SPILL, namespace=namespace)
    uid = apiserver.admin.get("spill", "kept", "-n", namespace)["metadata"]["uid"]
    release("uninstall")
    assert apiserver.admin.get("spill", "kept", "-n", namespace)["metadata"]["uid"] == uid
    release("install", CHART)
    assert apiserver.admin.get("spill", "kept", "-n", namespace)["metadata"]["uid"] == uid


def test_definitions_of_another_release_are_taken_over_only_if_told(apiserver, namespace, release):
    release("install", CHART, "--take-ownership")
    environment = {"KUBECONFIG": str(apiserver.kubeconfig), "HOME": str(apiserver.folder)}
    with pytest.raises(HelmError, match="invalid ownership metadata"):
        helm("install", "other", CHART, "--namespace", namespace, environment=environment)


def test_nothing_but_the_definitions_stays(apiserver, namespace, release):
    release("install", CHART, "--take-ownership")
    release("uninstall")
    kinds = "deployments,configmaps,serviceaccounts,services,roles,rolebindings,networkpolicies,pods"
    found = apiserver.admin.get(kinds, "-n", namespace, "-l", "app.kubernetes.io/managed-by=Helm")["items"]
    assert not found
    assert apiserver.admin.get("crd", *NAMES)["items"]


def test_the_operators_account_reaches_secrets_of_its_namespaces_alone(apiserver, namespace, release):
    values = ["--set", "clusterWide=true", "--set", "namespaces={news}"]
    release("install", CHART, "--take-ownership", *values)
    account = apiserver.account(namespace, "it-forebay")
    assert account.can("get", "secrets", "news")
    assert account.can("get", "secrets/forebay-ca-news", namespace)
    assert account.can("watch", "outfeeds")
    for place in (namespace, "more-news", ""):
        assert not account.can("get", "secrets", place)
    for verb in ("list", "watch", "deletecollection"):
        assert not account.can(verb, "secrets", "news")
    assert not account.can("delete", "secrets/forebay-ca-news", namespace)
