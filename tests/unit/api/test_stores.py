"""Store and StoreQueue: defaults, and every rule of their fields."""

import json
from datetime import timedelta

import pytest

from forebay.api.manifests import read_object, read_objects
from forebay.api.v1alpha1 import FsyncMode, IndexPlace, Overflow

from .samples import STORE, STORE_QUEUE, changed

MEBIBYTE = 1024**2
EVERY_FIELD = {
    "storeRef": {"name": "main"}, "durable": False, "bindings": ["orders.*.new", "#"], "ttl": "1h30m", "expires": "7d",
    "maxLength": 10, "maxLengthBytes": "1GB", "overflow": "RejectPublishDeadLetter", "countUnacknowledged": True,
    "maxPriority": 255, "deadLetter": {"address": "rejects.new"}, "deliveryLimit": 65535, "singleActiveConsumer": True,
    "implementation": "variable",
}  # fmt: skip


def problems(manifest, path, value):
    return [str(violation) for violation in read_object(changed(manifest, path, value)).violations]


def spec_of(manifest):
    reading = read_object(manifest)
    assert reading.violations == []
    return reading.resource.spec


def test_a_store_by_default_confirms_what_is_on_disk():
    spec = spec_of(STORE)
    assert (spec.fsync.mode, spec.fsync.interval) == (FsyncMode.ALWAYS, timedelta(milliseconds=200))
    assert (spec.listeners.grpc.port, spec.listeners.health.port) == (7672, 9672)
    assert (spec.storage.size, spec.storage.free_limit) == (20 * 1024 * MEBIBYTE, 512 * MEBIBYTE)
    assert (spec.memory.limit, spec.memory.high_watermark) == (1024 * MEBIBYTE, 0.4)
    assert (spec.messages.max_size, spec.index) == (16 * MEBIBYTE, IndexPlace.MEMORY)
    assert (spec.tls, spec.access, spec.clients) == (None, (), ())


def test_a_store_and_an_outfeed_can_run_on_one_machine():
    ports = read_object({**STORE, "kind": "Outfeed", "spec": {"spillRef": {"name": "main"}}}).resource.spec.listeners
    ours = spec_of(STORE).listeners
    assert not {ports.grpc.port, ports.health.port} & {ours.grpc.port, ours.health.port}


def test_a_queue_by_default_is_durable_and_without_limits():
    spec = spec_of(STORE_QUEUE)
    assert (spec.durable, spec.bindings, spec.overflow) == (True, (), Overflow.DROP_HEAD)
    assert (spec.ttl, spec.expires, spec.max_length, spec.max_length_bytes, spec.delivery_limit) == (None,) * 5
    assert (spec.count_unacknowledged, spec.single_active_consumer) == (False, False)
    assert (spec.max_priority, spec.dead_letter, spec.implementation) == (0, None, "variable")


def test_a_queue_with_every_field_survives_json():
    resource = read_object({**STORE_QUEUE, "spec": EVERY_FIELD}).resource
    assert resource.manifest()["spec"] == EVERY_FIELD
    assert read_object(json.loads(json.dumps(resource.manifest()))).resource == resource


