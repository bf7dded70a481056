"""Router and RouterLink: defaults, and every rule of their fields."""

import json
from datetime import timedelta

import pytest

from forebay.api import read_objects
from forebay.api.manifests import read_object
from forebay.api.v1alpha1 import LinkTransport

from .samples import ANNOUNCER, OUTFEED, ROUTER, ROUTER_LINK, STORE, changed

EVERY_FIELD = {
    "routerRef": {"name": "main"}, "domain": "plant", "addresses": ["a:7720", "[2001:db8::7]:7720"],
    "transport": "grpc", "retry": {"attempts": 3, "interval": "200ms"}, "cost": 10,
    "tls": {"serverName": "plant.example"}, "suspended": True,
}  # fmt: skip
KEY = {"secretRef": {"name": "links", "key": "key"}}


def spec_of(manifest):
    reading = read_object(manifest)
    assert reading.violations == []
    return reading.resource.spec


def problems(manifest, path, value):
    return [str(violation) for violation in read_object(changed(manifest, path, value)).violations]


def test_a_router_by_default_is_alone_in_a_domain_of_its_own():
    spec = spec_of(ROUTER)
    assert (spec.domain, spec.replicas, spec.peers, spec.listeners.udp) == ("local", 1, (), None)
    assert (spec.heartbeat.interval, spec.heartbeat.missed) == (timedelta(seconds=1), 3)
    assert (spec.names, spec.domains, spec.access, spec.spill_ref) == ((), (), (), None)


def test_a_link_by_default_is_a_stream_of_grpc():
    spec = spec_of(ROUTER_LINK)
    assert (spec.transport, spec.cost, spec.suspended, spec.tls) == (LinkTransport.GRPC, 1, False, None)
    assert (spec.retry.attempts, spec.retry.interval) == (5, timedelta(milliseconds=500))


def test_it_can_run_on_one_machine_with_the_others():
    ports = [spec_of(manifest).listeners for manifest in (ROUTER, ANNOUNCER, STORE, OUTFEED)]
    used = [port for each in ports for port in (each.grpc.port, each.health.port)]
    assert len(used) == len(set(used))


def test_a_link_with_every_field_survives_json():
    resource = read_object({**ROUTER_LINK, "spec": EVERY_FIELD}).resource
    assert resource.manifest()["spec"] == EVERY_FIELD
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_what_they_name_has_to_be_there():
    [reading] = read_objects([ROUTER_LINK])
    assert [str(each) for each in reading.violations] == [
        "spec.routerRef.name: there is no Router main in namespace default; add it"
    ]
    [reading] = read_objects([changed(ROUTER, "spec.spillRef", {"name": "spill"})])
    assert "there is no Spill spill" in str(reading.violations[0])
    assert all(reading.violations == [] for reading in read_objects([ROUTER, ROUTER_LINK]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.listeners", {"udp": {"keyFrom": KEY}, "grpc": {"address": "::", "port": 7721}}),
        ("spec.peers", ["a.example:7720", "[fd00::1]:65535", "a:1"]),
        ("spec.queues", {"high": "1MiB", "low": "1MiB", "limit": "1MiB"}),
        ("spec.names", [{"principal": "*.chat.example", "names": ["chat.*", "bot-[0-9]"]}]),
        ("spec.domains", [{"domain": "plant*", "principals": ["router.plant"]}, {"domain": "*"}]),
        ("spec.replicas", 32),
    ],
)
def test_a_router_takes(path, value):
    spec_of(changed(ROUTER, path, value))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "a.b", "metadata.name: 'a.b' does not fit; give lower-case letters, digits and '-'"),
        ("spec.domain", "Plant", "spec.domain: 'Plant' does not fit; give lower-case letters, digits, '.' and '-'"),
        ("spec.replicas", 0, "spec.replicas: 0 is below 1; give 1 to 32"),
        ("spec.peers", ["a"], "spec.peers[0]: 'a' does not fit; give HOST:PORT of a router"),
        ("spec.peers", ["a:65536"], "spec.peers[0]: 'a:65536' does not fit; give HOST:PORT of a router"),
        ("spec.peers", ["a:1", "a:1"], "spec.peers: holds 'a:1' twice; remove one"),
        ("spec.listeners.health.port", 7720, "spec.listeners.health.port: is the same as grpc.port; name another"),
        ("spec.listeners.udp", {}, "spec.listeners.udp.keyFrom: is required; add it"),
        ("spec.heartbeat.missed", 1, "spec.heartbeat.missed: 1 is below 2; give 2 to 100"),
        ("spec.queues.low", "9MiB", "spec.queues.low: is above high; lower it, or raise high"),
        ("spec.queues.limit", "8MB", "spec.queues.high: is above limit; lower it, or raise limit"),
        ("spec.names", [{"principal": "a", "names": ["a b"]}], "spec.names[0].names[0]: 'a b' does not fit; give a"),
        ("spec.domains", [{"domain": "a", "principals": []}], "spec.domains[0].principals: has 0 items; give at least"),
        ("spec.mirrors", 1, "spec.mirrors: is unknown; known are"),
    ],
)
def test_a_router_refuses(path, value, problem):
    [found] = problems(ROUTER, path, value)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("spec.routerRef", None, "spec.routerRef: is required; add it"),
        ("spec.domain", None, "spec.domain: is required; add it"),
        ("spec.addresses", ["a:1", "a:1"], "spec.addresses: holds 'a:1' twice; remove one"),
        ("spec.transport", "tcp", "spec.transport: 'tcp' is not known; give 'grpc' or 'udp'"),
        ("spec.retry.interval", "1ms", "spec.retry.interval: 1ms is below 10ms; give 10ms to 1m"),
        ("spec.cost", 0, "spec.cost: 0 is below 1; give 1 to 1000000"),
    ],
)
def test_a_link_refuses(path, value, problem):
    [found] = problems(ROUTER_LINK, path, value)
    assert found.startswith(problem)


def test_tls_means_nothing_over_udp():
    link = changed(changed(ROUTER_LINK, "spec.transport", "udp"), "spec.tls", {"serverName": "plant"})
    [found] = [str(violation) for violation in read_object(link).violations]
    assert found == "spec.tls: means nothing here; remove it, or give transport grpc"
