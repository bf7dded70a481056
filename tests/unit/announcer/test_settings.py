"""What an Announcer's and a Forwarder's fields mean for the parts."""

from dataclasses import fields

import pytest

from forebay.announcer.forwarding.failurepolicy import NOTHING_OWN, OwnPolicy
from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.fronts.desk import AnnounceSettings
from forebay.announcer.fronts.httpfront import HttpLimits
from forebay.announcer.settings import (
    access_list,
    announce_settings,
    forwarder_spec,
    forwarding_settings,
    http_limits,
    swarm_limits,
    trusted_proxies,
)
from forebay.announcer.swarms.swarmtable import SwarmLimits
from forebay.api import read_objects
from forebay.api.v1alpha1 import AnnouncerSpec
from manifests import announcer, forwarder


def spec_of(**spec):
    (reading,) = read_objects([announcer(**spec)])
    assert not reading.violations
    return reading.resource.spec


def forwarder_of(**spec):
    reading = read_objects([announcer(), forwarder("one", **spec)])[1]
    assert not reading.violations
    return forwarder_spec(reading.resource)


def test_the_defaults_are_those_of_the_parts():
    spec = AnnouncerSpec()
    assert forwarding_settings(spec) == ForwardingSettings()
    assert announce_settings(spec.announces) == AnnounceSettings()
    assert http_limits(spec.announces) == HttpLimits()
    assert swarm_limits(spec.swarms) == SwarmLimits()


FORWARDING = {
    "queueSize": 100, "workers": 3, "maxWorkers": 5, "scaleThreshold": 11, "rateLimitThreshold": 12,
    "rateLimitPerSecond": 1.5, "rateLimitBurst": 13, "throttleThreshold": 14, "throttleTop": 15, "maxForwarders": 16,
    "retryPeriod": "2m", "suspension": "17s", "attempts": 18, "retryBase": "20ms", "failThreshold": 19,
}  # fmt: skip


def test_every_field_of_forwarding_arrives():
    settings = forwarding_settings(spec_of(forwarding=FORWARDING))
    assert settings == ForwardingSettings(
        queue_size=100, workers=3, max_workers=5, scale_threshold=11, rate_limit_threshold=12,
        rate_limit_per_second=1.5, rate_limit_burst=13, throttle_threshold=14, throttle_top=15, max_forwarders=16,
        retry_period=120, suspension=17, attempts=18, retry_base=0.02, fail_threshold=19,
    )  # fmt: skip
    default = ForwardingSettings()
    assert all(getattr(settings, field.name) != getattr(default, field.name) for field in fields(settings))


def test_what_clients_are_told_and_how_many_are_served():
    told = {"interval": "20m", "minInterval": "90s", "numwant": 5, "maxNumwant": 6, "trackerId": "lan"}
    spec = spec_of(announces=told | {"maxConnections": 7})
    assert announce_settings(spec.announces) == AnnounceSettings(1200, 90, 5, 6, b"lan")
    assert http_limits(spec.announces).most_connections == 7


def test_what_is_remembered():
    spec = spec_of(swarms={"peerAge": "2m", "maxPeers": 1001, "maxSwarms": 101})
    assert swarm_limits(spec.swarms) == SwarmLimits(120.0, 1001, 101)


@pytest.mark.parametrize(
    ("mode", "listed", "other"), [("off", True, True), ("allow", True, False), ("deny", False, True)]
)
def test_which_torrents_are_tracked(mode, listed, other):
    spec = spec_of(torrents={"mode": mode, "infoHashes": ["AB" * 20]})
    access = access_list(spec.torrents)
    assert (access.permits(b"\xab" * 20), access.permits(bytes(20))) == (listed, other)


def test_proxies_are_networks_or_addresses():
    proxies = trusted_proxies(spec_of(announces={"trustedProxies": ["10.1.2.3/8", "fd00::1"]}).announces)
    assert proxies.trusts(bytes([10, 200, 0, 1]))
    assert proxies.trusts(bytes.fromhex("fd00" + "00" * 13 + "01"))
    assert not proxies.trusts(bytes.fromhex("fd00" + "00" * 13 + "02"))


def test_a_forwarder_by_default():
    assert forwarder_of(url="http://t.example/a?k=1") == ForwarderSpec("one", "http://t.example/a?k=1")
    assert forwarder_of().own == NOTHING_OWN


def test_every_field_of_a_forwarder_arrives():
    policy = {"suspension": "7s", "attempts": 2, "retryBase": "1s", "failThreshold": 0}
    spec = forwarder_of(hostHeader="h.example", externalIp="203.0.113.7", timeout="9s", failurePolicy=policy)
    assert spec == ForwarderSpec(
        "one", "udp://one.example:1", "h.example", "203.0.113.7", 9.0, OwnPolicy(7.0, 2, 1.0, 0)
    )
