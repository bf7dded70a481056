import pytest

from operatorobjects import container, objects_of_store, one, pod_spec, settings, store

SECURED = {"namespaceSelector": {}}


def test_it_has_one_object_of_each_kind_but_two_services():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_store()] == [
        ("ServiceAccount", "shop-store"),
        ("Service", "shop-store"),
        ("Service", "shop-store-pods"),
        ("NetworkPolicy", "shop-store"),
        ("PodDisruptionBudget", "shop-store"),
        ("StatefulSet", "shop-store"),
        ("ServiceMonitor", "shop-store"),
    ]


def test_the_pod_serves_the_store():
    assert container(objects_of_store())["command"] == [
        "forebay",
        "serve",
        "store",
        *("--config", "/etc/forebay/config"),
        *("--name", "news/shop"),
        *("--data", "/var/lib/forebay"),
        *("--tls", "/etc/forebay/tls"),
        *("--operator", "operator.forebay"),
        *("--drain-endpoints", "3"),
    ]


def test_its_memory_is_the_one_of_its_spec_and_the_rest_is_of_the_settings():
    wanted = {"requests": {"cpu": "1", "memory": "1Mi"}, "limits": {"memory": "2Mi", "cpu": "2"}}
    made = container(objects_of_store(store(memory={"limit": "3GiB"}), settings(service={"resources": wanted})))
    assert made["resources"] == {
        "requests": {"cpu": "1", "memory": "3Gi"},
        "limits": {"cpu": "2", "memory": "3Gi"},
    }


def test_its_volume_has_the_size_of_its_spec_and_outlives_it():
    spec = one(objects_of_store(store(storage={"size": "30GiB"})), "StatefulSet")["spec"]
    [claim] = spec["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "30Gi"
    assert spec["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Retain"


def test_grpc_is_open_to_pods_and_health_to_everybody():
    assert one(objects_of_store(), "NetworkPolicy")["spec"]["ingress"] == [
        {"ports": [{"port": 7672, "protocol": "TCP"}], "from": [SECURED]},
        {"ports": [{"port": 9672, "protocol": "TCP"}]},
    ]


def test_its_ports_are_those_of_its_listeners():
    objects = objects_of_store(store(listeners={"grpc": {"port": 7000}, "health": {"port": 7001}}))
    ports = {each["name"]: each["containerPort"] for each in container(objects)["ports"]}
    assert ports == {"grpc": 7000, "health": 7001}
    service = one(objects, "Service", "shop-store")
    assert {each["name"]: each["port"] for each in service["spec"]["ports"]} == ports


@pytest.mark.parametrize(
    ("change", "rolls"),
    [
        ({"index": "disk"}, True),
        ({"memory": {"limit": "2GiB"}}, True),
        ({"memory": {"highWatermark": 0.5}}, False),
        ({"fsync": {"mode": "none"}}, False),
        ({"storage": {"freeLimit": "1GiB"}}, False),
        ({"messages": {"maxSize": "1MiB"}}, False),
        ({"clients": ["shop"]}, False),
    ],
    ids=str,
)
def test_only_what_can_not_be_changed_live_rolls_the_pod(change, rolls):
    before, after = (one(objects_of_store(made), "StatefulSet")["spec"] for made in (store(), store(**change)))
    assert (before["template"] != after["template"]) is rolls


@pytest.mark.parametrize(("before", "after", "rolls"), [(1, 2, False), (2, 1, False), (0, 1, True)])
def test_pods_are_rolled_by_their_first_mirror_and_by_no_other(before, after, rolls):
    old, new = (one(objects_of_store(store(mirrors=count)), "StatefulSet")["spec"] for count in (before, after))
    assert (old["template"] != new["template"]) is rolls
    assert new["replicas"] == after + 1


def test_it_has_no_volume_but_its_own_and_its_secrets():
    volumes = {each["name"]: each for each in pod_spec(objects_of_store())["volumes"]}
    assert volumes.keys() == {"config", "tls", "tmp"}
    assert volumes["config"]["secret"]["secretName"] == "shop-store-config"


def test_with_mirrors_it_has_as_many_pods_more_which_may_keep_one_lease():
    objects = objects_of_store(store(mirrors=2))
    assert one(objects, "StatefulSet")["spec"]["replicas"] == 3
    assert pod_spec(objects)["automountServiceAccountToken"] is True
    assert one(objects, "Role")["rules"] == [
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "resourceNames": ["shop-store"],
            "verbs": ["get", "update"],
        },
    ]
    binding = one(objects, "RoleBinding")
    assert binding["roleRef"]["name"] == "shop-store"
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "shop-store", "namespace": "news"}]


def test_without_mirrors_its_pod_has_no_way_to_the_api_server():
    assert pod_spec(objects_of_store())["automountServiceAccountToken"] is False
    assert "Role" not in {each["kind"] for each in objects_of_store()}
