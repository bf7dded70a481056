"""A Peerfeed with its Outfeed's defaults and named patterns."""

from datetime import timedelta

import pytest

from forebay.api import ManifestError, complete, read_files, read_objects
from forebay.api.inheritance import merged

from .samples import OUTFEED, PEERFEED, SPILL, changed


def completed(peer=None, outfeed=None):
    """The spec of a Peerfeed with these fields, completed by an Outfeed with those."""
    readings = read_objects([SPILL, with_spec(OUTFEED, outfeed or {}), with_spec(PEERFEED, peer or {})])
    assert [violation for reading in readings[:2] for violation in reading.violations] == []
    return complete(readings[2].resource, readings[1].resource)[0].spec


def with_spec(manifest, fields):
    for field, value in fields.items():
        manifest = changed(manifest, f"spec.{field}", value)
    return manifest


def faults(peer, outfeed):
    readings = read_objects([SPILL, with_spec(OUTFEED, outfeed), with_spec(PEERFEED, peer)])
    return [str(violation) for violation in readings[2].violations]


def test_what_a_peer_leaves_out_is_as_the_defaults_say():
    spec = completed({}, {"defaults": {"window": 50, "excludePath": ["bad"], "maxSize": "1MB"}})
    assert (spec.window, spec.exclude_path, spec.max_size) == (50, ("bad",), 1_000_000)


def test_what_a_peer_says_counts_more_even_if_it_is_what_counts_by_itself():
    spec = completed({"window": 400, "compress": False}, {"defaults": {"window": 50, "compress": True}})
    assert (spec.window, spec.compress) == (400, False)


def test_objects_are_taken_field_by_field_and_lists_whole():
    spec = completed(
        {"timeouts": {"idle": "1m"}, "groups": ["a.*"]},
        {"defaults": {"timeouts": {"idle": "2m", "response": "3m"}, "groups": ["*", "!b.*"]}},
    )
    assert (spec.timeouts.idle, spec.timeouts.response) == (timedelta(minutes=1), timedelta(minutes=3))
    assert spec.timeouts.connect == timedelta(seconds=10)
    assert spec.groups == ("a.*",)


def test_without_defaults_a_peer_is_as_it_was():
    readings = read_objects([SPILL, OUTFEED, PEERFEED])
    assert complete(readings[2].resource, readings[1].resource)[0] == readings[2].resource


def test_a_manifest_leaves_out_what_was_left_out():
    outfeed = with_spec(OUTFEED, {"defaults": {"timeouts": {"idle": "2m"}}})
    readings = read_objects([SPILL, outfeed, with_spec(PEERFEED, {"timeouts": {"response": "3m"}})])
    assert readings[1].resource.manifest()["spec"]["defaults"] == {"timeouts": {"idle": "2m"}}
    assert readings[2].resource.manifest()["spec"] == PEERFEED["spec"] | {"timeouts": {"response": "3m"}}
    again = read_objects([reading.resource.manifest() for reading in readings])
    assert complete(again[2].resource, again[1].resource)[0].spec.timeouts.idle == timedelta(minutes=2)


@pytest.mark.parametrize(
    ("peer", "defaults", "problem"),
    [
        ({"minSize": "2MB"}, {"maxSize": "1MB"}, "spec.minSize: is above maxSize; lower it, or raise maxSize"),
        ({"noCheck": {"high": 80}}, {"noCheck": {"low": 85}}, "spec.noCheck.low: is above high"),
        ({"noCheck": {"low": 96}}, {"window": 5}, "spec.noCheck.low: is above high"),
        ({"reconnect": {"initial": "6m"}}, {}, "spec.reconnect.initial: is above maximum"),
        ({"deferral": {"minAge": "2h"}}, {}, "spec.deferral.minAge: is above longest"),
    ],
)
def test_what_does_not_go_together_is_a_fault_of_the_peer(peer, defaults, problem):
    [found] = faults(peer, {"defaults": defaults} if defaults else {})
    assert found.startswith(problem)


def test_what_goes_together_only_with_the_defaults_is_no_fault():
    spec = completed({"noCheck": {"low": 96}}, {"defaults": {"noCheck": {"high": 99}}})
    assert (spec.no_check.low, spec.no_check.high) == (96, 99)


