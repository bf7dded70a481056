import pytest

from forebay_operator.resources import conduitnode_leftovers
from operatorobjects import (
    conduitnode,
    container,
    meeting_conduitnode,
    objects_of_conduitnode,
    one,
    pod_spec,
    settings,
)

KEYED = {"keys": [{"id": 1, "keyFrom": {"secretRef": {"name": "keys", "key": "old"}}}]}
SECURED = {"namespaceSelector": {}}


def ports(service):
    return {each["name"]: (each["port"], each["protocol"]) for each in service["spec"]["ports"]}


def services(objects):
    return [each["metadata"]["name"] for each in objects if each["kind"] == "Service"]


def leftovers(node):
    return [(kind.kind, name) for kind, name in conduitnode_leftovers(node)]


def test_it_has_one_object_of_each_kind_but_a_service_for_each_pod():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_conduitnode(conduitnode(replicas=2))] == [
        ("ServiceAccount", "press-conduitnode"),
        ("Service", "press-conduitnode"),
        ("Service", "press-conduitnode-pods"),
        ("NetworkPolicy", "press-conduitnode"),
        ("PodDisruptionBudget", "press-conduitnode"),
        ("StatefulSet", "press-conduitnode"),
        ("ServiceMonitor", "press-conduitnode"),
        ("Service", "press-conduit-0"),
        ("Service", "press-conduit-1"),
    ]


def test_the_pods_serve_the_node():
    command = container(objects_of_conduitnode())["command"]
    assert command[:3] == ["forebay", "serve", "conduitnode"]
    assert command[command.index("--name") + 1] == "news/press"


def test_pods_have_lasting_names_and_keep_nothing_on_disk():
    objects = objects_of_conduitnode(conduitnode(replicas=3))
    spec = one(objects, "StatefulSet")["spec"]
    assert (spec["replicas"], spec["serviceName"]) == (3, "press-conduitnode-pods")
    assert "volumeClaimTemplates" not in spec
    assert pod_spec(objects)["automountServiceAccountToken"] is False
    found = one(objects, "Service", "press-conduitnode-pods")["spec"]
    assert (found["clusterIP"], found["publishNotReadyAddresses"]) == ("None", True)


def test_peers_outside_reach_each_pod_by_a_service_of_its_own():
    objects = objects_of_conduitnode(meeting_conduitnode())
    for pod in ("0", "1"):
        made = one(objects, "Service", f"press-conduit-{pod}")
        assert ports(made) == {"udp": (7448, "UDP"), "tcp": (7448, "TCP")}
        assert made["spec"]["selector"] == {
            "app.kubernetes.io/name": "conduitnode",
            "app.kubernetes.io/part-of": "forebay",
            "app.kubernetes.io/instance": "press",
            "statefulset.kubernetes.io/pod-name": f"press-conduitnode-{pod}",
        }
        assert (made["spec"]["type"], made["spec"]["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    assert ports(one(objects, "Service", "press-conduitnode")) == {"grpc": (7449, "TCP"), "health": (9449, "TCP")}


def test_peers_and_the_group_come_in_from_anywhere_and_callers_from_any_pod():
    objects = objects_of_conduitnode(meeting_conduitnode())
    assert one(objects, "NetworkPolicy")["spec"]["ingress"] == [
        {"ports": [{"port": 7449, "protocol": "TCP"}], "from": [SECURED]},
        {"ports": [{"port": 7448, "protocol": "UDP"}]},
        {"ports": [{"port": 7448, "protocol": "TCP"}]},
        {"ports": [{"port": 7447, "protocol": "UDP"}]},
        {"ports": [{"port": 9449, "protocol": "TCP"}]},
    ]


def test_pods_on_the_network_of_their_hosts_have_no_services_outside_and_find_names_of_the_cluster():
    node = meeting_conduitnode(hostNetwork=True)
    objects = objects_of_conduitnode(node)
    assert services(objects) == ["press-conduitnode", "press-conduitnode-pods"]
    assert leftovers(node) == [("Service", f"press-conduit-{pod}") for pod in range(16)]
    pod = pod_spec(objects)
    assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    # A host's name says nothing of which pod it is.
    named = {"name": "FOREBAY_POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    assert container(objects)["env"] == [named]
    # Other programs of the host may be in the group too, so nobody claims its port.
    assert [each["name"] for each in container(objects)["ports"]] == ["grpc", "udp", "tcp", "health"]
    assert "hostNetwork" not in pod_spec(objects_of_conduitnode(meeting_conduitnode()))


def test_a_pod_on_the_network_of_its_host_asks_for_no_change_of_it():
    for host_network, asked in ((False, True), (True, False)):
        node = conduitnode(hostNetwork=host_network, listeners={"udp": {"port": 744}})
        security = pod_spec(objects_of_conduitnode(node))["securityContext"]
        assert ("sysctls" in security) is asked


def test_services_of_pods_that_are_no_more_go():
    assert leftovers(conduitnode(replicas=14)) == [("Service", "press-conduit-14"), ("Service", "press-conduit-15")]
    assert leftovers(conduitnode(replicas=16)) == []


def test_its_memory_is_the_one_of_its_spec():
    wanted = {"requests": {"cpu": "1", "memory": "1Mi"}, "limits": {"memory": "2Mi"}}
    made = container(objects_of_conduitnode(conduitnode(memory="2GiB"), settings(service={"resources": wanted})))
    assert made["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}


@pytest.mark.parametrize(
    ("change", "rolls"),
    [
        ({"memory": "2GiB"}, True),
        ({"hostNetwork": True}, True),
        ({"listeners": {"udp": {"port": 7450}}}, True),
        ({"listeners": {"tcp": {}}}, True),
        ({"lease": "10s"}, True),
        ({"extras": {"history": False}}, True),
        ({"limits": {"peers": 9}}, True),
        ({"scouting": {"interval": "1s"}}, True),
        ({"authentication": KEYED}, True),
        ({"replicas": 3}, False),
        ({"peers": ["udp/elsewhere.example:7448"]}, False),
        ({"scouting": {"resolveInterval": "1s"}}, False),
        ({"limits": {"publishers": 9}}, False),
        ({"congestion": {"policy": "drop"}}, False),
        ({"resources": [{"uri": "/plant"}]}, False),
        ({"clients": ["panel"]}, False),
    ],
    ids=str,
)
def test_only_what_can_not_be_changed_live_rolls_the_pods(change, rolls):
    nodes = conduitnode(), conduitnode(**change)
    before, after = (one(objects_of_conduitnode(made), "StatefulSet")["spec"] for made in nodes)
    assert (before["template"] != after["template"]) is rolls


def test_other_keys_go_to_pods_that_run():
    keys = [*KEYED["keys"], {"id": 2, "keyFrom": {"secretRef": {"name": "keys", "key": "new"}}}]
    nodes = conduitnode(authentication=KEYED), conduitnode(authentication={"keys": keys})
    before, after = (one(objects_of_conduitnode(made), "StatefulSet")["spec"] for made in nodes)
    assert before["template"] == after["template"]


def test_another_server_behind_its_spill_rolls_the_pods():
    made = [one(objects_of_conduitnode(spill=spill), "StatefulSet")["spec"]["template"] for spill in ("", "1", "2")]
    assert [each["metadata"].get("annotations", {}).get("forebay.dev/spill") for each in made] == [None, "1", "2"]
