"""Manifests from files and from documents."""

import re

import pytest
import yaml

from forebay.api import ManifestError, read_files, read_objects
from forebay.api.v1alpha1 import Outfeed, Peerfeed, SecretReference, Spill

from .samples import OUTFEED, PEERFEED, SPILL, changed


def write(path, *manifests):
    path.write_text(yaml.safe_dump_all(manifests))
    return path


def problems(*paths):
    with pytest.raises(ManifestError) as caught:
        read_files(paths)
    return list(caught.value.problems)


def test_files_and_folders_are_read_in_order(tmp_path):
    write(tmp_path / "b.yml", PEERFEED)
    write(tmp_path / "a.yaml", SPILL, OUTFEED)
    (tmp_path / "notes.txt").write_text("no manifest")
    manifests = read_files([tmp_path])
    assert [resource.identity for resource in manifests.resources] == [
        ("Spill", "default", "spill"),
        ("Outfeed", "default", "main"),
        ("Peerfeed", "default", "peer-b"),
    ]


def test_resources_by_kind(tmp_path):
    manifests = read_files([write(tmp_path / "a.yaml", SPILL, OUTFEED, PEERFEED)])
    assert [resource.metadata.name for resource in manifests.of(Peerfeed)] == ["peer-b"]
    assert len(manifests.of(Spill)) == len(manifests.of(Outfeed)) == 1


def test_error_names_file_line_resource_field_value_and_remedy(tmp_path):
    file = tmp_path / "x.yaml"
    file.write_text(
        "apiVersion: forebay.dev/v1alpha1\nkind: Peerfeed\nmetadata:\n  name: peer-b\nspec:\n"
        "  outfeedRef: {name: main}\n  hosts: [a]\n  window: 0\n"
    )
    assert problems(write(tmp_path / "a.yaml", SPILL, OUTFEED), file) == [
        f"{file}:8: Peerfeed/peer-b: spec.window: 0 is below 1; give 1 to 10000"
    ]


def test_all_errors_of_all_files_are_told(tmp_path):
    write(tmp_path / "a.yaml", SPILL, OUTFEED, changed(changed(PEERFEED, "spec.window", 0), "spec.port", 0))
    write(tmp_path / "b.yaml", changed(SPILL, "metadata.name", "B"))
    (tmp_path / "c.yaml").write_text("a: [")
    (tmp_path / "d.yaml").write_bytes(b"a: \xff")
    missing = tmp_path / "none.yaml"
    fields = [problem.split(": ", 3)[:3] for problem in problems(tmp_path, missing)]
    assert [part for _, *part in fields] == [
        [
            "is no YAML",
            "did not find expected node content; indent by spaces, and put text with special characters between quotes",
        ],
        ["is no UTF-8 at octet 3; save it as UTF-8"],
        ["can't be read", "No such file or directory; name another"],
        ["Peerfeed/peer-b", "spec.port"],
        ["Peerfeed/peer-b", "spec.window"],
        ["Spill/B", "metadata.name"],
    ]


@pytest.mark.parametrize(
    ("manifests", "problem"),
    [
        pytest.param([SPILL, SPILL], "Spill/spill: metadata.name: is given twice; remove or rename one", id="twice"),
        pytest.param(
            [OUTFEED], "Outfeed/main: spec.spillRef.name: there is no Spill spill in namespace default; add it",
            id="no parent",
        ),
        pytest.param(
            [SPILL, OUTFEED, changed(PEERFEED, "spec.outfeedRef.name", "mains")],
            "Peerfeed/peer-b: spec.outfeedRef.name: there is no Outfeed mains in namespace default; did you mean main?",
            id="misspelt parent",
        ),
        pytest.param(
            [SPILL, OUTFEED, changed(changed(PEERFEED, "spec.hosts", None), "spec.target", {"name": "other"})],
            "Peerfeed/peer-b: spec.target.name: there is no Outfeed other in namespace default; known are main",
            id="no target",
        ),
        pytest.param(
            [SPILL, changed(OUTFEED, "metadata.namespace", "news")],
            "Outfeed/main: spec.spillRef.name: there is no Spill spill in namespace news; add it",
            id="parent elsewhere",
        ),
        pytest.param(
            [changed(SPILL, "kind", "Spil")], "Spil/spill: kind: Spil is not known; did you mean Spill?", id="kind"
        ),
        pytest.param([changed(SPILL, "kind", None)], "spill: kind: None is not known; known are Spill", id="no kind"),
        pytest.param(
            [changed(SPILL, "apiVersion", "forebay.dev/v1")],
            "Spill/spill: apiVersion: forebay.dev/v1 is not known; give forebay.dev/v1alpha1",
            id="version",
        ),
        pytest.param([["x"]], "manifest: is no mapping; give apiVersion, kind, metadata and spec", id="list"),
        pytest.param([changed(SPILL, "extra", 1)], "Spill/spill: extra: is unknown; known are apiVersion", id="extra"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(tmp_path, manifests, problem):
    [found] = problems(write(tmp_path / "a.yaml", *manifests))
    assert found.split(": ", 1)[1].startswith(problem)


def test_missing_parent_is_told_beside_other_faults(tmp_path):
    found = problems(write(tmp_path / "a.yaml", changed(OUTFEED, "spec.listeners.grpc.port", 0)))
    assert ["spec.listeners.grpc.port" in found[0], "spec.spillRef.name" in found[1]] == [True, True]


def test_child_of_a_faulty_parent_has_no_fault_itself(tmp_path):
    [found] = problems(write(tmp_path / "a.yaml", SPILL, changed(OUTFEED, "spec.storage.size", 1), PEERFEED))
    assert "Outfeed/main" in found


def test_folder_without_manifests_is_an_error(tmp_path):
    assert problems(tmp_path) == [f"{tmp_path}: holds no file that ends in .yaml or .yml; name another folder"]


def test_secrets_are_kept_apart_and_found_by_reference(tmp_path):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "redis"}, "stringData": {"url": "redis://x"}}
    manifests = read_files([write(tmp_path / "a.yaml", secret)])
    assert manifests.resources == ()
    assert manifests.secret("default", SecretReference(name="redis", key="url")) == "redis://x"
    assert "redis://x" not in repr(manifests)


@pytest.mark.parametrize(
    ("name", "key", "problem"),
    [
        ("other", "url", "there is no Secret default/other; add it to the manifests"),
        ("redis", "u", "the Secret default/redis has no key u; add it"),
    ],
)
def test_secret_that_is_not_there_is_told_where_it_is_referred_to(tmp_path, name, key, problem):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "redis"}, "stringData": {"url": "x"}}
    spill = changed(SPILL, "spec", {"urlFrom": {"secretRef": {"name": name, "key": key}}})
    file = write(tmp_path / "a.yaml", secret, spill)
    (found,) = problems(file)
    assert re.fullmatch(rf"{file}:\d+: Spill/spill: spec.urlFrom.secretRef: {problem}", found)


