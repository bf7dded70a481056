"""Kubernetes, by the definitions, and the models take and refuse the same values."""

from copy import deepcopy

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import SCALE
from forebay.api.manifests import read_object

from .admission import admission

HEAD = {"apiVersion": "forebay.dev/v1alpha1", "metadata": {"name": "it"}}
SMALLEST = {
    "Spill": {"urlFrom": {"secretRef": {"name": "a", "key": "url"}}},
    "Outfeed": {"spillRef": {"name": "main"}},
    "Peerfeed": {"outfeedRef": {"name": "hub"}, "hosts": ["a"]},
    "Store": {},
    "StoreQueue": {"storeRef": {"name": "main"}},
    "Announcer": {},
    "Forwarder": {"announcerRef": {"name": "main"}, "url": "udp://a:1"},
    "Router": {},
    "RouterLink": {"routerRef": {"name": "main"}, "domain": "west", "addresses": ["a:1"]},
    "ConduitNode": {},
    "Compaction": {"job": "compact-spill", "targetRef": {"kind": "Spill", "name": "main"}},
}
DATAGRAM_KEY = {"id": 1, "keyFrom": {"secretRef": {"name": "a", "key": "b"}}}
SIZES = ["1GiB", "64TiB", "5000000000B", "01GiB", 1073741824, 70368744177664]
NO_SIZES = [
    "1023MiB",
    "65TiB",
    "999999999999999TiB",
    "20Gi",
    "20G",
    "20gib",
    "1.5GiB",
    " 2GiB",
    "2GiB ",
    "-2GiB",
    "GiB",
]
NO_SIZES += ["", "2", 0, -1, 1073741823, 70368744177665, 1.5, True, ["2GiB"], "2" * 60]
SPANS = ["1h", "365d", "60m", "3600s", "10d2h", "1h30m", "0d1h", "000010d", "8759h59m59s999ms", "1d1ms"]
NO_SPANS = ["59m", "366d", "365d1ms", "999999d", "999999h", "10", "", "d", "1.5h", "-1h", "1h1h", "30m1h", "1w", "1 h"]
NO_SPANS += ["1H", "3600000ms", "999999ms", "1h ", "٣h", 3600, 0, True, ["1h"], "1h" * 30]
PORTS = [1, 119, 65535]
NO_PORTS = [0, -1, 65536, 2**63, 2**70, "119", 119.5, True, [119]]
SHARES = [0.05, 1, 0.5]
NO_SHARES = [0.049, 1.01, 0, -1, "0.5", True]
HOSTS = ["a", "news.example.com", "192.0.2.7", "::1", "2001:db8::7", "::ffff:192.0.2.7", "a_b", "A1"]
NO_HOSTS = ["", "a:119", "[::1]", "-a", "a-", ".a", "a b", "a\n", "a/b", "é", "a" * 254, 10, True]
ADDRESSES = ["0.0.0.0", "::", "localhost", "127.0.0.1"]
NO_ADDRESSES = ["", "a b", "0.0.0.0:119", "[::]", "a_b", "*"]
PATTERNS = ["*", "!misc.jobs", "@*.binaries", "alt.[a-m]*", r"a\*b", "x.[^]a]", "de.é", "[]]", "\u00a0"]
NO_PATTERNS = ["", "a,b", "a b", "[b", "!", "@", "!!a", "a!b", "a\\", "a\t", "a\x0b", "a\x00", "a\x7f", "[]", "a" * 513]
DISTRIBUTIONS = ["world", "!local", "é"]
NO_DISTRIBUTIONS = ["", "!", "@a", "a,b", "a/b", "a b", "!!a"]
NAMES = ["a", "a-b", "a.b", "1", "a" * 63, ".".join(["a" * 63] * 3)]
NO_NAMES = ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "a" * 64, "a" * 254, "é"]
URLS = [
    "redis://a",
    "redis://127.0.0.1:6379/2",
    "rediss://a:1",
    "redis+sentinel://a:1,b:2/main/0",
    "unix:///run/r.sock",
]
URLS += ["redis+cluster://a:1,b:2", "rediss+cluster://a:1/", "redis://[::1]:6379/0"]
NO_URLS = ["", "redis://", "redis://u:p@a", "redis://a,b", "redis://a/x", "unix://run", "http://a", "redis://a b", 5]
SCHEDULES = [
    "* * * * *",
    "*/5 0-6,22 1,15 * MON-fri",
    "30 2 * * 7",
    "59 23 31 12 6",
    "0  0 * jan sun",
    "@daily",
    "05 07 01 01 0",
]
NO_SCHEDULES = [
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "*/0 * * * *",
]
NO_SCHEDULES += ["@reboot", "@every 5m", "* * * * L", "a * * * *", " * * * * *", "1, * * * *", "* * * * monday", 5]
CONFS = [{}, {"spark.executor.memoryOverhead": "1g"}, {"spark.kubernetes.namespaces": "x", "spark.a": ""}]
NO_CONFS = [{"master": "local"}, {"spark.master": "local"}, {"spark.a": 1}, ["spark.a"], "spark.a=b"]
NO_CONFS += [
    {"spark.kubernetes.authenticate.driver.serviceAccountName": "a"},
    {"spark.kubernetes.container.image": "a"},
]
NO_CONFS += [{f"spark.{number}": "" for number in range(101)}, {"spark.a": "a" * 4097}]
BINDINGS = ["a", "orders.eu.new", "orders.*.new", "*", "#", "#.a.*", "a.#.b", "ä.ö", "a-b_c:d/e", "a" * 253]
NO_BINDINGS = [
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a b",
    "a*",
    "*a",
    "##",
    "a.#b",
    "a\n",
    "a\x00",
    "a\t.b",
    "a" * 254,
    5,
    True,
]
NETWORKS = ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::1", "::ffff:192.0.2.0/120"]
NO_NETWORKS = ["", "a", "10.0.0/8", "10.0.0.0/", "10.0.0.0/8 ", "fd00/8", 10, True]
TRACKERS = [
    "http://a/announce",
    "https://tracker.example/x/announce?passkey=a%20b&c=d",
    "udp://192.0.2.7:6969",
    "udp://[2001:db8::7]:1/announce?k=v",
    "http://[::1]:8080/announce",
    "http://a:80?passkey=b",
    "http://a",
]
NO_TRACKERS = [
    "",
    "a",
    "udp://a",
    "ftp://a",
    "wss://a",
    "http://",
    "http://u:p@a/",
    "http://a/b c",
    "http://a/#b",
    5,
    True,
]
LEAVES_NONE = {"overflow": "RejectPublishDeadLetter"}
STORE_REF = {"storeRef": {"name": "main"}}
SPILL, OUTFEED = ({"kind": kind, "name": "main"} for kind in ("Spill", "Outfeed"))
PASSWORD = {"secretRef": {"name": "a", "key": "b"}}
GOOD = [
    ("Outfeed", "storage.size", SIZES),
    ("Outfeed", "history.remember", SPANS),
    ("Outfeed", "listeners.grpc.port", PORTS),
    ("Outfeed", "listeners.nntp", [{"address": address} for address in ADDRESSES]),
    ("Outfeed", "spillRef.name", NAMES),
    ("Outfeed", "clients", [[], ["a", "b"], ["a" * 63], ["a"] * 1]),
    ("Outfeed", "access", [[], [{"principal": "*.feeds.example"}], [{"principal": "a", "methods": ["Offer", "X/*"]}]]),
    ("Outfeed", "tls", [{"secretRef": {"name": "certificate"}}]),
    ("Outfeed", "articles", [{"maxSize": "64KiB", "maxHeaderSize": 65536}, {"maxSize": 2000, "maxHeaderSize": "2KB"}]),
    ("Peerfeed", "queue.spillFraction", SHARES),
    ("Peerfeed", "hosts", [HOSTS]),
    ("Peerfeed", "groups", [["*", pattern] for pattern in PATTERNS]),
    ("Peerfeed", "distributions", [DISTRIBUTIONS, []]),
    ("Peerfeed", "pause", [True, False]),
    ("Peerfeed", "auth", [{"username": "feeder", "passwordFrom": PASSWORD}]),
    ("Peerfeed", "hashfeed", [{"first": 1, "last": 3, "modulus": 3}]),
    ("Peerfeed", "noCheck", [{"low": 95, "high": 95}, {"low": 1.5}, {"low": 96}, {"high": 89.9}, {}]),
    ("Peerfeed", "deferral", [{"minAge": "1s", "longest": "1s"}, {"factor": 1.5}, {"minAge": "2h"}, {}]),
    ("Peerfeed", "groups", [["$local"], ["*", "!$local"]]),
    ("Peerfeed", "articleTypes", [["!binary"], ["all", "!control"], []]),
    ("Peerfeed", "originators", [{"patterns": ["a.*", "@a.b"]}, {"patterns": ["*"], "unnamed": True}]),
    ("Peerfeed", "tls", [{"mode": "implicit"}, {"mode": "starttls", "serverName": "n.example", "verify": False}]),
    ("Peerfeed", "network", [{"bind": ["192.0.2.1", "::1"], "family": "ipv6"}, {"pacingRate": "1MB"}, {}]),
    (
        "Peerfeed",
        "hours",
        [{"windows": [{"days": ["Mon"], "start": "22:00", "end": "06:00"}], "zone": "Europe/Berlin"}],
    ),
    ("Peerfeed", "delay", ["0s", "30d"]),
    ("Peerfeed", "maxRate", [0.001, 1_000_000]),
    ("Outfeed", "defaults", [{}, {"window": 1, "timeouts": {"idle": "1m"}}, {"noCheck": {"low": 96}}]),
    ("Outfeed", "patterns", [[], [{"name": "a_1", "groups": ["a.*", "!a.b"]}]]),
    ("Peerfeed", "reconnect", [{"initial": "1000ms", "maximum": "1s"}, {"initial": "1h", "maximum": "1d"}]),
    ("Spill", "", [{"url": url} for url in URLS]),
    ("Spill", "durability", ["everysec", "always"]),
    ("Store", "storage", [{}, {"size": "1GiB", "freeLimit": "1024MiB"}, {"freeLimit": "20GiB"}]),
    ("Store", "fsync", [{}, {"mode": "always"}, {"mode": "interval", "interval": "1ms"}, {"mode": "none"}]),
    ("Store", "memory", [{"limit": "128MiB"}, {"limit": "1TiB", "highWatermark": 0.9}, {"highWatermark": 0.1}]),
    ("Store", "messages.maxSize", ["1KB", "64MiB", 1000]),
    ("Store", "index", ["memory", "disk"]),
    ("Store", "listeners.grpc.port", PORTS),
    ("Store", "clients", [[], ["a", "b"]]),
    ("StoreQueue", "bindings", [BINDINGS, []]),
    ("StoreQueue", "ttl", ["0s", "1ms", "3650d"]),
    ("StoreQueue", "expires", ["1s", "3650d"]),
    ("StoreQueue", "maxLength", [1, 10**12]),
    ("StoreQueue", "maxLengthBytes", ["1KB", "64TiB", 1000]),
    ("StoreQueue", "maxPriority", [0, 255]),
    ("StoreQueue", "overflow", ["DropHead", "RejectPublish"]),
    ("StoreQueue", "", [{**STORE_REF, **LEAVES_NONE, "deadLetter": {"address": "a.b"}}]),
    ("StoreQueue", "deliveryLimit", [1, 65535]),
    ("StoreQueue", "implementation", ["variable", "a-1"]),
    ("Announcer", "listeners", [{"http": {"enabled": False}, "udp": {"address": "::", "port": 80}}, {}]),
    ("Announcer", "announces.trustedProxies", [NETWORKS, []]),
    ("Announcer", "announces.trackerId", ["", "a-1~"]),
    ("Announcer", "announces", [{"interval": "15m"}, {"minInterval": "0s", "numwant": 0}, {"maxNumwant": 1000}]),
    ("Announcer", "swarms", [{"peerAge": "1m", "maxPeers": 1000}, {"maxSwarms": 100, "snapshotInterval": "10s"}]),
    ("Announcer", "torrents", [{"mode": "deny", "infoHashes": ["a" * 40, "0" * 40]}, {"mode": "off"}]),
    ("Announcer", "forwarding", [{"rateLimitPerSecond": 0.1, "failThreshold": 0, "throttleTop": 0}, {"maxWorkers": 1}]),
    ("Announcer", "", [{"spillRef": {"name": "a"}, "forwarding": {"overflow": "spill"}}, {}]),
    ("Announcer", "storage.size", ["1GiB", "1TiB"]),
    ("Announcer", "memory", ["128MiB", "1TiB"]),
    ("Router", "domain", ["local", "a", "plant-1.example"]),
    ("Router", "replicas", [1, 32]),
    ("Router", "peers", [["a:1", "[fd00::1]:7720"], []]),
    ("Router", "listeners", [{"udp": {"keyFrom": {"secretRef": {"name": "a", "key": "b"}}}}, {"grpc": {"port": 1}}]),
    ("Router", "heartbeat", [{"interval": "100ms", "missed": 2}, {}]),
    ("Router", "queues", [{"low": "1KB", "high": "4KB", "limit": "4KB"}, {"limit": "4GiB"}]),
    ("Router", "names", [[{"principal": "*.x", "names": ["a*", "b-[0-9]"]}], []]),
    ("Router", "domains", [[{"domain": "w*"}, {"domain": "x", "principals": ["p"]}]]),
    ("RouterLink", "addresses", [["a:1", "b.example:65535"], ["[::1]:1"]]),
    ("RouterLink", "transport", ["grpc", "udp"]),
    ("RouterLink", "tls", [{"serverName": "a.b"}]),
    ("RouterLink", "cost", [1, 1000000]),
    ("RouterLink", "suspended", [True, False]),
    ("RouterLink", "retry", [{"attempts": 100, "interval": "10ms"}, {}]),
    ("ConduitNode", "peerId", ["00", "0f" * 15]),
    ("ConduitNode", "replicas", [1, 16]),
    ("ConduitNode", "listeners", [{"tcp": {}, "multicast": {}}, {"multicast": {"interface": "10.0.0.1"}}]),
    ("ConduitNode", "listeners.multicast.group", ["224.0.0.1", "239.255.255.255"]),
    ("ConduitNode", "peers", [["udp/a:1", "tcp/[fd00::1]:7448"], []]),
    ("ConduitNode", "scouting", [{"enabled": False, "count": 5, "resolveInterval": "1h"}]),
    ("ConduitNode", "lease", ["0s", "100ms", "24h"]),
    ("ConduitNode", "conduits", [[{}], [{"latencyBudget": "0s", "window": {"size": 256}}] * 32]),
    ("ConduitNode", "unicast", [{"window": {"size": "256MiB", "drainTo": 0.5}}, {"synch": {"longest": "5m"}}]),
    ("ConduitNode", "unicastByPeer", [[{"peerId": "ff" * 16}, {"peerId": "00", "packetSize": 65507}]]),
    ("ConduitNode", "extras.fragments", [{"maxSample": "1KB", "buffer": "1KB"}, {}]),
    ("ConduitNode", "authentication", [{"keys": [DATAGRAM_KEY, {**DATAGRAM_KEY, "id": 0}], "tolerance": "1h"}]),
    ("ConduitNode", "", [{"spillRef": {"name": "a"}, "congestion": {"policy": "spill"}}, {"numbers": "long"}]),
    ("ConduitNode", "resources", [[{"uri": "/a"}, {"uri": "**"}, {"uri": "/a/*b/c?", "id": 1, "reliable": True}]]),
    ("ConduitNode", "resources", [[{"uri": "/a", "durability": "persistent", "unicast": True}], []]),
    ("ConduitNode", "limits", [{"declarations": 16, "pendingDeclarations": 16}, {"history": "1KB"}]),
    ("Forwarder", "url", TRACKERS),
    ("Forwarder", "hostHeader", ["tracker.example", "tracker.example:8080"]),
    ("Forwarder", "externalIp", ["203.0.113.7", "2001:db8::7"]),
    ("Forwarder", "timeout", ["1s", "5m"]),
    (
        "Forwarder",
        "failurePolicy",
        [{}, {"attempts": 20, "retryBase": "10ms", "failThreshold": 0, "suspension": "24h"}],
    ),
    ("Compaction", "schedule", SCHEDULES),
    ("Compaction", "timeZone", ["Europe/Berlin", "Etc/GMT+12", "America/Argentina/Buenos_Aires", "UTC"]),
    ("Compaction", "sparkConf", CONFS),
    ("Compaction", "threshold", [{"size": "1MB"}, {"size": "1TB", "gap": "1m"}]),
    ("Compaction", "limits", [{}, {"maxAge": "10d", "maxSize": "4KB"}]),
    ("Compaction", "driver", [{"memory": "512MiB"}, {"coreRequest": "1.5", "cores": 2}, {"coreRequest": "250m"}]),
    ("Compaction", "volumes", [[{"claim": "a", "path": "/a"}, {"claim": "a", "path": "/b", "readOnly": True}], []]),
    ("Compaction", "sparkVersion", ["4.3.0"]),
    ("Compaction", "history", [{"succeeded": 0, "failed": 100, "keep": "1h"}]),
    ("Compaction", "", [{"job": job, "targetRef": OUTFEED} for job in ("compact-outcomes", "feed-report")]),
]
BAD = [
    ("Outfeed", "storage.size", NO_SIZES),
    ("Outfeed", "history.remember", NO_SPANS),
    ("Outfeed", "listeners.grpc.port", NO_PORTS),
    ("Outfeed", "listeners.nntp", [{"address": address} for address in NO_ADDRESSES]),
    ("Outfeed", "spillRef.name", NO_NAMES),
    ("Outfeed", "clients", [["a", "a"], ["A"], ["a.b"], ["a" * 64], "a", [f"c{n}" for n in range(1001)]]),
    ("Outfeed", "access", [[{"principal": "a b"}], [{"principal": "a", "methods": []}], [{}], [{"principal": ""}]]),
    ("Outfeed", "access", [[{"principal": "a"}] * 101, [{"principal": "a", "methods": ["b"] * 101}]]),
    ("Outfeed", "tls", [{}, {"secretRef": {}}, {"secretRef": {"name": "a", "key": "b"}}]),
    ("Outfeed", "articles", [{"maxSize": "64KB", "maxHeaderSize": 65536}, {"maxSize": 2000}]),
    ("Outfeed", "unknown", [1]),
    ("Peerfeed", "queue.spillFraction", NO_SHARES),
    ("Peerfeed", "hosts", [[host] for host in NO_HOSTS] + [[], "a"]),
    ("Peerfeed", "groups", [["*", pattern] for pattern in NO_PATTERNS] + [[], ["!a"]]),
    ("Peerfeed", "distributions", [[each] for each in NO_DISTRIBUTIONS] + [["a", "a"]]),
    ("Peerfeed", "pause", ["true", 1, 0]),
    (
        "Peerfeed",
        "auth",
        [{"username": "a b", "passwordFrom": PASSWORD}, {"username": "a"}, {"passwordFrom": PASSWORD}],
    ),
    ("Peerfeed", "hashfeed", [{"first": 2, "last": 1, "modulus": 3}, {"first": 1, "last": 4, "modulus": 3}, {}]),
    ("Peerfeed", "noCheck", [{"low": 96, "high": 95}, {"low": 90, "high": 89.9}]),
    ("Peerfeed", "reconnect", [{"initial": "1001ms", "maximum": "1s"}, {"initial": "6m", "maximum": "5m"}]),
    ("Peerfeed", "deferral", [{"minAge": "2s", "longest": "1s"}, {"factor": 0.9}]),
    ("Peerfeed", "groups", [["!a"], []]),
    ("Peerfeed", "articleTypes", [["binaries"], ["!"], ["text", "text"]]),
    ("Peerfeed", "originators", [{"patterns": []}, {"patterns": ["!a"]}, {}]),
    ("Peerfeed", "tls", [{}, {"mode": "TLS"}, {"mode": "starttls", "serverName": "a:1"}]),
    ("Peerfeed", "network", [{"bind": ["a"]}, {"bind": ["::1", "::1"]}, {"family": "ip"}, {"pacingRate": "5GB"}]),
    ("Peerfeed", "hours", [{}, {"windows": []}, {"windows": [{"start": "24:00", "end": "01:00"}]}]),
    ("Peerfeed", "delay", ["31d", "1", -1]),
    ("Peerfeed", "maxRate", [0, 1_000_001, "1"]),
    ("Peerfeed", "minHops", [0, 1001]),
    ("Outfeed", "defaults", [{"hosts": ["a"]}, {"window": 0}, {"minSize": "2MB", "maxSize": "1MB"}]),
    ("Outfeed", "patterns", [[{"name": "a b", "groups": ["*"]}], [{"name": "a", "groups": []}]]),
    ("Peerfeed", "target", [{"name": "east"}, {"name": "hub"}, {}]),
    ("Spill", "", [{"url": url} for url in NO_URLS] + [{}, {"managed": {}, "url": "redis://a"}]),
    ("Spill", "durability", ["never", "", True]),
    ("Store", "storage", [{"freeLimit": "21GiB"}, {"freeLimit": "1MiB"}, {"size": "1GiB", "freeLimit": "1025MiB"}]),
    ("Store", "fsync", [{"mode": "never"}, {"interval": "0s"}, {"interval": "61s"}, {"interval": 5}]),
    ("Store", "memory", [{"limit": "127MiB"}, {"highWatermark": 0.91}, {"highWatermark": 40}, {"limit": "1G"}]),
    ("Store", "messages.maxSize", ["999B", "65MiB", 0, True]),
    ("Store", "index", ["redis", "", True]),
    ("Store", "listeners.health.port", [*NO_PORTS, 7672]),
    ("Store", "clients", [["a", "a"], ["A"]]),
    ("Store", "spillRef", [{"name": "main"}]),
    ("StoreQueue", "bindings", [[binding] for binding in NO_BINDINGS] + [["a", "a"], "a"]),
    ("StoreQueue", "ttl", ["", "0", "3651d", 0, True]),
    ("StoreQueue", "expires", ["0s", "999ms"]),
    ("StoreQueue", "maxLength", [0, -1, 10**12 + 1, "10", 1.5]),
    ("StoreQueue", "maxLengthBytes", ["999B", "65TiB", 0]),
    ("StoreQueue", "maxPriority", [-1, 256, "9"]),
    ("StoreQueue", "overflow", ["drop-head", "", "RejectPublishDeadLetter"]),
    ("StoreQueue", "deadLetter", [{}, {"address": ""}, {"address": "a.*"}, {"address": "a.#"}, {"address": "a b"}]),
    ("StoreQueue", "deliveryLimit", [0, 65536]),
    ("StoreQueue", "implementation", ["", "A", "-a", "a-", "1a"]),
    ("StoreQueue", "storeRef", [{}, {"name": "A"}, "main"]),
    ("StoreQueue", "", [{}, {**STORE_REF, "outfeedRef": {"name": "a"}}]),
    ("Announcer", "listeners", [{"http": {"port": 0}}, {"http": {"port": 9969}}, {"udp": {"enabled": "yes"}}]),
    ("Announcer", "announces.trustedProxies", [[network] for network in NO_NETWORKS]),
    ("Announcer", "announces.trackerId", ["a b", "é", "a" * 65]),
    ("Announcer", "announces", [{"interval": "14m"}, {"interval": "9s"}, {"numwant": 201}, {"maxConnections": 0}]),
    ("Announcer", "swarms", [{"peerAge": "59s"}, {"maxPeers": 999}, {"snapshotInterval": "1s"}]),
    ("Announcer", "torrents", [{"mode": "only"}, {"infoHashes": ["a"]}, {"infoHashes": ["g" * 40]}]),
    ("Announcer", "torrents.infoHashes", [["a" * 40, "a" * 40], "a" * 40]),
    ("Announcer", "forwarding", [{"rateLimitPerSecond": 0}, {"queueSize": 9}, {"workers": 0}, {"throttleTop": -1}]),
    ("Announcer", "forwarding", [{"scaleThreshold": 101}, {"overflow": "spill"}, {"attempts": 21}]),
    ("Announcer", "storage.size", ["1023MiB", "1025GiB"]),
    ("Announcer", "memory", ["127MiB", "1G"]),
    ("Forwarder", "url", NO_TRACKERS),
    ("Forwarder", "hostHeader", ["", "a b"]),
    ("Forwarder", "externalIp", ["", "our.example", "203.0.113.7:1"]),
    ("Forwarder", "timeout", ["999ms", "6m", 30]),
    ("Forwarder", "failurePolicy", [{"attempts": 0}, {"retryBase": "9ms"}, {"failThreshold": -1}]),
    ("Forwarder", "announcerRef", [{}, {"name": "A"}, "main"]),
    ("Router", "domain", ["", "A", "-a", "a" * 64]),
    ("Router", "replicas", [0, 33, "1"]),
    ("Router", "peers", [["a"], ["a:1", "a:1"], "a:1"]),
    ("Router", "listeners", [{"udp": {}}, {"health": {"port": 7720}}, {"grpc": {"port": 0}}]),
    ("Router", "heartbeat", [{"interval": "99ms"}, {"missed": 1}]),
    ("Router", "queues", [{"low": "9MiB"}, {"high": "65MiB"}, {"limit": "4KB"}]),
    ("Router", "names", [[{"principal": "a b", "names": ["a"]}], [{"principal": "a", "names": []}]]),
    ("Router", "domains", [[{"domain": "A"}], [{"domain": "a", "principals": []}]]),
    ("RouterLink", "addresses", [[], ["a"], ["a:1", "a:1"]]),
    ("RouterLink", "transport", ["tcp", ""]),
    ("RouterLink", "", [{**SMALLEST["RouterLink"], "transport": "udp", "tls": {"serverName": "a"}}]),
    ("RouterLink", "tls", [{}, {"serverName": ""}]),
    ("RouterLink", "cost", [0, 1000001]),
    ("RouterLink", "suspended", ["no"]),
    ("RouterLink", "retry", [{"attempts": 0}, {"interval": "9ms"}]),
    ("RouterLink", "routerRef", [{}, {"name": "A"}, "main"]),
    ("ConduitNode", "peerId", ["", "0", "0A", "0f" * 16, 12]),
    ("ConduitNode", "replicas", [0, 17]),
    ("ConduitNode", "listeners", [{"multicast": {"port": 7448}}, {"tcp": {"port": 7449}}, {"tcp": {"port": 9449}}]),
    ("ConduitNode", "listeners.multicast", [{"group": "223.0.0.1"}, {"group": "240.0.0.1"}, {"interface": "eth0"}]),
    ("ConduitNode", "peers", [["a:1"], ["udp/a"], ["udp/a:0"], ["sctp/a:1"], ["udp/a:1"] * 2]),
    ("ConduitNode", "lease", ["25h", 5]),
    ("ConduitNode", "conduits", [[], [{}] * 33, [{"packetSize": 127}], [{"window": {"size": "255B"}}]]),
    ("ConduitNode", "unicast", [{"synch": {"interval": "2s"}}, {"window": {"drainTo": 1.1}}]),
    ("ConduitNode", "unicastByPeer", [[{}], [{"peerId": "00"}] * 2, [{"peerId": "ff" * 17}]]),
    ("ConduitNode", "extras.fragments", [{"maxSample": "9MiB"}, {"timeout": "0s"}]),
    ("ConduitNode", "authentication", [{}, {"keys": []}, {"keys": [DATAGRAM_KEY] * 2}]),
    ("ConduitNode", "", [{"congestion": {"policy": "spill"}}, {"numbers": "14"}]),
    ("ConduitNode", "resources", [[{"uri": "a"}], [{"uri": "/"}], [{"uri": "/a/"}], [{"uri": "/a"}] * 2]),
    ("ConduitNode", "limits", [{"pendingDeclarations": 16385}, {"peers": 0}]),
    ("Compaction", "schedule", NO_SCHEDULES),
    ("Compaction", "timeZone", ["", "Europe Berlin", "../etc/passwd", "/etc", 1]),
    ("Compaction", "sparkConf", NO_CONFS),
    ("Compaction", "threshold", [{}, {"size": "1KB"}, {"size": "1MB", "gap": "1s"}]),
    ("Compaction", "limits", [{"maxAge": "1s"}, {"maxSize": 1}, {"maxBytes": "1GB"}]),
    ("Compaction", "driver", [{"memory": "511MiB"}, {"coreRequest": "0"}, {"coreRequest": 1}, {"cores": 0}]),
    ("Compaction", "executor", [{"instances": 0}, {"instances": 1001}, {"cores": 65}]),
    ("Compaction", "volumes", [[{"claim": "a", "path": "/a"}] * 2, [{"claim": "a", "path": "a"}], [{"path": "/a"}]]),
    ("Compaction", "sparkVersion", ["4", "4.3", "v4.3.0"]),
    ("Compaction", "retries", [-1, 21]),
    ("Compaction", "deadline", ["59s", "8d"]),
    ("Compaction", "engine", ["Spark", ""]),
    ("Compaction", "concurrency", ["Allow"]),
    ("Compaction", "output", ["reports", "", "/", "/a b"]),
    ("Compaction", "targetRef", [OUTFEED, {"kind": "Store", "name": "a"}, {"name": "main"}]),
    ("Compaction", "", [{"job": job, "targetRef": SPILL} for job in ("compact-outcomes", "feed-report", "no-job")]),
    ("Compaction", "", [{"job": "verify-messages", "targetRef": OUTFEED, "limits": {}}, {"targetRef": SPILL}]),
    ("Compaction", "", [{"job": "verify-messages", "targetRef": OUTFEED, "threshold": {"size": "1MB"}}]),
]


