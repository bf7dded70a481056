"""What the chart renders for the values that users give."""

import json
import re

import pytest

from helmchart import CHART, helm, of_kind, only, render

from .samples import PODS, SAMPLES, each_sample, rendered

LONGEST_NAME = "a-release-whose-name-has-all-the-fifty-three-letters-"[:52] + "x"
LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def pod_of(bodies):
    return only(bodies, "Deployment")["spec"]["template"]


@each_sample
def test_helm_finds_no_fault(sample, tmp_path):
    values = tmp_path / "values.yaml"
    values.write_text(json.dumps(SAMPLES[sample]))
    assert "0 chart(s) failed" in helm("lint", "--strict", CHART, "--values", values)


@each_sample
def test_each_object_is_there_once(sample):
    identities = [
        (body["kind"], body["metadata"].get("namespace"), body["metadata"]["name"]) for body in rendered(sample)
    ]
    assert len(identities) == len(set(identities))


@each_sample
def test_no_secret_is_made(sample):
    assert not of_kind(rendered(sample), "Secret")


@each_sample
def test_each_object_tells_whose_it_is(sample):
    labels = [body["metadata"]["labels"] for body in rendered(sample)]
    assert all(each["app.kubernetes.io/part-of"] == "forebay" for each in labels)
    assert all(each["app.kubernetes.io/managed-by"] == "Helm" for each in labels)


@pytest.mark.parametrize("name", [LONGEST_NAME, "forebay", "f"])
def test_names_are_valid_and_fit(name):
    assert len(LONGEST_NAME) == 53
    for body in rendered("monitoring", name=name):
        if not body["apiVersion"].startswith(("rbac", "apiextensions")):
            assert LABEL.fullmatch(body["metadata"]["name"]), body["metadata"]["name"]


def test_releases_of_one_name_in_two_namespaces_share_no_cluster_wide_object():
    values = {"clusterWide": True, "namespaces": ["news"], "crds": {"enabled": False}}

    def names(namespace):
        bodies = render(values, namespace=namespace)
        return {
            (body["kind"], body["metadata"]["name"])
            for body in bodies
            if body["metadata"].get("namespace") != namespace
            # Drivers' is of its namespace, in which one release runs.
            if body["kind"] != "ServiceAccount"
        }

    assert names("one").isdisjoint(names("two"))


def test_common_labels_are_on_all_objects_and_pods():
    bodies = render({"commonLabels": {"team": "news", "app.kubernetes.io/name": "mine"}})
    assert all(body["metadata"]["labels"]["team"] == "news" for body in bodies)
    assert pod_of(bodies)["metadata"]["labels"]["team"] == "news"
    assert pod_of(bodies)["metadata"]["labels"]["app.kubernetes.io/name"] == "forebay-operator"


def test_alone_an_operator_ends_before_the_next_starts():
    spec = only(rendered("defaults"), "Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert not of_kind(rendered("defaults"), "PodDisruptionBudget")


def test_with_leader_election_there_are_two_and_one_may_go():
    bodies = rendered("leader-election")
    spec = only(bodies, "Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]) == (2, {"type": "RollingUpdate"})
    budget = only(bodies, "PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1
    assert budget["selector"] == spec["selector"]


def test_the_operators_pods_get_what_their_values_say():
    pod = pod_of(rendered("everything"))["spec"]
    (container,) = pod["containers"]
    assert container["resources"] == PODS["resources"]
    assert container["image"].endswith(f"@sha256:{'0' * 64}")
    assert container["imagePullPolicy"] == "Always"
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    for name in ("nodeSelector", "tolerations", "affinity", "priorityClassName"):
        assert pod[name] == PODS[name]


def test_a_change_of_a_setting_rolls_the_operator():
    one, two = (pod_of(render({"namespaces": names}))["metadata"]["annotations"] for names in (["a"], ["b"]))
    assert one != two


def test_a_change_of_labels_of_dashboards_does_not():
    values = ({"monitoring": {"dashboards": {"enabled": True, "labels": {"a": label}}}} for label in "bc")
    one, two = map(pod_of, map(render, values))
    assert one == two


def test_the_image_is_the_charts_version_unless_told():
    assert pod_of(render())["spec"]["containers"][0]["image"] == "localhost/forebay:0.1.0"
    tagged = pod_of(render({"image": {"repository": "example.com:5000/a/b", "tag": "x"}}))
    assert tagged["spec"]["containers"][0]["image"] == "example.com:5000/a/b:x"


def test_service_and_monitor_select_the_operator():
    bodies = rendered("monitoring")
    service = only(bodies, "Service")
    labels = pod_of(bodies)["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    monitor = only(bodies, "ServiceMonitor")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert monitor["metadata"]["labels"]["release"] == "prometheus"


def test_without_prometheus_no_kind_of_its_is_used():
    assert not [body for body in render() if body["apiVersion"].startswith("monitoring")]


def test_alerts_and_dashboards_come_as_they_are_in_their_files():
    bodies = rendered("monitoring")
    summaries = [
        rule["annotations"]["summary"]
        for group in only(bodies, "PrometheusRule")["spec"]["groups"]
        for rule in group["rules"]
    ]
    assert any("{{ $labels.peer }}" in summary for summary in summaries)
    dashboards = [body for body in of_kind(bodies, "ConfigMap") if "grafana_dashboard" in body["metadata"]["labels"]]
    for body in dashboards:
        ((name, text),) = body["data"].items()
        assert json.loads(text) == json.loads((CHART / "files" / "dashboards" / name).read_text())
    assert len(dashboards) == 6
