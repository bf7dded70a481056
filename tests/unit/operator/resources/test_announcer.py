import pytest

from forebay_operator.resources import announcer_leftovers
from operatorobjects import announcer, container, objects_of_announcer, one, pod_spec, settings

SECURED = {"namespaceSelector": {}}


def listening(**listeners):
    """An Announcer with other listeners."""
    return announcer(listeners=listeners)


def ports(service):
    return {each["name"]: (each["port"], each["protocol"]) for each in service["spec"]["ports"]}


def test_it_has_one_object_of_each_kind_but_three_services():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_announcer()] == [
        ("ServiceAccount", "swarm-announcer"),
        ("Service", "swarm-announcer"),
        ("Service", "swarm-announcer-pods"),
        ("NetworkPolicy", "swarm-announcer"),
        ("PodDisruptionBudget", "swarm-announcer"),
        ("StatefulSet", "swarm-announcer"),
        ("ServiceMonitor", "swarm-announcer"),
        ("Service", "swarm-announce"),
    ]


def test_the_pod_serves_the_announcer():
    command = container(objects_of_announcer())["command"]
    assert command[:3] == ["forebay", "serve", "announcer"]
    assert command[command.index("--name") + 1] == "news/swarm"


def test_clients_come_in_from_outside_by_tcp_and_udp_and_keep_their_addresses():
    made = one(objects_of_announcer(), "Service", "swarm-announce")["spec"]
    assert (made["type"], made["externalTrafficPolicy"]) == ("LoadBalancer", "Local")
    assert made["ipFamilyPolicy"] == "PreferDualStack"
    assert ports({"spec": made}) == {"http": (6969, "TCP"), "udp": (6969, "UDP")}
    assert {each["targetPort"] for each in made["ports"]} == {"http", "udp"}


def test_grpc_and_health_are_reached_from_inside_alone():
    made = one(objects_of_announcer(), "Service", "swarm-announcer")
    assert made["spec"]["type"] == "ClusterIP"
    assert ports(made) == {"grpc": (7969, "TCP"), "health": (9969, "TCP")}


def test_announces_are_open_to_everybody_and_grpc_to_pods():
    assert one(objects_of_announcer(), "NetworkPolicy")["spec"]["ingress"] == [
        {"ports": [{"port": 7969, "protocol": "TCP"}], "from": [SECURED]},
        {"ports": [{"port": 6969, "protocol": "TCP"}]},
        {"ports": [{"port": 6969, "protocol": "UDP"}]},
        {"ports": [{"port": 9969, "protocol": "TCP"}]},
    ]


def test_the_pod_listens_by_both_protocols():
    made = container(objects_of_announcer(listening(http={"port": 8080}, udp={"port": 8081})))["ports"]
    assert [(each["name"], each["containerPort"], each["protocol"]) for each in made] == [
        ("grpc", 7969, "TCP"),
        ("http", 8080, "TCP"),
        ("udp", 8081, "UDP"),
        ("health", 9969, "TCP"),
    ]


def test_a_tracker_may_have_the_port_of_web_servers():
    made = pod_spec(objects_of_announcer(listening(http={"port": 80})))
    sysctl = {"name": "net.ipv4.ip_unprivileged_port_start", "value": "80"}
    assert made["securityContext"]["sysctls"] == [sysctl]


@pytest.mark.parametrize(("off", "left"), [("http", "udp"), ("udp", "http")])
def test_a_protocol_that_is_off_has_no_port(off, left):
    made = listening(**{off: {"enabled": False}})
    objects = objects_of_announcer(made)
    assert set(ports(one(objects, "Service", "swarm-announce"))) == {left}
    assert off not in {each["name"] for each in container(objects)["ports"]}
    admitted = [port for rule in one(objects, "NetworkPolicy")["spec"]["ingress"] for port in rule["ports"]]
    assert len(admitted) == 3
    assert announcer_leftovers(made) == []


def test_without_both_there_is_no_service_for_clients_and_the_former_one_goes():
    made = listening(http={"enabled": False}, udp={"enabled": False})
    assert "swarm-announce" not in {each["metadata"]["name"] for each in objects_of_announcer(made)}
    [(kind, name)] = announcer_leftovers(made)
    assert (kind.kind, name) == ("Service", "swarm-announce")


def test_its_memory_is_the_one_of_its_spec():
    wanted = {"requests": {"cpu": "1", "memory": "1Mi"}, "limits": {"memory": "2Mi"}}
    made = container(objects_of_announcer(announcer(memory="2GiB"), settings(service={"resources": wanted})))
    assert made["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}


def test_its_volume_has_the_size_of_its_spec():
    [claim] = one(objects_of_announcer(announcer(storage={"size": "3GiB"})), "StatefulSet")["spec"][
        "volumeClaimTemplates"
    ]
    assert claim["spec"]["resources"]["requests"]["storage"] == "3Gi"


@pytest.mark.parametrize(
    ("change", "rolls"),
    [
        ({"memory": "2GiB"}, True),
        ({"listeners": {"udp": {"port": 6970}}}, True),
        ({"announces": {"interval": "1h"}}, False),
        ({"swarms": {"maxPeers": 2000}}, False),
        ({"torrents": {"mode": "allow"}}, False),
        ({"forwarding": {"workers": 20}}, False),
        ({"clients": ["panel"]}, False),
    ],
    ids=str,
)
def test_only_what_can_not_be_changed_live_rolls_the_pod(change, rolls):
    before, after = (
        one(objects_of_announcer(made), "StatefulSet")["spec"] for made in (announcer(), announcer(**change))
    )
    assert (before["template"] != after["template"]) is rolls


def test_another_server_behind_its_spill_rolls_the_pod():
    templates = [one(objects_of_announcer(spill=spill), "StatefulSet")["spec"]["template"] for spill in ("", "1", "2")]
    assert [each["metadata"].get("annotations") for each in templates] == [
        None,
        {"forebay.dev/spill": "1"},
        {"forebay.dev/spill": "2"},
    ]
