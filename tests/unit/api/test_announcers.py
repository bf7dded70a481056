"""Announcer and Forwarder: defaults, and every rule of their fields."""

import json
from datetime import timedelta

import pytest

from forebay.api.manifests import read_object, read_objects
from forebay.api.v1alpha1 import Listing, QueueOverflow

from .samples import ANNOUNCER, FORWARDER, OUTFEED, STORE, changed

HASH = "0123456789abcdef0123456789ABCDEF01234567"
EVERY_FIELD = {
    "announcerRef": {"name": "main"}, "url": "https://tracker.example/announce?passkey=a%20b",
    "hostHeader": "other.example:8080", "externalIp": "2001:db8::7", "timeout": "10s", "pause": True,
    "failurePolicy": {"suspension": "10m", "attempts": 2, "retryBase": "1s", "failThreshold": 0},
}  # fmt: skip


def problems(manifest, path, value):
    return [str(violation) for violation in read_object(changed(manifest, path, value)).violations]


def spec_of(manifest):
    reading = read_object(manifest)
    assert reading.violations == []
    return reading.resource.spec


def test_an_announcer_by_default_tracks_everything_over_both_protocols():
    spec = spec_of(ANNOUNCER)
    places = spec.listeners
    assert [(each.enabled, each.address, each.port) for each in (places.http, places.udp)] == [(True, None, 6969)] * 2
    assert (places.grpc.port, places.health.port) == (7969, 9969)
    assert (spec.torrents.mode, spec.torrents.info_hashes) == (Listing.OFF, ())
    assert (spec.spill_ref, spec.tls, spec.access, spec.clients) == (None, None, (), ())
    assert (spec.memory, spec.storage.size) == (1024**3, 1024**3)


def test_what_clients_are_told_by_default():
    told = spec_of(ANNOUNCER).announces
    assert (told.interval, told.min_interval) == (timedelta(minutes=30), timedelta(minutes=15))
    assert (told.numwant, told.max_numwant, told.tracker_id) == (50, 200, "")
    assert (told.max_connections, told.trusted_proxies) == (20_000, ())


def test_how_announces_are_passed_on_by_default():
    spec = spec_of(ANNOUNCER).forwarding
    assert (spec.queue_size, spec.workers, spec.max_workers) == (10_000, 10, None)
    assert (spec.scale_threshold, spec.rate_limit_threshold, spec.throttle_threshold) == (60, 80, 60)
    assert (spec.rate_limit_per_second, spec.rate_limit_burst) == (100, 200)
    assert (spec.throttle_top, spec.max_forwarders) == (20, 100)
    assert (spec.retry_period, spec.suspension) == (timedelta(minutes=5), timedelta(minutes=5))
    assert (spec.attempts, spec.retry_base, spec.fail_threshold) == (5, timedelta(milliseconds=500), 10)
    assert spec.overflow is QueueOverflow.DROP


def test_a_forwarder_by_default_does_as_its_announcer_says():
    spec = spec_of(FORWARDER)
    assert (spec.timeout, spec.pause, spec.host_header, spec.external_ip) == (timedelta(seconds=30), False, None, None)
    assert spec.failure_policy.model_dump(exclude_none=True) == {}


def test_it_can_run_on_one_machine_with_the_others():
    ports = [spec_of(manifest).listeners for manifest in (ANNOUNCER, STORE, OUTFEED)]
    used = [port for each in ports for port in (each.grpc.port, each.health.port)]
    assert len(used) == len(set(used))