@pytest.fixture(scope="module")
def server(apiserver):
    with admission(apiserver.admin, apiserver.namespace("agreement")) as asked:
        yield asked


def cases(table):
    return [
        pytest.param(with_value(kind, path, value), id=f"{kind}.{path}={value!s:.40}")
        for kind, path, values in table
        for value in values
    ]


def with_value(kind, path, value):
    """A manifest with a value at a path of its spec, or with that spec."""
    manifest = {**HEAD, "kind": kind, "spec": deepcopy(SMALLEST[kind])}
    *parents, last = f"spec.{path}".rstrip(".").split(".")
    inner = manifest
    for parent in parents:
        inner = inner.setdefault(parent, {})
    inner[last] = value
    return manifest


@pytest.mark.parametrize("manifest", cases(GOOD))
def test_both_take(server, manifest):
    assert server.refusal(manifest) == ""
    assert read_object(manifest).violations == []


@pytest.mark.parametrize("manifest", cases(BAD))
def test_both_refuse(server, manifest):
    assert "spec" in server.refusal(manifest)
    assert read_object(manifest).violations != []


@pytest.mark.parametrize(
    ("kind", "name", "taken"),
    [
        ("Compaction", "a" * 40, True), ("Compaction", "a" * 41, False), ("Compaction", "1a", False),
        ("Outfeed", "a" * 40, True), ("Outfeed", "a" * 41, False), ("Outfeed", "a.b", False),
        ("Spill", "a" * 40, True), ("Spill", "a" * 41, False), ("Peerfeed", "a.b", True), ("Peerfeed", "A", False),
    ],
)  # fmt: skip
def test_both_judge_names_alike(server, kind, name, taken):
    manifest = {**HEAD, "kind": kind, "metadata": {"name": name}, "spec": SMALLEST[kind]}
    assert (server.refusal(manifest) == "") is taken
    assert (read_object(manifest).violations == []) is taken


