import pytest

from forebay_operator.principals import OPERATOR
from forebay_operator.resources import service_leftovers
from operatorobjects import (
    container,
    feeding_outfeed,
    objects_of_outfeed,
    one,
    outfeed,
    pod_spec,
    settings,
)

OURS = {"app.kubernetes.io/part-of": "forebay", "app.kubernetes.io/managed-by": "forebay-operator"}


def test_it_has_one_object_of_each_kind_but_two_services():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_outfeed()] == [
        ("ServiceAccount", "hub-outfeed"),
        ("Service", "hub-outfeed"),
        ("Service", "hub-outfeed-pods"),
        ("NetworkPolicy", "hub-outfeed"),
        ("PodDisruptionBudget", "hub-outfeed"),
        ("StatefulSet", "hub-outfeed"),
        ("ServiceMonitor", "hub-outfeed"),
    ]


def test_the_pod_serves_the_outfeed():
    assert container(objects_of_outfeed())["command"] == [
        "forebay",
        "serve",
        "outfeed",
        *("--config", "/etc/forebay/config"),
        *("--name", "news/hub"),
        *("--data", "/var/lib/forebay"),
        *("--tls", "/etc/forebay/tls"),
        *("--operator", "operator.forebay"),
        *("--drain-endpoints", "3"),
    ]


def test_the_service_knows_the_operator_by_the_name_in_its_certificate():
    command = container(objects_of_outfeed())["command"]
    assert command[command.index("--operator") + 1] == OPERATOR


def test_secrets_are_mounted_as_whole_folders():
    """Kubernetes never renews a file that is mounted by subPath."""
    objects = objects_of_outfeed()
    mounts = {mount["mountPath"]: mount for mount in container(objects)["volumeMounts"]}
    volumes = {each["name"]: each for each in pod_spec(objects)["volumes"]}
    assert volumes[mounts["/etc/forebay/config"]["name"]]["secret"]["secretName"] == "hub-outfeed-config"
    assert volumes[mounts["/etc/forebay/tls"]["name"]]["secret"]["secretName"] == "hub-outfeed-tls"
    assert not any("subPath" in mount for mount in mounts.values())


def test_data_are_on_a_volume_that_outlives_all():
    spec = one(objects_of_outfeed(outfeed(storage={"size": "30GiB"})), "StatefulSet")["spec"]
    (claim,) = spec["volumeClaimTemplates"]
    assert claim["metadata"]["name"] == "data"
    assert claim["spec"] == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "30Gi"}}}
    assert set(spec["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}
    assert {"name": "data", "mountPath": "/var/lib/forebay"} in container(objects_of_outfeed())["volumeMounts"]


def test_the_storage_class_is_the_settings():
    chosen = settings(service={"storageClass": "fast"})
    (claim,) = one(objects_of_outfeed(chosen=chosen), "StatefulSet")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"


def test_a_pod_that_never_got_ready_is_replaced_too():
    assert one(objects_of_outfeed(), "StatefulSet")["spec"]["podManagementPolicy"] == "Parallel"


@pytest.mark.parametrize(
    ("probe", "path"), [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]
)
def test_probes_use_the_plain_health_port(probe, path):
    assert container(objects_of_outfeed())[probe]["httpGet"] == {"path": path, "port": "health", "scheme": "HTTP"}


def test_a_start_may_take_ten_minutes():
    probe = container(objects_of_outfeed())["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == 600


def test_the_pod_has_longer_to_end_than_its_drain():
    assert pod_spec(objects_of_outfeed())["terminationGracePeriodSeconds"] > 3 + 25


def test_another_server_of_the_spill_rolls_the_pod():
    templates = [one(objects_of_outfeed(spill=spill), "StatefulSet")["spec"]["template"] for spill in ("a", "b")]
    assert [each["metadata"]["annotations"] for each in templates] == [
        {"forebay.dev/spill": "a"},
        {"forebay.dev/spill": "b"},
    ]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"access": [{"principal": "*"}]}, id="access"),
        pytest.param({"clients": ["inn"]}, id="clients"),
        pytest.param({"history": {"remember": "5d"}}, id="history"),
        pytest.param({"articles": {"maxSize": "2MB"}}, id="articles"),
        pytest.param({"tls": {"secretRef": {"name": "own"}}}, id="tls"),
    ],
)
def test_what_is_applied_live_changes_no_object(spec):
    assert objects_of_outfeed(outfeed(**spec)) == objects_of_outfeed()


def test_the_pods_account_has_no_token():
    account = one(objects_of_outfeed(), "ServiceAccount")
    assert account["automountServiceAccountToken"] is False
    assert pod_spec(objects_of_outfeed())["serviceAccountName"] == account["metadata"]["name"]