def test_a_forwarder_with_every_field_survives_json():
    resource = read_object({**FORWARDER, "spec": EVERY_FIELD}).resource
    assert resource.manifest()["spec"] == EVERY_FIELD
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_what_they_name_has_to_be_there():
    [reading] = read_objects([FORWARDER])
    assert [str(each) for each in reading.violations] == [
        "spec.announcerRef.name: there is no Announcer main in namespace default; add it"
    ]
    [reading] = read_objects([changed(ANNOUNCER, "spec.spillRef", {"name": "spill"})])
    assert "there is no Spill spill" in str(reading.violations[0])
    assert all(reading.violations == [] for reading in read_objects([ANNOUNCER, FORWARDER]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.listeners", {"http": {"port": 6970, "address": "::"}, "udp": {"enabled": False, "port": 7969}}),
        ("spec.torrents", {"mode": "allow", "infoHashes": [HASH, "f" * 40]}),
        ("spec.announces", {"minInterval": "30m", "numwant": 200}),
        ("spec.announces", {"trustedProxies": ["10.0.0.0/8", "fd00::/8", "192.0.2.7"], "trackerId": "a-1"}),
        ("spec.forwarding", {"workers": 1000, "maxWorkers": 2000, "rateLimitPerSecond": 0.1}),
        ("spec.forwarding", {"throttleTop": 0, "failThreshold": 0}),
    ],
)
def test_an_announcer_takes(path, value):
    spec_of(changed(ANNOUNCER, path, value))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "a.b", "metadata.name: 'a.b' does not fit; give lower-case letters, digits and '-'"),
        ("spec.listeners.http.port", 7969, "spec.listeners.http.port: is the same as grpc.port; name another"),
        ("spec.listeners.http.port", 9969, "spec.listeners.http.port: is the same as health.port; name another"),
        ("spec.listeners.udp.port", 0, "spec.listeners.udp.port: 0 is below 1; give 1 to 65535"),
        ("spec.forwarding.overflow", "spill", "spec.spillRef: is missing for forwarding.overflow spill; add it"),
        ("spec.forwarding.overflow", "keep", "spec.forwarding.overflow: 'keep' is not known; give 'drop' or 'spill'"),
        ("spec.forwarding.queueSize", 9, "spec.forwarding.queueSize: 9 is below 10; give 10 to 1000000"),
        ("spec.forwarding.scaleThreshold", 101, "spec.forwarding.scaleThreshold: 101 is above 100; give 1 to 100"),
        ("spec.forwarding.retryPeriod", "59s", "spec.forwarding.retryPeriod: 59s is below 1m; give 1m to 1d"),
        ("spec.announces.interval", "10m", "spec.announces.minInterval: is above interval; lower it, or raise"),
        ("spec.announces.numwant", 201, "spec.announces.numwant: is above maxNumwant; lower it, or raise maxNumwant"),
        ("spec.announces.trustedProxies", ["proxy"], "spec.announces.trustedProxies[0]: 'proxy' does not fit; give an"),
        ("spec.torrents.infoHashes", ["c0ffee"], "spec.torrents.infoHashes[0]: 'c0ffee' does not fit; give an info"),
        ("spec.torrents.infoHashes", [HASH, HASH], f"spec.torrents.infoHashes: holds '{HASH}' twice; remove one"),
        ("spec.memory", "64MiB", "spec.memory: 64MiB is below 128MiB; give 128MiB to 1TiB"),
        ("spec.mirrors", 1, "spec.mirrors: is unknown; known are"),
    ],
)
def test_an_announcer_refuses(path, value, problem):
    [found] = problems(ANNOUNCER, path, value)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("spec.announcerRef", None, "spec.announcerRef: is required; add it"),
        ("spec.url", None, "spec.url: is required; add it"),
        ("spec.externalIp", "our.example", "spec.externalIp: 'our.example' does not fit; give an IP address"),
        ("spec.timeout", "6m", "spec.timeout: 6m is above 5m; give 1s to 5m"),
        ("spec.failurePolicy.attempts", 0, "spec.failurePolicy.attempts: 0 is below 1; give 1 to 20"),
        ("spec.failurepolicy", {}, "spec.failurepolicy: is unknown; did you mean failurePolicy?"),
    ],
)
def test_a_forwarder_refuses(path, value, problem):
    [found] = problems(FORWARDER, path, value)
    assert found.startswith(problem)


@pytest.mark.parametrize("url", ["wss://a/?passkey=hunter2", "udp://a/hunter2", "http://u:hunter2@a/", "hunter2"])
def test_a_url_that_does_not_fit_is_not_quoted(url):
    [found] = problems(FORWARDER, "spec.url", url)
    assert found.startswith("spec.url: ")
    assert "hunter2" not in found