def test_a_queue_needs_its_store():
    [reading] = read_objects([STORE_QUEUE])
    assert [str(each) for each in reading.violations] == [
        "spec.storeRef.name: there is no Store main in namespace default; add it"
    ]
    assert all(reading.violations == [] for reading in read_objects([STORE, STORE_QUEUE]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.bindings", ["a", "orders.eu.new", "orders.*.new", "*.*", "#", "#.new", "a.#.b", "ä.ö-1_2:3/4"]),
        ("spec.ttl", "0s"),
        ("spec.ttl", "3650d"),
        ("spec.maxLength", 1),
        ("spec.maxLengthBytes", 1_000),
        ("spec.deadLetter", {"address": "rejects"}),
        ("spec.overflow", "RejectPublish"),
        ("metadata.name", "orders.eu.new"),
    ],
)
def test_a_queue_takes(path, value):
    spec_of(changed(STORE_QUEUE, path, value))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "Orders", "metadata.name: 'Orders' does not fit; give lower-case letters, digits, '-' and"),
        ("spec.storeRef", None, "spec.storeRef: is required; add it"),
        ("spec.durable", "yes", "spec.durable: 'yes' is neither true nor false; give one of them"),
        ("spec.bindings", "orders", "spec.bindings: 'orders' is no list; give a list, even for one item"),
        ("spec.bindings", ["a", "a"], "spec.bindings: holds 'a' twice; remove one"),
        ("spec.bindings", ["a."], "spec.bindings[0]: 'a.' does not fit; give words separated by dots"),
        ("spec.bindings", [".a"], "spec.bindings[0]: '.a' does not fit; give words separated by dots"),
        ("spec.bindings", ["a..b"], "spec.bindings[0]: 'a..b' does not fit; give words separated by dots"),
        ("spec.bindings", ["a b"], "spec.bindings[0]: 'a b' does not fit; give words separated by dots"),
        ("spec.bindings", ["a*"], "spec.bindings[0]: 'a*' does not fit; give words separated by dots"),
        ("spec.bindings", ["a.##"], "spec.bindings[0]: 'a.##' does not fit; give words separated by dots"),
        ("spec.bindings", [""], "spec.bindings[0]: '' does not fit; give words separated by dots"),
        ("spec.ttl", 5, "spec.ttl: 5 is no duration; give a number with its unit between quotes, 0s to 3650d"),
        ("spec.ttl", "-1s", "spec.ttl: '-1s' is no duration; give a number with its unit"),
        ("spec.expires", "0s", "spec.expires: 0s is below 1s; give 1s to 3650d"),
        ("spec.maxLength", 0, "spec.maxLength: 0 is below 1; give 1 to 1000000000000"),
        ("spec.maxLengthBytes", "1B", "spec.maxLengthBytes: 1B is below 1KB; give 1KB to 64TiB"),
        ("spec.overflow", "Drop", "spec.overflow: 'Drop' is not known; give 'DropHead', 'RejectPublish' or"),
        (
            "spec.overflow",
            "RejectPublishDeadLetter",
            "spec.deadLetter: is missing for overflow RejectPublishDeadLetter; add it, or give another overflow",
        ),
        ("spec.maxPriority", 256, "spec.maxPriority: 256 is above 255; give 0 to 255"),
        ("spec.deadLetter", {}, "spec.deadLetter.address: is required; add it"),
        ("spec.deadLetter", {"address": "a.*"}, "spec.deadLetter.address: 'a.*' does not fit; give words separated"),
        ("spec.deliveryLimit", 0, "spec.deliveryLimit: 0 is below 1; give 1 to 65535"),
        ("spec.implementation", "Own", "spec.implementation: 'Own' does not fit; give lower-case letters"),
        ("spec.maxlength", 5, "spec.maxlength: is unknown; did you mean maxLength?"),
    ],
)
def test_a_queue_refuses(path, value, problem):
    [found] = problems(STORE_QUEUE, path, value)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("metadata.name", "a.b", "metadata.name: 'a.b' does not fit; give lower-case letters, digits and '-'"),
        ("spec", None, "spec: is required; add it"),
        ("spec.listeners.grpc.port", 9672, "spec.listeners.health.port: is the same as grpc.port; name another"),
        ("spec.listeners.nntp", {}, "spec.listeners.nntp: is unknown; known are"),
        ("spec.storage.size", "1MiB", "spec.storage.size: 1MiB is below 1GiB; give 1GiB to 64TiB"),
        ("spec.storage.freeLimit", "21GiB", "spec.storage.freeLimit: is above size; lower it, or raise size"),
        ("spec.fsync.mode", "never", "spec.fsync.mode: 'never' is not known; give 'always', 'interval' or 'none'"),
        ("spec.fsync.interval", "0s", "spec.fsync.interval: 0s is below 1ms; give 1ms to 1m"),
        ("spec.memory.limit", "1MiB", "spec.memory.limit: 1MiB is below 128MiB; give 128MiB to 1TiB"),
        ("spec.memory.highWatermark", 40, "spec.memory.highWatermark: 40 is above 0.9; give 0.1 to 0.9"),
        ("spec.messages.maxSize", "65MiB", "spec.messages.maxSize: 65MiB is above 64MiB; give 1KB to 64MiB"),
        ("spec.index", "redis", "spec.index: 'redis' is not known; give 'memory' or 'disk'"),
        ("spec.clients", ["a", "a"], "spec.clients: holds 'a' twice; remove one"),
        ("spec.access", [{"principal": "a b"}], "spec.access[0].principal: 'a b' does not fit; give a name or a glob"),
    ],
)
def test_a_store_refuses(path, value, problem):
    [found] = problems(STORE, path, value)
    assert found.startswith(problem)