@pytest.mark.parametrize("field", ["hosts", "target", "outfeedRef", "pathIdentity", "hashfeed", "pause"])
def test_what_is_of_one_peer_alone_is_no_default(field):
    readings = read_objects([SPILL, changed(OUTFEED, "spec.defaults", {field: []})])
    assert f"spec.defaults.{field}" in readings[1].warnings[0]


def test_defaults_obey_the_rules_of_peers():
    readings = read_objects([SPILL, changed(OUTFEED, "spec.defaults", {"groups": ["!a"]})])
    assert str(readings[1].violations[0]).startswith("spec.defaults.groups: only excludes")


PATTERNS = [{"name": "local", "groups": ["local.*", "example.*"]}, {"name": "mixed", "groups": ["a.*", "!a.b"]}]


@pytest.mark.parametrize(
    ("groups", "expanded"),
    [
        (["$local"], ("local.*", "example.*")),
        (["*", "!$local"], ("*", "!local.*", "!example.*")),
        (["*", "@$local", "x"], ("*", "@local.*", "@example.*", "x")),
        (["$mixed", "$local"], ("a.*", "!a.b", "local.*", "example.*")),
        (["a$b", "$1"], ("a$b", "$1")),
    ],
)
def test_named_patterns_are_filled_in(groups, expanded):
    assert completed({"groups": groups}, {"patterns": PATTERNS}).groups == expanded


def test_named_patterns_may_be_required_and_be_among_the_defaults():
    spec = completed({}, {"patterns": PATTERNS, "defaults": {"requiredGroups": ["$local"], "groups": ["$mixed"]}})
    assert (spec.required_groups, spec.groups) == (("local.*", "example.*"), ("a.*", "!a.b"))


@pytest.mark.parametrize(
    ("groups", "patterns", "problem"),
    [
        (["*", "$locl"], PATTERNS, "spec.groups[1]: the Outfeed has no patterns locl; did you mean local?"),
        (["$x"], [], "spec.groups[0]: the Outfeed has no patterns x; add it to patterns there"),
        (["*", "!$mixed"], PATTERNS, "spec.groups[1]: the patterns mixed have signs of their own"),
    ],
)
def test_patterns_that_cannot_be_filled_in_are_told(groups, patterns, problem):
    [found] = faults({"groups": groups}, {"patterns": patterns})
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("patterns", "problem"),
    [
        ([{"name": "a b", "groups": ["*"]}], "spec.patterns[0].name: 'a b' does not fit; give letters, digits"),
        ([{"name": "a", "groups": []}], "spec.patterns[0].groups: has 0 items; give at least 1"),
        ([{"name": "a", "groups": ["*"] * 101}], "spec.patterns[0].groups: has 101 items; give at most 100"),
        ([{"name": f"a{n}", "groups": ["*"]} for n in range(17)], "spec.patterns: has 17 items; give at most 16"),
        ([{"name": "a", "groups": ["*"]}] * 2, "spec.patterns: holds 'a' twice; remove one"),
    ],
)
def test_patterns_that_are_none_are_told(patterns, problem):
    readings = read_objects([SPILL, changed(OUTFEED, "spec.patterns", patterns)])
    assert str(readings[1].violations[0]).startswith(problem)


def test_files_are_checked_with_defaults_and_patterns_filled_in(tmp_path):
    (tmp_path / "a.yaml").write_text(
        """\
apiVersion: forebay.dev/v1alpha1
kind: Spill
metadata: {name: main}
spec: {managed: {}}
---
apiVersion: forebay.dev/v1alpha1
kind: Outfeed
metadata: {name: hub}
spec: {spillRef: {name: main}, patterns: [{name: local, groups: [local.*]}]}
---
apiVersion: forebay.dev/v1alpha1
kind: Peerfeed
metadata: {name: east}
spec:
  outfeedRef: {name: hub}
  hosts: [east.example]
  groups: [$locale]
"""
    )
    with pytest.raises(ManifestError, match=r"a.yaml:17: Peerfeed/east: spec.groups\[0\]: .* did you mean local"):
        read_files([tmp_path])


def test_merging_replaces_what_is_no_object():
    assert merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": 3}, "d": [], "e": 5}) == {
        "a": {"b": 3, "c": 2},
        "d": [],
        "e": 5,
    }
    assert merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