SPAN_TEXT = st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["d", "h", "m", "s", "ms", ""])), max_size=4)
SIZE_TEXT = st.tuples(
    st.integers(0, 10**16), st.sampled_from(["B", "KB", "KiB", "MB", "GiB", "TB", "TiB", "k", "Gi", ""])
)
VALUES = st.one_of(
    st.tuples(st.just("Outfeed"), st.just("history.remember"), SPAN_TEXT.map(lambda parts: joined(*parts))),
    st.tuples(st.just("Outfeed"), st.just("storage.size"), SIZE_TEXT.map(lambda part: joined(part))),
    st.tuples(st.just("Outfeed"), st.just("storage.size"), st.integers(-(2**64), 2**64)),
    st.tuples(st.just("Outfeed"), st.just("spillRef.name"), st.text("aZ0.-_", max_size=8)),
    st.tuples(st.just("Peerfeed"), st.just("groups"), st.lists(st.text(r"a.*!@[]^\,", max_size=6), max_size=3)),
    st.tuples(st.just("Peerfeed"), st.just("hosts"), st.lists(st.text("aZ0.-_:[ ", max_size=6), max_size=2)),
    st.tuples(st.just("Peerfeed"), st.just("groups"), st.lists(st.text(max_size=4), min_size=1, max_size=1)),
    st.tuples(st.just("Spill"), st.just(""), st.text("redis:/+cluter@,1 ", max_size=20).map(lambda url: {"url": url})),
)


def joined(*parts):
    return "".join(f"{amount}{unit}" for amount, unit in parts)


@settings(max_examples=300 * SCALE, deadline=None)
@given(VALUES)
@example(("Outfeed", "storage.size", "1048576KiB"))
def test_both_agree_on_any_value(server, value):
    manifest = with_value(*value)
    assert (server.refusal(manifest) == "") is (read_object(manifest).violations == [])
