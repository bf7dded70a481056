"""The definitions of all kinds, and the files made of them."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from forebay.api.crds import definition
from forebay.api.v1alpha1 import KINDS

CHART = Path(__file__).parents[4] / "charts" / "forebay"
FILES = CHART / "files" / "crds"
LARGEST = 200_000
DEFINITIONS = [pytest.param(definition(kind), id=name) for name, kind in KINDS.items()]


def version(made):
    [only] = made["spec"]["versions"]
    return only


def schemas(value, path=""):
    """All schemas within one, with where they are."""
    yield path, value
    for name, field in value.get("properties", {}).items():
        yield from schemas(field, f"{path}.{name}")
    for many in ("items", "additionalProperties"):
        if many in value:
            yield from schemas(value[many], f"{path}[]")


def own_schemas(made):
    """The schemas of spec and status."""
    fields = version(made)["schema"]["openAPIV3Schema"]["properties"]
    return [pair for part in ("spec", "status") for pair in schemas(fields[part], part)]


def test_files_are_current():
    command = [sys.executable, CHART / "generate_crds.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("made", DEFINITIONS)
def test_file_is_small_and_what_was_made(made):
    file = FILES / f"{made['metadata']['name']}.yaml"
    assert file.stat().st_size < LARGEST
    assert yaml.safe_load(file.read_text()) == made


@pytest.mark.parametrize("made", DEFINITIONS)
def test_schema_is_structural(made):
    for path, schema in own_schemas(made):
        assert not {"$ref", "title", "const"} & schema.keys(), path
        assert not {"additionalProperties", "properties"} <= schema.keys(), path
        assert "type" in schema or schema["x-kubernetes-int-or-string"], path


@pytest.mark.parametrize("made", DEFINITIONS)
def test_every_text_and_list_has_a_limit(made):
    """Kubernetes counts the cost of rules by them."""
    for path, schema in own_schemas(made):
        if schema.get("type") == "string":
            assert schema.keys() & {"maxLength", "enum"}, path
        if schema.get("type") == "array":
            assert schema.keys() >= {"maxItems", "x-kubernetes-list-type"}, path


@pytest.mark.parametrize("made", DEFINITIONS)
def test_every_field_is_described(made):
    assert [path for path, schema in own_schemas(made) if "description" not in schema and path[-1] != "]"] == []


@pytest.mark.parametrize("made", DEFINITIONS)
def test_spec_is_required_and_status_apart(made):
    assert version(made)["schema"]["openAPIV3Schema"]["required"] == ["spec"]
    assert version(made)["subresources"] == {"status": {}}


@pytest.mark.parametrize("made", DEFINITIONS)
def test_every_column_shows_a_field_of_the_status_or_the_age(made):
    status = version(made)["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    columns = version(made)["additionalPrinterColumns"]
    assert [column["name"] for column in columns[:2]] == ["Ready", "Reason"]
    *figures, age = (column["jsonPath"].split(".")[1:3] for column in columns[2:])
    assert all(place == "status" and field in status for place, field in figures)
    assert len([column for column in columns[2:-1] if not column.get("priority")]) == 2
    assert age == ["metadata", "creationTimestamp"]
    assert columns[-1]["jsonPath"] == ".metadata.creationTimestamp"


@pytest.mark.parametrize(
    ("kind", "short", "selectable"),
    [
        ("Spill", "spl", None),
        ("Outfeed", "of", ".spec.spillRef.name"),
        ("Peerfeed", "pf", ".spec.outfeedRef.name"),
        ("Store", "st", None),
        ("StoreQueue", "sq", ".spec.storeRef.name"),
        ("Announcer", "an", ".spec.spillRef.name"),
        ("Forwarder", "fw", ".spec.announcerRef.name"),
        ("Router", "rt", ".spec.spillRef.name"),
        ("RouterLink", "rl", ".spec.routerRef.name"),
        ("ConduitNode", "cn", ".spec.spillRef.name"),
        ("Compaction", "cpt", ".spec.targetRef.name"),
    ],
)
def test_names_and_selectable_fields(kind, short, selectable):
    made = definition(KINDS[kind])
    names = made["spec"]["names"]
    assert (names["shortNames"], names["categories"], names["plural"]) == ([short], ["forebay"], f"{kind.lower()}s")
    assert version(made).get("selectableFields") == ([{"jsonPath": selectable}] if selectable else None)


@pytest.mark.parametrize(
    ("kind", "longest"),
    [
        ("Spill", 40),
        ("Outfeed", 40),
        ("Peerfeed", 253),
        ("Store", 40),
        ("StoreQueue", 253),
        ("Announcer", 40),
        ("Forwarder", 253),
        ("Router", 40),
        ("RouterLink", 253),
        ("ConduitNode", 40),
        ("Compaction", 40),
    ],
)
def test_rule_about_the_name_has_its_limit(kind, longest):
    [rule] = version(definition(KINDS[kind]))["schema"]["openAPIV3Schema"]["x-kubernetes-validations"]
    assert rule["fieldPath"] == ".metadata.name"
    assert rule["message"].endswith(f"at most {longest} of them")
