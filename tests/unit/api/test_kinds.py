"""The kinds: defaults, every rule of their fields, and JSON."""

import json
import time
from datetime import timedelta

import pytest

from forebay.api.manifests import read_object
from forebay.api.v1alpha1 import Durability, Metadata, Peerfeed, PeerfeedSpec, Reference

from .samples import (
    ANNOUNCER,
    COMPACTION,
    CONDUIT_NODE,
    FORWARDER,
    OUTFEED,
    PEERFEED,
    ROUTER,
    ROUTER_LINK,
    SPILL,
    STORE,
    STORE_QUEUE,
    changed,
)

ALL = [
    pytest.param(manifest, id=manifest["kind"])
    for manifest in (
        SPILL,
        OUTFEED,
        PEERFEED,
        STORE,
        STORE_QUEUE,
        ANNOUNCER,
        FORWARDER,
        ROUTER,
        ROUTER_LINK,
        CONDUIT_NODE,
        COMPACTION,
    )
]

PASSWORD = {"passwordFrom": {"secretRef": {"name": "peer", "key": "password"}}}


def problems(manifest, path, value):
    return [str(violation) for violation in read_object(changed(manifest, path, value)).violations]


def accepted(manifest, path, value):
    reading = read_object(changed(manifest, path, value))
    assert reading.violations == []
    return reading.resource.spec


@pytest.mark.parametrize("manifest", ALL)
def test_smallest_manifest_is_taken(manifest):
    assert read_object(manifest).violations == []


@pytest.mark.parametrize("manifest", ALL)
def test_resource_survives_json(manifest):
    resource = read_object(manifest).resource
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_peerfeed_with_every_field_survives_json():
    spec = {
        "outfeedRef": {"name": "main"}, "hosts": ["a", "::1"], "port": 1119, "window": 20,
        "connections": {"max": 9, "initial": 0, "growth": "both", "low": 10, "high": 60, "filter": 0.5,
                        "startDelay": "20s"},
        "tls": {"mode": "starttls", "serverName": "n.example", "verify": False,
                "authoritiesFrom": {"secretRef": {"name": "ca", "key": "ca.crt"}}},
        "compress": True, "streaming": False,
        "noCheck": {"enabled": False, "high": 99.5, "low": 80, "filter": 10}, "groups": ["*", "!x"],
        "requiredGroups": ["a.*"], "distributions": ["world"], "needsDistribution": True, "pathIdentity": ["c"],
        "excludePath": ["b"], "minSize": "1KB", "maxSize": "2MiB", "minCrossposts": 2, "maxCrossposts": 5,
        "maxFollowups": 3, "maxSpread": 30, "minHops": 1, "maxHops": 7, "articleTypes": ["!binary"],
        "originators": {"patterns": ["news.*"], "unnamed": True},
        "hashfeed": {"first": 1, "last": 2, "modulus": 4, "offset": 4,
                     "further": [{"first": 1, "last": 1, "modulus": 9, "method": "sum"}]},
        "queue": {"size": 100, "spillFraction": 0.25},
        "delay": "5m",
        "backlog": {"enabled": False, "first": True, "rotateBytes": "5MB", "rotateAge": "1m30s",
                    "maxBytes": "1GB", "maxAge": "10d"},
        "deferral": {"minAge": "10s", "factor": 2.5, "longest": "20m", "maxTries": 5, "maxAge": "1d"},
        "deadLetter": {"maxTries": 2},
        "reconnect": {"initial": "500ms", "maximum": "1m"},
        "timeouts": {"connect": "1s", "response": "10s", "idle": "1m", "lifetime": "1d"},
        "network": {"bind": ["192.0.2.1", "::1"], "family": "ipv6", "pacingRate": "1MB", "congestionControl": "bbr",
                    "sendBuffer": "1MiB"},
        "headfeed": True, "maxRate": 2.5,
        "hours": {"windows": [{"days": ["Mon", "Sun"], "start": "22:00", "end": "06:30"}], "zone": "Europe/Berlin"},
        "pause": True,
    }  # fmt: skip
    resource = read_object({**PEERFEED, "spec": spec}).resource
    assert resource.manifest()["spec"] == spec
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


