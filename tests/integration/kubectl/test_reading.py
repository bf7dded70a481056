"""What is asked of the API server alone: a real one, with the custom resources of the chart."""

import stat

import pytest
from cryptography.x509 import DNSName

from forebay.cli.kubectl.main import app
from forebay.runtime import CertificateFolder
from kubeaccess import program

from .command import Result
from .conftest import condition, made, pod_spec

READY = condition("Ready", reason="Applied")


@pytest.fixture
def read(apiserver, capsys, monkeypatch):
    """Run a command within this process, with the real kubectl."""
    monkeypatch.setenv("KUBECONFIG", str(apiserver.kubeconfig))
    monkeypatch.setenv("KUBECTL", str(program("kubectl")))

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            app([*map(str, arguments)])
        printed = capsys.readouterr()
        return Result(caught.value.code or 0, printed.out, printed.err)

    return run


@pytest.fixture
async def hub(place):
    """A Spill, an Outfeed with a pod and two peers, of which the service refused one."""
    rule = {"principal": f"inn.{place.name}.client.forebay", "methods": ["Offer"]}
    gone = {"kind": "Outfeed", "name": "old", "uid": "1234"}
    outfeed = {"spillRef": {"name": "main"}, "clients": ["inn"], "access": [rule]}
    peer = {"outfeedRef": {"name": "hub"}, "hosts": ["news.example.com"]}
    refused = condition("Ready", "False", "Refused", "spec.port: is taken")
    await place.resource("Spill", "main", READY, spec={"url": "redis://redis.example"}, services=[gone])
    await place.resource("Outfeed", "hub", READY, spec=outfeed, peers="1/2", backlog=0, revision=4)
    await place.resource("Peerfeed", "east", READY, spec=peer, connections=2)
    await place.resource("Peerfeed", "west", refused, spec=peer)
    await place.pod("hub-outfeed-0", "outfeed", "hub")
    return place


async def test_status_shows_the_tree_and_first_what_is_wrong(read, hub):
    status, out, err = read("status", "-n", hub.name)
    assert (status, err) == (0, "")
    problem, step, _, title, _, *rows = out.splitlines()
    assert problem == "Peerfeed/west: Ready is False (Refused): spec.port: is taken"
    assert step == f"  next: kubectl describe peerfeed west -n {hub.name}"
    assert title == f"namespace {hub.name}"
    assert [row.split()[:2] for row in rows[:2]] == [["Spill/main", "True"], ["Outfeed/hub", "True"]]
    assert [row.split()[1] for row in rows[2:]] == ["Pod/hub-outfeed-0", "Peerfeed/east", "Peerfeed/west"]
    assert "peers 1/2" in rows[1]


async def test_status_of_one_resource_for_programs(read, hub):
    found = read("status", "of/hub", "-n", hub.name, "-o", "json").json()
    [outfeed] = found["resources"]
    assert outfeed["figures"] == {"peers": "1/2", "backlog": 0, "revision": 4}
    assert [child["name"] for child in outfeed["children"]] == ["east", "west"]
    assert [problem["about"] for problem in found["problems"]] == ["Peerfeed/west"]


async def test_status_is_of_all_namespaces_where_that_is_asked_for(read, hub):
    found = read("status", "-A")
    assert found.status == 0
    assert f"namespace {hub.name}" in found.out


async def test_status_where_there_is_nothing_tells_how_to_begin(read, place):
    assert "kubectl apply" in read("status", "-n", place.name).out


async def test_a_wrong_name_is_told_with_the_right_one(read, hub):
    status, _, err = read("clients", "hubb", "-n", hub.name)
    assert (status, err) == (2, "Error: there is no Outfeed hubb\nDid you mean hub?\n")


async def test_who_may_not_look_is_told_who_can_help(read, hub, apiserver):
    nobody = apiserver.account(hub.name, "default")
    status, _, err = read("status", "-n", hub.name, "--kubeconfig", nobody.kubeconfig)
    assert status == 1
    assert "is forbidden" in err
    assert "kubectl auth can-i" in err


async def test_a_cluster_out_of_reach_is_told(read, tmp_path):
    status, _, err = read("status", "--kubeconfig", tmp_path / "none")
    assert status == 3
    assert "--kubeconfig" in err


async def test_clients_are_listed_with_what_their_certificates_say(read, hub, authority):
    await hub.issue(authority, "inn", DNSName("inn.client.forebay"))
    found = read("clients", "hub", "-n", hub.name, "-o", "json").json()
    assert [(each["client"], each["principals"]) for each in found] == [
        ("inn", ["inn.client.forebay"]),
        ("kubectl", []),
    ]
    assert found[0]["expires"].endswith("Z")
    assert "not issued yet" in read("clients", "hub", "-n", hub.name).out


async def test_a_saved_client_can_be_used_and_is_private(read, hub, authority, tmp_path):
    await hub.issue(authority, "inn", DNSName("inn.client.forebay"))
    folder = tmp_path / "certificates" / "inn"
    assert read("clients", "hub", "-n", hub.name, "--save", "inn", folder).status == 0
    CertificateFolder(folder)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_access_is_told_with_the_clients_of_each_rule(read, hub):
    found = read("access", "hub", "-n", hub.name, "-o", "json").json()
    rule = {"principal": f"inn.{hub.name}.client.forebay", "methods": ["Offer"], "clients": ["inn"]}
    assert found == {"open": False, "rules": [rule]}


async def test_a_store_is_named_with_its_kind(read, place):
    rule = {"principal": f"till.{place.name}.client.forebay", "methods": ["Publish"]}
    await place.resource("Store", "main", spec={"clients": ["till"], "access": [rule]})
    found = read("access", "store/main", "-n", place.name, "-o", "json").json()
    assert found == {"open": False, "rules": [{**rule, "clients": ["till"]}]}
    assert read("access", "st/main", "-n", place.name, "--check", "till", "Consume").status == 1
    clients = read("clients", "store/main", "-n", place.name, "-o", "json").json()
    assert [each["secret"] for each in clients] == ["main-store-client-kubectl", "main-store-client-till"]


async def test_an_empty_access_list_is_told_to_be_open(read, place):
    await place.resource("Outfeed", "hub", spec={"spillRef": {"name": "main"}})
    assert "may call everything" in read("access", "hub", "-n", place.name).out


@pytest.mark.parametrize(
    ("who", "status", "words"),
    [
        pytest.param("inn", 0, "may call forebay.outfeed.v1.OutfeedService/Offer", id="client"),
        pytest.param("x.example", 1, "x.example may not call forebay.outfeed.v1.OutfeedService/Offer", id="principal"),
    ],
)
async def test_access_is_checked_as_the_service_does(read, hub, who, status, words):
    found = read("access", "hub", "-n", hub.name, "--check", who, "Offer")
    assert found.status == status
    assert words in found.out + found.err


async def test_purges_tell_which_services_are_gone(read, hub):
    job = {"template": {"spec": pod_spec("purge")}}
    await hub.create("Job", "purge-1234-abcd", made("purge", "main"), spec=job)
    [found] = read("purges", "-n", hub.name, "-o", "json").json()
    assert (found["spill"], found["name"], found["state"]) == ("main", "old", "gone, being purged")
