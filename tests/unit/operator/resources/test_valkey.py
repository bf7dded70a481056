import pytest

from forebay_operator.resources import valkey_objects
from operatorobjects import (
    container,
    given_spill,
    managed_spill,
    objects_of_valkey,
    one,
    pod_spec,
    settings,
)

OURS = {"app.kubernetes.io/part-of": "forebay", "app.kubernetes.io/managed-by": "forebay-operator"}


def options(objects):
    command = container(objects)["command"]
    return dict(zip(command[2::2], command[3::2], strict=True))


def test_it_has_a_service_a_network_policy_and_a_stateful_set():
    assert [(each["kind"], each["metadata"]["name"]) for each in objects_of_valkey()] == [
        ("Service", "main-valkey"),
        ("NetworkPolicy", "main-valkey"),
        ("StatefulSet", "main-valkey"),
    ]


def test_a_spill_that_is_given_has_none():
    with pytest.raises(ValueError, match="main is not managed"):
        valkey_objects(given_spill(), "", settings())


def test_the_server_reads_its_password_from_a_file():
    objects = objects_of_valkey()
    assert container(objects)["command"][:2] == ["valkey-server", "/etc/forebay/valkey/valkey.conf"]
    volume = next(each for each in pod_spec(objects)["volumes"] if each["name"] == "config")
    assert volume["secret"]["secretName"] == "main-valkey"
    assert volume["secret"]["items"] == [{"key": "valkey.conf", "path": "valkey.conf"}]


def test_nothing_that_was_added_is_dropped():
    assert options(objects_of_valkey())["--maxmemory-policy"] == "noeviction"


@pytest.mark.parametrize("durability", ["everysec", "always"])
def test_everything_is_written_to_the_volume(durability):
    given = options(objects_of_valkey(managed_spill(durability=durability)))
    assert given["--dir"] == "/data"
    assert given["--appendonly"] == "yes"
    assert given["--appendfsync"] == durability
    assert given["--save"] == ""


def test_memory_for_entries_is_the_spills():
    assert options(objects_of_valkey(managed_spill(memory="256MiB")))["--maxmemory"] == str(256 * 1024**2)


def test_the_pod_may_use_more_memory_than_the_entries():
    wanted = {"requests": {"cpu": "100m", "memory": "1Mi"}}
    objects = objects_of_valkey(managed_spill(memory="512MiB"), settings(valkey={"resources": wanted}))
    assert container(objects)["resources"] == {
        "requests": {"cpu": "100m", "memory": "704Mi"},
        "limits": {"memory": "1088Mi"},
    }


def test_storage_is_the_spills():
    (claim,) = one(objects_of_valkey(managed_spill(storage="9GB")), "StatefulSet")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"] == {"requests": {"storage": "9G"}}


def test_the_image_may_be_another():
    objects = objects_of_valkey(managed_spill(image="valkey.example/valkey:9"))
    assert container(objects)["image"] == "valkey.example/valkey:9"


def test_its_own_image_is_ours():
    assert container(objects_of_valkey())["image"] == "forebay.example/service:1.0"


def test_another_password_restarts_the_server():
    template = one(objects_of_valkey(digest="89ab"), "StatefulSet")["spec"]["template"]
    assert template["metadata"]["annotations"] == {"forebay.dev/password": "89ab"}


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_probes_connect(probe):
    assert container(objects_of_valkey())[probe]["tcpSocket"] == {"port": "valkey"}


def test_it_lets_in_our_own_pods_of_the_namespace_alone():
    spec = one(objects_of_valkey(), "NetworkPolicy")["spec"]
    assert spec["ingress"] == [
        {"ports": [{"port": 6379, "protocol": "TCP"}], "from": [{"podSelector": {"matchLabels": OURS}}]}
    ]
