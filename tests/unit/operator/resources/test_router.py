import pytest

from forebay_operator.resources import router_leftovers
from operatorobjects import container, listening_router, objects_of_router, one, pod_spec, router, settings

SECURED = {"namespaceSelector": {}}


def ports(service):
    return {each["name"]: (each["port"], each["protocol"]) for each in service["spec"]["ports"]}


def test_it_has_one_object_of_each_kind_but_two_services():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_router()] == [
        ("ServiceAccount", "chat-router"),
        ("Service", "chat-router"),
        ("Service", "chat-router-pods"),
        ("NetworkPolicy", "chat-router"),
        ("PodDisruptionBudget", "chat-router"),
        ("StatefulSet", "chat-router"),
        ("ServiceMonitor", "chat-router"),
    ]


def test_the_pods_serve_the_router():
    command = container(objects_of_router())["command"]
    assert command[:3] == ["forebay", "serve", "router"]
    assert command[command.index("--name") + 1] == "news/chat"


def test_there_are_as_many_pods_as_it_says_none_of_which_may_call_the_api_server():
    objects = objects_of_router(router(replicas=3))
    assert one(objects, "StatefulSet")["spec"]["replicas"] == 3
    assert pod_spec(objects)["automountServiceAccountToken"] is False
    assert {each["kind"] for each in objects}.isdisjoint({"Role", "RoleBinding"})


def test_pods_find_each_other_ready_or_not():
    made = one(objects_of_router(), "Service", "chat-router-pods")["spec"]
    assert (made["clusterIP"], made["publishNotReadyAddresses"]) == ("None", True)
    assert one(objects_of_router(), "StatefulSet")["spec"]["serviceName"] == "chat-router-pods"


def test_it_keeps_nothing_on_disk():
    objects = objects_of_router()
    spec = one(objects, "StatefulSet")["spec"]
    assert "volumeClaimTemplates" not in spec
    assert "persistentVolumeClaimRetentionPolicy" not in spec
    volumes = {each["name"]: each for each in pod_spec(objects)["volumes"]}
    assert volumes["data"] == {"name": "data", "emptyDir": {"sizeLimit": "64Mi"}}
    mounts = {each["name"]: each.get("readOnly", False) for each in container(objects)["volumeMounts"]}
    assert mounts == {"config": True, "tls": True, "data": False, "tmp": False}


def test_processes_and_routers_come_in_from_any_pod_by_grpc():
    objects = objects_of_router()
    assert ports(one(objects, "Service", "chat-router")) == {"grpc": (7720, "TCP"), "health": (9720, "TCP")}
    assert one(objects, "NetworkPolicy")["spec"]["ingress"] == [
        {"ports": [{"port": 7720, "protocol": "TCP"}], "from": [SECURED]},
        {"ports": [{"port": 9720, "protocol": "TCP"}]},
    ]


def test_links_over_udp_come_in_from_outside_by_a_service_of_their_own():
    objects = objects_of_router(listening_router())
    made = one(objects, "Service", "chat-links")
    assert ports(made) == {"udp": (7720, "UDP")}
    assert (made["spec"]["type"], made["spec"]["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    assert "udp" not in ports(one(objects, "Service", "chat-router"))
    assert {"ports": [{"port": 7720, "protocol": "UDP"}]} in one(objects, "NetworkPolicy")["spec"]["ingress"]
    names = [(each["name"], each["protocol"]) for each in container(objects)["ports"]]
    assert names == [("grpc", "TCP"), ("udp", "UDP"), ("health", "TCP")]
    assert router_leftovers(listening_router()) == []


def test_without_links_over_udp_their_former_service_goes():
    [(kind, name)] = router_leftovers(router())
    assert (kind.kind, name) == ("Service", "chat-links")


def test_its_memory_is_the_one_of_its_spec():
    wanted = {"requests": {"cpu": "1", "memory": "1Mi"}, "limits": {"memory": "2Mi"}}
    made = container(objects_of_router(router(memory="2GiB"), settings(service={"resources": wanted})))
    assert made["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}


@pytest.mark.parametrize(
    ("change", "rolls"),
    [
        ({"domain": "east"}, True),
        ({"memory": "2GiB"}, True),
        ({"listeners": {"grpc": {"port": 7721}}}, True),
        ({"replicas": 3}, False),
        ({"peers": ["elsewhere.example:7720"]}, False),
        ({"queues": {"low": "1MiB"}}, False),
        ({"names": [{"principal": "a", "names": ["a.*"]}]}, False),
        ({"clients": ["panel"]}, False),
    ],
    ids=str,
)
def test_only_what_can_not_be_changed_live_rolls_the_pods(change, rolls):
    before, after = (one(objects_of_router(made), "StatefulSet")["spec"] for made in (router(), router(**change)))
    assert (before["template"] != after["template"]) is rolls


def test_another_server_behind_its_spill_rolls_the_pods():
    templates = [one(objects_of_router(spill=spill), "StatefulSet")["spec"]["template"] for spill in ("", "1", "2")]
    assert [each["metadata"]["annotations"].get("forebay.dev/spill") for each in templates] == [None, "1", "2"]
