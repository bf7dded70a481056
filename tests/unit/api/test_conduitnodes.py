"""ConduitNode: defaults, and every rule of its fields."""

import json
from datetime import timedelta

import pytest

from forebay.api import read_objects
from forebay.api.manifests import read_object
from forebay.api.v1alpha1 import CongestionPolicy, NumberLength

from .samples import ANNOUNCER, CONDUIT_NODE, OUTFEED, ROUTER, STORE, changed

KEY = {"id": 7, "keyFrom": {"secretRef": {"name": "keys", "key": "summer"}}}
CONDUIT = {
    "window": {"size": "32KiB", "samples": 100, "drainTo": 0.5}, "latencyBudget": "0s", "packetSize": 1200,
    "synch": {"interval": "20ms", "longest": "2s"}, "roundTrip": "5ms", "reorderSamples": 0,
}  # fmt: skip
EVERY_FIELD = {
    "peerId": "0a1b2c", "replicas": 2, "hostNetwork": True,
    "listeners": {
        "udp": {"address": "::", "port": 7001},
        "multicast": {"group": "239.1.2.3", "port": 7000, "interface": "10.0.0.1"},
        "tcp": {"address": "0.0.0.0", "port": 7001}, "grpc": {"port": 7002}, "health": {"address": "::1", "port": 7003},
    },
    "peers": ["udp/press.example.com:7448", "tcp/[2001:db8::7]:7448"],
    "scouting": {"enabled": False, "interval": "10s", "count": 5, "resolveInterval": "1m"}, "lease": "10s",
    "opening": {"interval": "2s", "tries": 3}, "numbers": "long", "conduits": [CONDUIT], "unicast": CONDUIT,
    "unicastByPeer": [{**CONDUIT, "peerId": "ff"}],
    "extras": {
        "longNumbers": False, "history": False, "liveliness": False, "queries": False,
        "fragments": {"enabled": False, "maxSample": "1MiB", "buffer": "1MiB", "timeout": "5s"},
    },
    "authentication": {"keys": [KEY], "tolerance": "1m"},
    "congestion": {"policy": "spill", "deadline": "1s"}, "spillRef": {"name": "spill"},
    "resources": [{"uri": "/plant/temp", "id": 12, "reliable": False, "durability": "transient", "unicast": True}],
    "limits": {
        "peers": 16, "conduits": 3, "declarations": 100, "pendingDeclarations": 10, "resources": 10, "publishers": 10,
        "subscribers": 10, "queries": 10, "uriLength": 100, "queuedSamples": 10, "pulledSamples": 10, "history": "1KB",
        "aside": "64KiB", "socketBuffer": "64KiB",
    },
    "offloadReplies": True, "memory": "256MiB", "tls": {"secretRef": {"name": "certificate"}},
    "access": [{"principal": "robot", "methods": ["Publish"]}], "clients": ["robot"],
}  # fmt: skip


def spec_of(manifest):
    reading = read_object(manifest)
    assert reading.violations == []
    return reading.resource.spec


def problems(manifest, path, value):
    return [str(violation) for violation in read_object(changed(manifest, path, value)).violations]


def test_a_node_by_default_is_alone_and_takes_part_as_programs_with_zhe_do():
    spec = spec_of(CONDUIT_NODE)
    assert (spec.peer_id, spec.replicas, spec.peers, spec.host_network) == (None, 1, (), False)
    assert (spec.listeners.multicast, spec.listeners.tcp, spec.authentication) == (None, None, None)
    assert (spec.lease, spec.scouting.interval, spec.numbers) == (
        timedelta(seconds=5),
        timedelta(seconds=3),
        NumberLength.STANDARD,
    )
    assert [(each.window.size, each.window.samples) for each in spec.conduits] == [(16384, 1600)] * 2
    assert spec.congestion.policy is CongestionPolicy.BLOCK


def test_what_is_left_out_of_a_conduit_to_one_peer_is_that_of_such():
    spec = spec_of(changed(CONDUIT_NODE, "spec.unicast.window.samples", 5))
    assert (spec.unicast.window.size, spec.unicast.window.samples) == (65_536, 5)
    [other] = spec_of(changed(CONDUIT_NODE, "spec.unicastByPeer", [{"peerId": "01"}])).unicast_by_peer
    assert other.window.size == 65_536


