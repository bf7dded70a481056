import json
import random
import zlib
from copy import deepcopy

import pytest

from forebay.api import read_objects
from forebay.runtime.document import decode, encode
from forebay_operator.configuration import (
    compose,
    compose_announcer,
    compose_conduitnode,
    compose_router,
    compose_store,
)
from forebay_operator.configuration.composition import LARGEST
from manifests import announcer, conduitnode, forwarder, outfeed, peerfeed, router, routerlink, spill, store, storequeue

AUTH = {"username": "us", "passwordFrom": {"secretRef": {"name": "login", "key": "password"}}}
SPILL = spill()
SECRETS = {"news/login": {"password": "hunter2", "unused": "x"}}


def composed(*peerfeeds, spill=SPILL, targets=(), secrets=()):
    return compose(outfeed(), spill, peerfeeds, targets, dict(secrets))


def names(composition):
    return [f"{manifest['kind']}/{manifest['metadata']['name']}" for manifest in composition.manifests]


def as_served(body):
    """As an API server gives it."""
    served = deepcopy(body)
    served["metadata"] |= {
        "resourceVersion": "7",
        "managedFields": [{"manager": "kubectl"}],
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "forebay.dev/note": "x"},
        "labels": {"team": "news"},
    }
    return {**served, "status": {"conditions": []}}