@pytest.mark.parametrize("manifest", ALL)
def test_what_a_server_adds_is_left_out(manifest):
    more = {"resourceVersion": "5", "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [], "finalizers": []}
    served = {**manifest, "metadata": manifest["metadata"] | more, "status": {"conditions": []}}
    assert read_object(served).resource == read_object(manifest).resource


def test_peerfeed_defaults():
    spec = read_object(PEERFEED).resource.spec
    assert (spec.port, spec.connections.max, spec.window, spec.pause, spec.streaming) == (119, 2, 400, False, True)
    assert (spec.no_check.enabled, spec.no_check.high, spec.no_check.low, spec.no_check.filter) == (True, 95, 90, 50)
    assert (spec.groups, spec.distributions, spec.exclude_path, spec.hashfeed) == (("*",), (), (), None)
    assert (spec.min_size, spec.max_size, spec.max_crossposts, spec.max_hops) == (None,) * 4
    assert (spec.queue.size, spec.queue.spill_fraction) == (2000, 0.5)
    assert (spec.backlog.rotate_bytes, spec.backlog.rotate_age) == (10_000_000, timedelta(minutes=5))
    assert (spec.backlog.max_bytes, spec.backlog.max_age) == (None, None)
    assert (spec.deferral.min_age, spec.deferral.max_tries) == (timedelta(seconds=30), None)
    assert spec.dead_letter.max_tries == 3


def test_outfeed_defaults():
    spec = read_object(changed(OUTFEED, "spec.listeners.nntp", {})).resource.spec
    assert (spec.listeners.nntp.address, spec.listeners.nntp.port, spec.tls) == (None, 1119, None)
    spec = read_object(OUTFEED).resource.spec
    assert spec.listeners.nntp is None
    assert (spec.history.remember, spec.history.reject_old) == (timedelta(days=10), True)
    assert (spec.articles.max_size, spec.articles.max_header_size) == (1_000_000, 65_536)


def test_spill_defaults():
    spec = read_object(SPILL).resource.spec
    assert (spec.durability, spec.url, spec.url_from) == (Durability.EVERYSEC, None, None)
    assert spec.managed.memory == 512 * 1024**2


def test_python_names_build_the_same_resource():
    built = Peerfeed(
        metadata=Metadata(name="peer-b"),
        spec=PeerfeedSpec(outfeed_ref=Reference(name="main"), hosts=("news.example.com",)),
    )
    assert built == read_object(PEERFEED).resource


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.hosts", ["192.0.2.7", "2001:db8::7", "::1", "news.example.com", "a"]),
        ("spec.groups", ["*", "!misc.jobs", "@*.binaries", "alt.[a-m]*", r"a\*b", "x.[^]a]"]),
        ("spec.distributions", ["world", "!local"]),
        ("spec.distributions", ["!local"]),
        ("spec.excludePath", ["news.example.com", "a_b"]),
        ("spec.requiredGroups", ["*.moderated", "!a.*"]),
        ("spec.articleTypes", ["all", "!binary", "yenc"]),
        ("spec.maxFollowups", 0),
        ("spec.minSize", "1B"),
        ("spec.maxSize", 900_000),
        ("spec.hashfeed", {"first": 1, "last": 3, "modulus": 10}),
        ("spec.hashfeed", {"first": 10, "last": 10, "modulus": 10, "offset": 4}),
        ("spec.noCheck", {"low": 95, "high": 95}),
        ("spec.reconnect", {"initial": "5s", "maximum": "5s"}),
        ("spec.backlog", {"maxBytes": "1GB", "maxAge": "10d"}),
        ("spec.auth", {"username": "feeder", **PASSWORD}),
        ("metadata.name", "news.example.com"),
    ],
)
def test_peerfeed_takes(path, value):
    accepted(PEERFEED, path, value)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "News", "metadata.name: 'News' does not fit; give lower-case letters, digits, '-' and '.'"),
        ("metadata.name", "a" * 254, "metadata.name: 254 characters are too many; give at most 253"),
        ("metadata.name", None, "metadata.name: is required; add it"),
        ("metadata.nme", "x", "metadata.nme: is unknown; did you mean name?"),
        ("metadata.namespace", "a.b", "metadata.namespace: 'a.b' does not fit; give a label of RFC 1123"),
        ("spec", None, "spec: is required; add it"),
        ("spec", 5, "spec: 5 is no mapping; give fields with their values"),
        ("spec.outfeedRef", None, "spec.outfeedRef: is required; add it"),
        ("spec.outfeedRef", "main", "spec.outfeedRef: 'main' is no mapping; give fields with their values"),
        ("spec.outfeed_ref", {"name": "main"}, "spec.outfeed_ref: is unknown; did you mean outfeedRef?"),
        ("spec.hosts", None, "spec.hosts: is missing; give hosts or target"),
        ("spec.hosts", [], "spec.hosts: is missing; give hosts or target"),
        ("spec.target", {"name": "other"}, "spec.target: excludes hosts; remove one of them"),
        (
            "spec.hosts",
            ["a:119"],
            "spec.hosts[0]: 'a:119' does not fit; give a host name or an IP address; the port has",
        ),
        ("spec.hosts", "a", "spec.hosts: 'a' is no list; give a list, even for one item"),
        ("spec.hosts", ["a"] * 1001, "spec.hosts: has 1001 items; give at most 1000"),
        ("spec.hosts", [10], "spec.hosts[0]: 10 is no text; give a host name"),
        ("spec.port", 0, "spec.port: 0 is below 1; give 1 to 65535"),
        ("spec.connections.max", 0, "spec.connections.max: 0 is below 1; give 1 to 100"),
        ("spec.window", 10_001, "spec.window: 10001 is above 10000; give 1 to 10000"),
        ("spec.tls", {}, "spec.tls.mode: is required; add it"),
        ("spec.tls", {"mode": "ssl"}, "spec.tls.mode: 'ssl' is not known; give 'implicit' or 'starttls'"),
        ("spec.tls", {"mode": "implicit", "serverName": "a b"}, "spec.tls.serverName: 'a b' does not fit; give a host"),
        ("spec.compress", 1, "spec.compress: 1 is neither true nor false"),
        ("spec.streaming", "no", "spec.streaming: 'no' is neither true nor false; give one of them"),
        ("spec.noCheck.high", 101, "spec.noCheck.high: 101 is above 100; give 0 to 100"),
        ("spec.noCheck", {"low": 96, "high": 95}, "spec.noCheck.low: is above high; lower it, or raise high"),
        ("spec.noCheck.filter", 0.5, "spec.noCheck.filter: 0.5 is below 1; give 1 to 10000"),
        ("spec.noCheck.enabled", "no", "spec.noCheck.enabled: 'no' is neither true nor false; give one of them"),
        ("spec.groups", [], "spec.groups: has 0 items; give at least 1"),
        ("spec.groups", ["a,b"], "spec.groups[0]: 'a,b' does not fit; give one pattern an item"),
        ("spec.groups", ["a b"], "spec.groups[0]: 'a b' does not fit; give one pattern an item"),
        ("spec.groups", ["a", "[b"], "spec.groups[1]: '[b' does not fit; give one pattern an item"),
        ("spec.groups", ["!a", "@b"], "spec.groups: only excludes and so matches nothing; begin it with '*'"),
        ("spec.distributions", ["@a"], "spec.distributions[0]: '@a' does not fit; give one distribution an item"),
        ("spec.distributions", ["a", "a"], "spec.distributions: holds 'a' twice; remove one"),
        (
            "spec.auth",
            {"username": "a b", **PASSWORD},
            "spec.auth.username: 'a b' does not fit; give a user name without",
        ),
        ("spec.excludePath", ["a!b"], "spec.excludePath[0]: 'a!b' does not fit; give a path identity"),
        ("spec.minSize", "0B", "spec.minSize: 0B is below 1B; give 1B to 64MiB"),
        ("spec.maxSize", "1GB", "spec.maxSize: 1GB is above 64MiB; give 1B to 64MiB"),
        ("spec.maxCrossposts", 0, "spec.maxCrossposts: 0 is below 1; give 1 to 1000"),
        ("spec.minCrossposts", 0, "spec.minCrossposts: 0 is below 1; give 1 to 1000"),
        ("spec.maxFollowups", -1, "spec.maxFollowups: -1 is below 0; give 0 to 1000"),
        ("spec.maxSpread", 0, "spec.maxSpread: 0 is below 1; give 1 to 1000000"),
        ("spec.minHops", 0, "spec.minHops: 0 is below 1; give 1 to 1000"),
        ("spec.requiredGroups", ["!a"], "spec.requiredGroups: only excludes and so matches nothing"),
        ("spec.pathIdentity", ["a", "a"], "spec.pathIdentity: holds 'a' twice; remove one"),
        ("spec.articleTypes", ["binaries"], "spec.articleTypes[0]: 'binaries' does not fit; give all, text, binary"),
        ("spec.originators", {"patterns": []}, "spec.originators.patterns: has 0 items; give at least 1"),
        ("spec.maxHops", 1001, "spec.maxHops: 1001 is above 1000; give 1 to 1000"),
        ("spec.hashfeed", {"first": 3, "last": 2, "modulus": 9}, "spec.hashfeed.first: is above last"),
        ("spec.hashfeed", {"first": 3, "last": 10, "modulus": 9}, "spec.hashfeed.last: is above modulus"),
        (
            "spec.hashfeed",
            {"first": 1, "last": 1, "modulus": 2, "further": [{"first": 1, "last": 3, "modulus": 2}]},
            "spec.hashfeed.further[0].last: is above modulus",
        ),
        ("spec.connections.initial", 101, "spec.connections.initial: 101 is above 100; give 0 to 100"),
        ("spec.connections", {"low": 60, "high": 50}, "spec.connections.low: is above high"),
        ("spec.connections.filter", 1, "spec.connections.filter: 1 is above 0.999; give 0 to 0.999"),
        ("spec.connections.startDelay", "2h", "spec.connections.startDelay: 2h is above 1h; give 0s to 1h"),
        ("spec.network", {"dscp": 64}, "spec.network.dscp: 64 is above 63; give 0 to 63"),
        ("spec.hashfeed", {"first": 3, "last": 4}, "spec.hashfeed.modulus: is required; add it"),
        ("spec.queue.size", 9, "spec.queue.size: 9 is below 10; give 10 to 1000000"),
        ("spec.queue.spillFraction", 0, "spec.queue.spillFraction: 0 is below 0.05; give 0.05 to 1"),
        ("spec.backlog.rotateBytes", "999B", "spec.backlog.rotateBytes: 999B is below 1KB; give 1KB to 1GB"),
        ("spec.backlog.rotateAge", "0s", "spec.backlog.rotateAge: 0s is below 1s; give 1s to 1d"),
        ("spec.backlog.maxBytes", "1KB", "spec.backlog.maxBytes: 1KB is below 4KB; give 4KB to 1TB"),
        ("spec.backlog.maxAge", "1s", "spec.backlog.maxAge: 1s is below 1m; give 1m to 365d"),
        ("spec.deferral.minAge", "2d", "spec.deferral.minAge: 2d is above 1d; give 1s to 1d"),
        ("spec.deferral.maxTries", 0, "spec.deferral.maxTries: 0 is below 1; give 1 to 65535"),
        ("spec.deadLetter.maxTries", 0, "spec.deadLetter.maxTries: 0 is below 1; give 1 to 1000"),
        ("spec.deferral.factor", 0.5, "spec.deferral.factor: 0.5 is below 1; give 1 to 100"),
        ("spec.deferral.longest", "2d", "spec.deferral.longest: 2d is above 1d; give 1s to 1d"),
        ("spec.deferral.maxAge", "1s", "spec.deferral.maxAge: 1s is below 1m; give 1m to 365d"),
        ("spec.delay", "31d", "spec.delay: 31d is above 30d; give 0s to 30d"),
        ("spec.backlog.first", 1, "spec.backlog.first: 1 is neither true nor false"),
        ("spec.backlog.enabled", "no", "spec.backlog.enabled: 'no' is neither true nor false"),
        (
            "spec.reconnect",
            {"initial": "10m", "maximum": "5m"},
            "spec.reconnect.initial: is above maximum; lower it, or raise maximum",
        ),
        ("spec.reconnect.maximum", "2d", "spec.reconnect.maximum: 2d is above 1d; give 100ms to 1d"),
        ("spec.timeouts.connect", "11m", "spec.timeouts.connect: 11m is above 10m; give 100ms to 10m"),
        ("spec.timeouts.response", "0s", "spec.timeouts.response: 0s is below 100ms; give 100ms to 1h"),
        ("spec.timeouts.idle", 600, "spec.timeouts.idle: 600 is no duration; give a number with its unit"),
        ("spec.timeouts.lifetime", "1s", "spec.timeouts.lifetime: 1s is below 1m; give 1m to 365d"),
        ("spec.network", {"bind": ["a"]}, "spec.network.bind[0]: 'a' does not fit; give an IP address of this machine"),
        ("spec.network", {"bind": ["::1"] * 3}, "spec.network.bind: has 3 items; give at most 2"),
        ("spec.network", {"bind": ["::1"] * 2}, "spec.network.bind: holds '::1' twice; remove one"),
        ("spec.network", {"family": "ipx"}, "spec.network.family: 'ipx' is not known; give 'any', 'ipv4' or 'ipv6'"),
        ("spec.network", {"pacingRate": "1B"}, "spec.network.pacingRate: 1B is below 1KB; give 1KB to 4GB"),
        ("spec.network", {"sendBuffer": "1B"}, "spec.network.sendBuffer: 1B is below 4KiB; give 4KiB to 64MiB"),
        ("spec.network", {"congestionControl": "B"}, "spec.network.congestionControl: 'B' does not fit; give a name"),
        ("spec.headfeed", 1, "spec.headfeed: 1 is neither true nor false"),
        ("spec.maxRate", 0, "spec.maxRate: 0 is below 0.001; give 0.001 to 1e+06"),
        ("spec.hours", {"windows": []}, "spec.hours.windows: has 0 items; give at least 1"),
        ("spec.hours", {"windows": [{"start": "24:00", "end": "06:00"}]}, "spec.hours.windows[0].start: '24:00' does"),
        (
            "spec.hours",
            {"windows": [{"start": "1:00", "end": "02:00"}]},
            "spec.hours.windows[0].start: '1:00' does not",
        ),
        ("spec.hours", {"windows": [{"start": "01:00"}]}, "spec.hours.windows[0].end: is required; add it"),
        (
            "spec.hours",
            {"windows": [{"days": ["Monday"], "start": "01:00", "end": "02:00"}]},
            "spec.hours.windows[0].days[0]: 'Monday' is not known; give 'Mon', 'Tue',",
        ),
        (
            "spec.hours",
            {"windows": [{"start": "01:00", "end": "02:00"}], "zone": "a b"},
            "spec.hours.zone: 'a b' does not fit; give a time zone",
        ),
        ("spec.pause", 1, "spec.pause: 1 is neither true nor false; give one of them, without quotes"),
    ],
)
def test_peerfeed_refuses(path, value, problem):
    [found] = problems(PEERFEED, path, value)
    assert found.startswith(problem)