def test_clients_find_grpc_nntp_and_health_on_the_service():
    service = one(objects_of_outfeed(feeding_outfeed()), "Service", "hub-outfeed")
    assert service["spec"]["ports"] == [
        {"name": "grpc", "port": 7119, "protocol": "TCP", "targetPort": "grpc", "appProtocol": "grpc"},
        {"name": "nntp", "port": 1119, "protocol": "TCP", "targetPort": "nntp"},
        {"name": "health", "port": 9119, "protocol": "TCP", "targetPort": "health", "appProtocol": "http"},
    ]


def test_without_an_nntp_listener_there_is_no_port_for_it():
    objects = objects_of_outfeed()
    names = [[port["name"] for port in one(objects, "Service", "hub-outfeed")["spec"]["ports"]]]
    names.append([port["name"] for port in container(objects)["ports"]])
    assert names == [["grpc", "health"]] * 2
    assert [rule["ports"][0]["port"] for rule in one(objects, "NetworkPolicy")["spec"]["ingress"]] == [7119, 9119]


def test_ports_are_those_of_the_listeners():
    listeners = {"grpc": {"port": 1}, "nntp": {"port": 2}, "health": {"port": 3}}
    objects = objects_of_outfeed(outfeed(listeners=listeners))
    assert [port["containerPort"] for port in container(objects)["ports"]] == [1, 2, 3]
    assert [port["port"] for port in one(objects, "Service", "hub-outfeed")["spec"]["ports"]] == [1, 2, 3]
    assert [rule["ports"][0]["port"] for rule in one(objects, "NetworkPolicy")["spec"]["ingress"]] == [1, 2, 3]


def test_each_pod_has_a_name_before_it_is_ready():
    spec = one(objects_of_outfeed(), "Service", "hub-outfeed-pods")["spec"]
    assert spec["clusterIP"] == "None"
    assert spec["publishNotReadyAddresses"] is True
    assert one(objects_of_outfeed(), "StatefulSet")["spec"]["serviceName"] == "hub-outfeed-pods"


def test_nntp_is_for_our_own_pods_of_the_namespace():
    rules = one(objects_of_outfeed(feeding_outfeed()), "NetworkPolicy")["spec"]["ingress"]
    assert [rule.get("from") for rule in rules] == [
        [{"namespaceSelector": {}}],
        [{"podSelector": {"matchLabels": OURS}}],
        None,
    ]


def test_the_network_policy_leaves_the_way_out_open():
    spec = one(objects_of_outfeed(), "NetworkPolicy")["spec"]
    assert spec["policyTypes"] == ["Ingress"]
    assert "egress" not in spec


def test_a_drain_is_never_held_up():
    spec = one(objects_of_outfeed(), "PodDisruptionBudget")["spec"]
    assert spec["maxUnavailable"] == 1
    assert spec["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_prometheus_scrapes_each_pod_once():
    objects = objects_of_outfeed()
    monitor = one(objects, "ServiceMonitor")["spec"]
    assert monitor["endpoints"] == [{"port": "health", "path": "/metrics"}]
    ports = [port["name"] for each in objects if each["kind"] == "Service" for port in each["spec"]["ports"]]
    assert ports.count("health") == 1


@pytest.mark.parametrize(
    ("monitoring", "wanted"), [pytest.param(False, True, id="unknown kind"), pytest.param(True, False, id="unwanted")]
)
def test_there_may_be_no_service_monitor(monitoring, wanted):
    chosen = settings(monitoring={"serviceMonitor": wanted})
    kinds = [each["kind"] for each in objects_of_outfeed(chosen=chosen, monitoring=monitoring)]
    assert "ServiceMonitor" not in kinds


def test_prometheus_selects_it_by_labels_that_are_set():
    chosen = settings(monitoring={"labels": {"release": "prometheus", "app.kubernetes.io/name": "mine"}})
    labels = one(objects_of_outfeed(chosen=chosen), "ServiceMonitor")["metadata"]["labels"]
    assert labels["release"] == "prometheus"
    assert labels["app.kubernetes.io/name"] == "outfeed"


@pytest.mark.parametrize(
    ("is_known", "is_wanted", "leftovers"), [(True, True, 0), (True, False, 1), (False, True, 0), (False, False, 0)]
)
def test_one_that_is_not_wanted_is_a_leftover(is_known, is_wanted, leftovers):
    chosen = settings(monitoring={"serviceMonitor": is_wanted})
    assert len(service_leftovers(outfeed(), chosen, monitoring=is_known)) == leftovers