def shuffled(value, rng):
    """The same with the keys of its mappings in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(item, rng)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    return [shuffled(item, rng) for item in value] if isinstance(value, list) else value


def test_a_document_holds_the_outfeed_its_spill_its_targets_and_its_peers_in_order():
    targets = [outfeed("z"), outfeed("a")]
    composition = composed(peerfeed("two"), peerfeed("one"), targets=targets)
    assert names(composition) == [
        "Spill/main",
        "Outfeed/main",
        "Outfeed/a",
        "Outfeed/z",
        "Peerfeed/one",
        "Peerfeed/two",
    ]


def test_a_resource_that_is_given_twice_is_in_it_once():
    assert names(composed(targets=[outfeed(), outfeed("a"), outfeed("a")])) == [
        "Spill/main",
        "Outfeed/main",
        "Outfeed/a",
    ]


def test_services_can_read_it():
    composition = composed(peerfeed("one", auth=AUTH), secrets=SECRETS)
    document = decode(3, composition.document)
    assert all(not reading.violations for reading in read_objects(document.manifests))
    assert document == composition.at(3)


def test_what_the_api_server_adds_is_left_out():
    bodies = [as_served(each) for each in (outfeed(), spill(), peerfeed("one"))]
    composition = compose(bodies[0], bodies[1], [bodies[2]], [], {})
    assert composition.document == composed(peerfeed("one")).document
    for manifest in composition.manifests:
        assert manifest.keys() == {"apiVersion", "kind", "metadata", "spec"}
        assert manifest["metadata"].keys() == {"name", "namespace", "uid", "generation"}


def test_the_order_of_keys_and_of_peers_does_not_matter():
    peers = [peerfeed(name, auth=AUTH, groups=["misc.*", "!misc.jobs"]) for name in ("one", "two", "three")]
    first = composed(*peers, secrets=SECRETS)
    rng = random.Random(7)
    again = composed(*(shuffled(peer, rng) for peer in rng.sample(peers, 3)), secrets=SECRETS)
    assert (first.document, first.digest) == (again.document, again.digest)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(composed(peerfeed("one", port=120)), id="spec"),
        pytest.param(composed(peerfeed("two")), id="name"),
        pytest.param(composed(), id="fewer"),
        pytest.param(
            composed({**peerfeed("one"), "metadata": {**peerfeed("one")["metadata"], "generation": 2}}), id="generation"
        ),
    ],
)
def test_any_other_content_has_another_digest(other):
    assert composed(peerfeed("one")).digest != other.digest


def test_a_secret_value_is_part_of_the_content_and_shows_nowhere():
    first, second = (
        composed(peerfeed(auth=AUTH), secrets={"news/login": {"password": word}}) for word in ("a1b2", "c3d4")
    )
    assert first.digest != second.digest
    assert "a1b2" not in repr(first)


def test_only_the_keys_that_are_referred_to_are_taken():
    composition = composed(peerfeed(auth=AUTH), secrets=SECRETS)
    assert {name: set(values) for name, values in composition.secrets.items()} == {"news/login": {"password"}}
    assert composition.secrets["news/login"]["password"].reveal() == "hunter2"


@pytest.mark.parametrize("secrets", [{}, {"news/login": {}}, {"other/login": {"password": "x"}}])
def test_a_resource_whose_secret_is_missing_stays_in_and_is_told(secrets):
    composition = composed(peerfeed("one", auth=AUTH), peerfeed("two"), secrets=secrets)
    assert names(composition)[-2:] == ["Peerfeed/one", "Peerfeed/two"]
    assert composition.faults.keys() == {("Peerfeed", "news", "one")}
    [violation] = composition.faults["Peerfeed", "news", "one"]
    assert violation.field == "spec.auth.passwordFrom.secretRef"
    assert "Secret login" in violation.description
    assert "key password" in violation.description


def test_a_malformed_resource_stays_in_as_it_is():
    composition = composed(peerfeed("one", window=-1))
    assert composition.manifests[-1]["spec"]["window"] == -1
    assert not composition.faults


def test_a_managed_spill_is_one_whose_url_is_in_the_secret_of_its_server():
    managed = spill(managed={"memory": "64MiB"}, durability="always")
    composition = composed(
        spill=managed, secrets={"news/main-valkey": {"url": "redis://:x@main-valkey.news.svc:6379/0"}}
    )
    reference = {"secretRef": {"name": "main-valkey", "key": "url"}}
    assert composition.manifests[0]["spec"] == {"durability": "always", "urlFrom": reference}
    assert composition.secrets["news/main-valkey"]["url"].reveal().startswith("redis://")
    assert managed["spec"]["managed"] == {"memory": "64MiB"}


def test_a_spill_that_is_missing_is_left_out():
    assert names(composed(spill=None)) == ["Outfeed/main"]


def test_a_stored_document_of_the_same_content_is_known():
    composition = composed(peerfeed("one"))
    assert composition.is_in(composition.document)
    repacked = zlib.compress(json.dumps(json.loads(zlib.decompress(composition.document)), indent=1).encode(), 1)
    assert composition.is_in(repacked)


@pytest.mark.parametrize("stored", [b"", b"nonsense", encode(composed().at(1))])
def test_another_one_and_one_that_can_not_be_read_are_not(stored):
    assert not composed(peerfeed("one")).is_in(stored)


def test_a_document_that_fits_into_a_secret_has_no_problem():
    assert composed(peerfeed("one")).problem == ""


def test_a_document_that_does_not_is_told_with_its_size_and_the_remedy():
    rng = random.Random(7)
    peers = [peerfeed(f"p{number}", groups=[rng.randbytes(200).hex() for _ in range(100)]) for number in range(60)]
    composition = composed(*peers)
    size = len(composition.document)
    assert size > LARGEST
    assert f"{size:,} octets compressed, with 60 Peerfeeds" in composition.problem
    assert "divide the Peerfeeds among several Outfeeds" in composition.problem


def test_a_store_comes_before_its_queues():
    composition = compose_store(store(), [storequeue("returns"), storequeue("orders")])
    assert names(composition) == ["Store/main", "StoreQueue/orders", "StoreQueue/returns"]
    assert (dict(composition.secrets), dict(composition.faults)) == ({}, {})
    assert composition.is_in(composition.document)


def test_a_malformed_queue_stays_in_as_it_is():
    composition = compose_store(store(), [storequeue("orders", maxLength=-1)])
    assert composition.manifests[-1]["spec"]["maxLength"] == -1


def test_queues_that_do_not_fit_are_told_with_the_remedy():
    rng = random.Random(7)
    queues = [storequeue(f"q{number}", bindings=[rng.randbytes(100).hex() for _ in range(200)]) for number in range(60)]
    problem = compose_store(store(), queues).problem
    assert "with 60 StoreQueues" in problem
    assert problem.endswith("divide the StoreQueues among several Stores")


def test_an_announcer_comes_between_its_spill_and_its_forwarders():
    forwarders = [forwarder("west"), forwarder("east")]
    composition = compose_announcer(announcer(spillRef={"name": "main"}), spill(), forwarders, {})
    assert names(composition) == ["Spill/main", "Announcer/main", "Forwarder/east", "Forwarder/west"]
    assert names(compose_announcer(announcer(), None, forwarders, {}))[0] == "Announcer/main"


def test_the_managed_spill_of_an_announcer_is_one_whose_url_is_in_a_secret():
    url = "redis://:x@main-valkey.news.svc:6379/0"
    composition = compose_announcer(announcer(), spill(managed={}), [], {"news/main-valkey": {"url": url}})
    assert "managed" not in composition.manifests[0]["spec"]
    assert composition.secrets["news/main-valkey"]["url"].reveal() == url


def test_forwarders_that_do_not_fit_are_told_with_the_remedy():
    rng = random.Random(7)
    forwarders = [forwarder(f"f{number}", url=f"http://a/{rng.randbytes(900).hex()}") for number in range(1200)]
    problem = compose_announcer(announcer(), None, forwarders, {}).problem
    assert "with 1,200 Forwarders" in problem
    assert problem.endswith("divide the Forwarders among several Announcers")


def test_a_router_comes_between_its_spill_and_its_links():
    links = [routerlink("west"), routerlink("east")]
    composition = compose_router(router(spillRef={"name": "main"}), spill(), links, {})
    assert names(composition) == ["Spill/main", "Router/main", "RouterLink/east", "RouterLink/west"]
    assert names(compose_router(router(), None, links, {}))[0] == "Router/main"


def test_the_key_of_links_over_udp_goes_with_its_router_and_is_told_where_it_is_missing():
    keyed = router(listeners={"udp": {"keyFrom": {"secretRef": {"name": "links", "key": "key"}}}})
    composition = compose_router(keyed, None, [], {"news/links": {"key": "sixteen-octets--"}})
    assert composition.secrets["news/links"]["key"].reveal() == "sixteen-octets--"
    [(identity, [violation])] = compose_router(keyed, None, [], {}).faults.items()
    assert identity == ("Router", "news", "main")
    assert violation.field == "spec.listeners.udp.keyFrom.secretRef"


def test_links_that_do_not_fit_are_told_with_the_remedy():
    rng = random.Random(7)
    hosts = [f"{rng.randbytes(100).hex()}:7720" for _ in range(32)]
    links = [
        routerlink(f"l{number}", addresses=[rng.randbytes(4).hex() + host for host in hosts]) for number in range(10)
    ]
    links += [
        routerlink(f"m{number}", addresses=[f"{rng.randbytes(120).hex()}:1" for _ in range(32)])
        for number in range(400)
    ]
    problem = compose_router(router(), None, links, {}).problem
    assert "with 410 RouterLinks" in problem
    assert problem.endswith("divide the RouterLinks among several Routers")


def test_a_conduitnode_comes_after_its_spill():
    composition = compose_conduitnode(conduitnode(spillRef={"name": "main"}), spill(), {})
    assert names(composition) == ["Spill/main", "ConduitNode/main"]
    assert names(compose_conduitnode(conduitnode(), None, {})) == ["ConduitNode/main"]


def test_keys_of_datagrams_go_with_their_conduitnode_and_are_told_where_they_are_missing():
    keys = [{"id": number, "keyFrom": {"secretRef": {"name": "keys", "key": str(number)}}} for number in (1, 2)]
    keyed = conduitnode(authentication={"keys": keys})
    composition = compose_conduitnode(keyed, None, {"news/keys": {"1": "sixteen-octets--"}})
    assert composition.secrets["news/keys"]["1"].reveal() == "sixteen-octets--"
    [(identity, [violation])] = composition.faults.items()
    assert identity == ("ConduitNode", "news", "main")
    assert violation.field == "spec.authentication.keys[1].keyFrom.secretRef"


def test_a_conduitnode_that_does_not_fit_is_told_with_the_remedy():
    rng = random.Random(7)
    access = [{"principal": "a", "methods": [rng.randbytes(100).hex() for _ in range(100)]} for _ in range(100)]
    problem = compose_conduitnode(conduitnode(access=access), None, {}).problem
    assert problem.endswith("shorten its lists, as spec.resources")