def test_faulty_secret_is_told_with_its_line(tmp_path):
    file = write(tmp_path / "a.yaml", SPILL, {"apiVersion": "v1", "kind": "Secret", "metadata": {}})
    assert problems(file) == [f"{file}:8: Secret: metadata.name is required; add it"]


def test_secret_given_twice_is_an_error(tmp_path):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "redis"}}
    file = write(tmp_path / "a.yaml", secret, secret)
    assert problems(file) == [f"{file}:6: Secret/redis: is given twice; remove or rename one"]


def test_unknown_field_of_a_document_is_a_warning():
    manifest = changed(changed(PEERFEED, "spec.newThing", 5), "spec.queue", {"size": 50, "newer": {"a": 1}})
    reading = read_objects([SPILL, OUTFEED, manifest])[2]
    assert reading.violations == []
    assert reading.resource.spec.queue.size == 50
    assert sorted(reading.warnings) == [
        "spec.newThing: is unknown to this version and was left aside",
        "spec.queue.newer: is unknown to this version and was left aside",
    ]


def test_unknown_field_inside_a_list_is_a_warning():
    rules = [{"principal": "a"}, {"principal": "b", "newer": 1}]
    reading = read_objects([SPILL, changed(OUTFEED, "spec.access", rules)])[1]
    assert reading.warnings == ["spec.access[1].newer: is unknown to this version and was left aside"]
    assert [rule.principal for rule in reading.resource.spec.access] == ["a", "b"]


def test_unknown_field_beside_a_fault_leaves_the_fault():
    manifest = changed(changed(PEERFEED, "spec.newThing", 5), "spec.window", 0)
    reading = read_objects([SPILL, OUTFEED, manifest])[2]
    assert [violation.field for violation in reading.violations] == ["spec.window"]
    assert len(reading.warnings) == 1


def test_manifest_of_a_document_is_left_as_it_was():
    manifest = changed(PEERFEED, "spec.newThing", 5)
    read_objects([manifest])
    assert manifest["spec"]["newThing"] == 5


def test_fault_of_one_resource_leaves_the_others_alone():
    readings = read_objects([SPILL, OUTFEED, changed(PEERFEED, "spec.window", 0)])
    assert [reading.resource is not None for reading in readings] == [True, True, False]


def test_reading_tells_what_it_is_about_even_when_faulty():
    metadata = {"name": "p", "namespace": "news", "uid": "u-1", "generation": 7}
    [reading] = read_objects([{**PEERFEED, "metadata": metadata, "spec": {}}])
    about = reading.kind, reading.namespace, reading.name, reading.uid, reading.generation
    assert about == ("Peerfeed", "news", "p", "u-1", 7)


@pytest.mark.parametrize("generation", [-1, 2**63, "7", None])
def test_generation_that_is_none_is_told_as_0(generation):
    [reading] = read_objects([{**SPILL, "metadata": {"name": "a", "generation": generation}}])
    assert reading.generation == 0


@pytest.mark.parametrize("value", [None, 5, [], {}, {"kind": 5, "metadata": [], "spec": []}])
def test_anything_in_a_document_gives_a_reading(value):
    [reading] = read_objects([value])
    assert reading.violations
    assert reading.resource is None