def test_peerfeed_whose_smallest_is_above_its_largest():
    manifest = changed(PEERFEED, "spec.maxSize", "1KB")
    assert problems(manifest, "spec.minSize", "2KB") == ["spec.minSize: is above maxSize; lower it, or raise maxSize"]


@pytest.mark.parametrize("kind", ["Crossposts", "Hops"])
def test_peerfeed_whose_fewest_are_above_its_most(kind):
    manifest = changed(PEERFEED, f"spec.max{kind}", 1)
    assert problems(manifest, f"spec.min{kind}", 2) == [
        f"spec.min{kind}: is above max{kind}; lower it, or raise max{kind}"
    ]


def test_peerfeed_that_feeds_itself():
    manifest = changed(PEERFEED, "spec.hosts", None)
    [found] = problems(manifest, "spec.target", {"name": "main"})
    assert found == "spec.target.name: is the same as outfeedRef.name; name another"


def test_pattern_of_many_sets_is_refused_quickly():
    began = time.perf_counter()
    assert problems(PEERFEED, "spec.groups", ["[]a]" * 120 + " "])
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.listeners.nntp", {}),
        ("spec.listeners.grpc", {"address": "0.0.0.0", "port": 7000}),
        ("spec.listeners.nntp", {"address": "::", "port": 1119}),
        ("spec.history", {"remember": "1h", "rejectOld": False}),
        ("spec.articles", {"maxSize": "64KiB", "maxHeaderSize": "64KiB"}),
        (
            "spec.access",
            [{"principal": "*.feeds.example"}, {"principal": "a", "methods": ["Offer", "OutfeedService/*"]}],
        ),
        ("spec.clients", ["feeder"]),
        ("spec.tls", {"secretRef": {"name": "certificate"}}),
    ],
)
def test_outfeed_takes(path, value):
    accepted(OUTFEED, path, value)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "a.b", "metadata.name: 'a.b' does not fit; give lower-case letters, digits and '-'"),
        ("metadata.name", "a" * 41, "metadata.name: 41 characters are too many; give at most 40"),
        ("spec.spillRef", None, "spec.spillRef: is required; add it"),
        ("spec.spillRef.name", "A", "spec.spillRef.name: 'A' does not fit; give lower-case letters"),
        ("spec.listeners.grpc.port", 65_536, "spec.listeners.grpc.port: 65536 is above 65535; give 1 to 65535"),
        ("spec.listeners.nntp.address", "a b", "spec.listeners.nntp.address: 'a b' does not fit; give an IP address"),
        (
            "spec.listeners.nntp.address",
            "127.0.0.1:1119",
            "spec.listeners.nntp.address: '127.0.0.1:1119' does not fit; give an IP address or a host name, as "
            "127.0.0.1 or ::; the port has a field of its own",
        ),
        (
            "spec.listeners.health.port",
            "9119",
            "spec.listeners.health.port: '9119' is no whole number; give 1 to 65535",
        ),
        ("spec.storage.size", "1MiB", "spec.storage.size: 1MiB is below 1GiB; give 1GiB to 64TiB"),
        ("spec.storage.logLimit", "1MiB", "spec.storage.logLimit: 1MiB is below 16MiB; give 16MiB to 1TiB"),
        ("spec.history.remember", "1m", "spec.history.remember: 1m is below 1h; give 1h to 365d"),
        ("spec.history.rejectOld", "yes", "spec.history.rejectOld: 'yes' is neither true nor false; give one of them"),
        ("spec.articles.maxSize", "1GB", "spec.articles.maxSize: 1GB is above 15MiB; give 1KB to 15MiB"),
        ("spec.articles.maxSize", "10KB", "spec.articles.maxHeaderSize: is above maxSize; lower it, or raise maxSize"),
        ("spec.access", [{"principal": "a b"}], "spec.access[0].principal: 'a b' does not fit; give a name or a glob"),
        ("spec.access", [{"principal": "a", "methods": []}], "spec.access[0].methods: has 0 items; give at least 1"),
        ("spec.access", [{"principal": "a", "methods": ["a b"]}], "spec.access[0].methods[0]: 'a b' does not fit"),
        ("spec.clients", ["A"], "spec.clients[0]: 'A' does not fit; give lower-case letters"),
        ("spec.clients", ["a.b"], "spec.clients[0]: 'a.b' does not fit; give lower-case letters"),
        ("spec.clients", ["a", "b", "a"], "spec.clients: holds 'a' twice; remove one"),
        ("spec.access", [{"principal": "a"}] * 101, "spec.access: has 101 items; give at most 100"),
        ("spec.tls", {"secretRef": {"name": "a", "key": "b"}}, "spec.tls.secretRef.key: is unknown; known are name"),
    ],
)
def test_outfeed_refuses(path, value, problem):
    [found] = problems(OUTFEED, path, value)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:6379", "redis://cache:6379/2", "rediss://cache.example.com", "redis+sentinel://a:1,b:2/main/0",
        "redis+cluster://a:1,b:2,c:3", "rediss+cluster://a:1/", "redis://[::1]:6379/0", "unix:///run/redis.sock?db=1",
    ],
)  # fmt: skip
def test_spill_takes_a_url(url):
    assert accepted(SPILL, "spec", {"url": url}).url == url


