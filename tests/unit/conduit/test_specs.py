"""What the spec of a ConduitNode means."""

from math import inf

import pytest

from forebay.api.v1alpha1 import ConduitNode, ConduitNodeSpec
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.wire.extras import Extra
from forebay.conduit.specs import client_settings, lasting, node_settings, peer_id_of, transport_settings
from forebay.conduit.transport.places import Place
from forebay.runtime.errors import FieldError


def spec_of(**given):
    return ConduitNodeSpec.model_validate(given)


def settings_of(**given):
    return node_settings(spec_of(**given), b"1", {})


def resource(uid="0f", **spec):
    return ConduitNode.model_validate({"metadata": {"name": "press", "uid": uid}, "spec": spec})


def test_what_is_left_out():
    settings = settings_of()
    assert [each.window_octets for each in settings.multicast] == [16384, 16384]
    assert settings.unicast.window_octets == 65536
    assert settings.session.scout_interval == 3
    assert settings.session.extras.offered == Extra.FRAGMENTS | Extra.HISTORY | Extra.LIVELINESS | Extra.QUERIES
    assert settings.session.extras.number_bits == 28
    assert settings.authentication is None
    assert client_settings(spec_of()).deadline == inf


def test_what_is_given():
    conduit = {"window": {"size": "1KiB", "samples": 7, "drainTo": 0.5}, "packetSize": 500, "latencyBudget": "0s"}
    settings = settings_of(
        conduits=[conduit],
        unicastByPeer=[{"peerId": "0a", "window": {"samples": 9}}],
        extras={"fragments": {"enabled": False}, "queries": False, "longNumbers": False},
        lease="9s",
        listeners={"multicast": {}},
        limits={"peers": 3, "declarations": 50, "pendingDeclarations": 20, "queries": 5},
    )
    [first] = settings.multicast
    assert (first.window_octets, first.window_samples, first.drain_to) == (1024, 7, 0.5)
    assert (first.mtu, first.latency_budget) == (500, 0)
    assert settings.unicast_by_peer[b"\x0a"].window_samples == 9
    assert settings.session.extras.offered == Extra.HISTORY | Extra.LIVELINESS
    assert (settings.session.extras.number_bits, settings.session.extras.largest_sample) == (14, 0)
    assert (settings.session.lease, settings.session.max_peers) == (9, 3)
    assert settings.group == ("239.255.0.1", 7447)
    assert (settings.declarations.most_declarations, settings.declarations.most_queries) == (50, 5)
    assert settings_of(scouting={"enabled": False}).session.scout_interval == inf
    assert settings_of(numbers="long").number_bits == 28


@pytest.mark.parametrize(
    ("given", "field"),
    [
        pytest.param({"conduits": [{}, {"window": {"samples": 8192}}]}, "spec.conduits[1]", id="conduit"),
        pytest.param({"unicast": {"window": {"samples": 8192}}}, "spec.unicast", id="unicast"),
        pytest.param(
            {"unicastByPeer": [{"peerId": "0a", "window": {"samples": 8192}}]}, "spec.unicastByPeer[0]", id="by-peer"
        ),
    ],
)
def test_a_window_that_is_too_large_is_named(given, field):
    with pytest.raises(FieldError, match="take 1 to 8191") as raised:
        settings_of(**given)
    assert raised.value.violation.field == field


def test_ids_last_and_differ_between_pods():
    assert peer_id_of(resource(), 0) == peer_id_of(resource(), 0)
    made = {peer_id_of(resource(uid), pod) for uid in ("0f", "1f") for pod in range(3)}
    assert len(made) == 6
    assert {len(each) for each in made} == {16}
    assert peer_id_of(resource(peerId="0a1b"), 0) == b"\x0a\x1b"
    assert peer_id_of(resource(peerId="0a1b"), 2) == b"\x0a\x1b\x02"


@pytest.mark.parametrize(
    ("given", "around", "host"),
    [
        pytest.param({}, "127.0.0.1", "127.0.0.1", id="around"),
        pytest.param({}, "::", "::", id="everywhere"),
        pytest.param({"udp": {"address": "192.0.2.7"}}, "::", "192.0.2.7", id="given"),
        pytest.param({"multicast": {}}, "::", "0.0.0.0", id="group"),
    ],
)
def test_where_it_listens(given, around, host):
    assert transport_settings(spec_of(listeners=given), around, []).listen == Place("udp", host, 7448)


def test_a_group_needs_an_address_of_ipv4():
    spec = spec_of(listeners={"multicast": {}, "udp": {"address": "2001:db8::7"}})
    with pytest.raises(FieldError, match="groups are of IPv4"):
        transport_settings(spec, "::", [])


def test_pods_are_sought_beside_peers_once_each():
    spec = spec_of(peers=["udp/a:1", "tcp/b:2"])
    places = transport_settings(spec, "127.0.0.1", ["udp/pod-1:7448", "udp/a:1"]).peers
    assert [f"{each.transport}/{each.host}:{each.port}" for each in places] == ["udp/pod-1:7448", "udp/a:1", "tcp/b:2"]


def test_what_clients_may_have():
    settings = client_settings(
        spec_of(congestion={"policy": "drop", "deadline": "2s"}, limits={"publishers": 3, "aside": "1MiB"})
    )
    assert (settings.congestion, settings.deadline) == (Congestion.DROP, 2)
    assert (settings.publishers, settings.aside_octets) == (3, 1 << 20)


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        pytest.param({"lease": "9s"}, {"spec.lease"}, id="lease"),
        pytest.param({"limits": {"peers": 9}}, {"spec.limits"}, id="peers"),
        pytest.param({"limits": {"publishers": 9}}, set(), id="publishers"),
        pytest.param({"peers": ["udp/a:1"], "resources": [{"uri": "/a"}]}, set(), id="live"),
    ],
)
def test_what_holds_until_a_restart(given, changed):
    before, after = lasting(spec_of()), lasting(spec_of(**given))
    assert {name for name, value in after.items() if value != before[name]} == changed