def test_it_can_run_on_one_machine_with_the_others():
    nodes = [spec_of(manifest).listeners for manifest in (CONDUIT_NODE, ROUTER, ANNOUNCER, STORE, OUTFEED)]
    used = [port for each in nodes for port in (each.grpc.port, each.health.port)]
    assert len(used) == len(set(used))


def test_a_node_with_every_field_survives_json():
    resource = read_object({**CONDUIT_NODE, "spec": EVERY_FIELD}).resource
    assert resource.manifest()["spec"] == EVERY_FIELD
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_its_spill_has_to_be_there():
    [reading] = read_objects([changed(CONDUIT_NODE, "spec.spillRef", {"name": "spill"})])
    assert "there is no Spill spill" in str(reading.violations[0])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.peerId", "00" * 15),
        ("spec.unicastByPeer", [{"peerId": "00" * 16}, {"peerId": "01"}]),
        ("spec.listeners", {"tcp": {}, "multicast": {}}),
        ("spec.peers", ["udp/a:1", "tcp/a:1", "udp/[fd00::1]:65535"]),
        ("spec.lease", "0s"),
        ("spec.resources", [{"uri": "/a"}, {"uri": "**"}, {"uri": "/a/*/b?"}, {"uri": "/a_b-C/9"}]),
        ("spec.conduits", [{"latencyBudget": "1m"}] * 32),
    ],
)
def test_a_node_takes(path, value):
    spec_of(changed(CONDUIT_NODE, path, value))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "a.b", "metadata.name: 'a.b' does not fit; give lower-case letters, digits and '-'"),
        ("spec.peerId", "00" * 16, "spec.peerId: 32 characters are too many; give at most 30"),
        ("spec.peerId", "0A", "spec.peerId: '0A' does not fit; give 1 to 15 octets"),
        ("spec.replicas", 17, "spec.replicas: 17 is above 16; give 1 to 16"),
        ("spec.listeners.multicast", {"port": 7448}, "spec.listeners.multicast.port: is the same as udp.port"),
        (
            "spec.listeners.multicast",
            {"group": "224.0.0.256"},
            "spec.listeners.multicast.group: '224.0.0.256' does not",
        ),
        ("spec.listeners.multicast", {"interface": "eth0"}, "spec.listeners.multicast.interface: 'eth0' does not fit"),
        ("spec.listeners.tcp", {"port": 9449}, "spec.listeners.tcp.port: is the same as health.port"),
        ("spec.peers", ["a:1"], "spec.peers[0]: 'a:1' does not fit; give udp/HOST:PORT or tcp/HOST:PORT"),
        ("spec.peers", ["udp/a:1", "udp/a:1"], "spec.peers: holds 'udp/a:1' twice; remove one"),
        ("spec.conduits", [], "spec.conduits: has 0 items; give at least 1"),
        ("spec.conduits", [{"packetSize": 100}], "spec.conduits[0].packetSize: 100 is below 128"),
        ("spec.unicast.window.drainTo", 1.5, "spec.unicast.window.drainTo: 1.5 is above 1"),
        ("spec.unicast.synch", {"interval": "2s"}, "spec.unicast.synch.interval: is above longest"),
        ("spec.unicastByPeer", [{"peerId": "01"}] * 2, "spec.unicastByPeer: holds '01' twice"),
        ("spec.numbers", "7", "spec.numbers: '7' is not known; give 'standard' or 'long'"),
        ("spec.extras.fragments.buffer", "1MiB", "spec.extras.fragments.maxSample: is above buffer"),
        ("spec.authentication", {"keys": [KEY, KEY]}, "spec.authentication.keys: holds 7 twice; remove one"),
        ("spec.authentication", {"keys": [{**KEY, "id": 256}]}, "spec.authentication.keys[0].id: 256 is above 255"),
        ("spec.congestion.policy", "spill", "spec.spillRef: is missing for congestion.policy spill; add it"),
        ("spec.resources", [{"uri": "plant"}], "spec.resources[0].uri: 'plant' does not fit; give a URI"),
        ("spec.resources", [{"uri": "/a"}] * 2, "spec.resources: holds '/a' twice; remove one"),
        ("spec.limits.pendingDeclarations", 20_000, "spec.limits.pendingDeclarations: is above declarations"),
        ("spec.domain", "a", "spec.domain: is unknown; known are"),
    ],
)
def test_a_node_refuses(path, value, problem):
    found, *_ = problems(CONDUIT_NODE, path, value)
    assert found.startswith(problem)