def test_spill_takes_a_url_from_a_secret():
    spec = accepted(SPILL, "spec", {"urlFrom": {"secretRef": {"name": "redis", "key": "url"}}})
    assert (spec.url_from.secret_ref.name, spec.url_from.secret_ref.key) == ("redis", "url")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.managed: is missing; give managed, url or urlFrom"),
        ({"managed": {}, "url": "redis://a"}, "spec.url: excludes managed; remove one of them"),
        ({"managed": {}, "durability": "never"}, "spec.durability: 'never' is not known; give 'everysec' or 'always'"),
        ({"managed": {"memory": "1MiB"}}, "spec.managed.memory: 1MiB is below 64MiB; give 64MiB to 1TiB"),
        ({"managed": {"storage": "1MiB"}}, "spec.managed.storage: 1MiB is below 1GiB; give 1GiB to 64TiB"),
        ({"managed": {"image": ""}}, "spec.managed.image: '' does not fit; give the name of a container image"),
        ({"url": "http://a"}, "spec.url: the value does not fit; give redis://HOST:PORT/DB"),
        ({"urlFrom": {"secretRef": {"name": "a"}}}, "spec.urlFrom.secretRef.key: is required; add it"),
    ],
)
def test_spill_refuses(spec, problem):
    [found] = problems(SPILL, "spec", spec)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "url",
    ["redis://", "redis://a,b", "redis://a/x", "redis+sentinel://a:1", "redis+cluster://a:1/3", "unix://run", "a:6379"],
)
def test_spill_refuses_a_url(url):
    [found] = problems(SPILL, "spec", {"url": url})
    assert found.startswith("spec.url: the value does not fit; give redis://HOST:PORT/DB")


def test_password_in_a_url_is_refused_and_not_shown():
    [found] = problems(SPILL, "spec", {"url": "redis://user:hunter2@cache:6379"})
    assert "urlFrom" in found
    assert "hunter2" not in found
