"""Structural schemas of models."""

import pytest

from forebay.api.crds.structural import field_schema, object_schema
from forebay.api.model import Model
from forebay.api.v1alpha1 import AnnouncerSpec

from .samples import Sample

FIELDS = object_schema(Sample)["properties"]


def test_object_names_what_it_requires():
    schema = object_schema(Sample)
    assert (schema["type"], schema["required"]) == ("object", ["firstName"])


@pytest.mark.parametrize(
    ("field", "default"),
    [
        ("count", 5), ("share", 0.5), ("wait", "1m30s"), ("flag", False), ("colour", "red"), ("labels", ["a"]),
        ("inner", {"name": "a", "size": "2KB"}),
    ],
)  # fmt: skip
def test_default_is_complete_and_as_manifests_have_it(field, default):
    assert FIELDS[field]["default"] == default


@pytest.mark.parametrize("field", ["firstName", "hush", "longest", "side", "inners"])
def test_none_and_nothing_are_no_defaults(field):
    assert "default" not in FIELDS[field]


def test_description_is_one_line():
    assert FIELDS["firstName"]["description"] == "A name on two lines."


def test_optional_field_is_of_its_plain_type():
    assert FIELDS["longest"]["type"] == "string"
    assert "anyOf" not in FIELDS["longest"]


@pytest.mark.parametrize(("field", "choices"), [("colour", ["red", "blue"]), ("side", ["left", "right"])])
def test_choices_are_listed(field, choices):
    assert (FIELDS[field]["type"], FIELDS[field]["enum"]) == ("string", choices)


def test_list_has_the_narrower_of_its_limits():
    assert (FIELDS["labels"]["minItems"], FIELDS["labels"]["maxItems"]) == (1, 7)
    assert FIELDS["inners"]["maxItems"] == 1000


def test_items_have_their_rules():
    assert FIELDS["labels"]["items"]["x-kubernetes-validations"][0]["message"] == "does not fit; give small letters"


def test_distinct_list_is_a_set_and_one_with_a_key_a_map():
    assert FIELDS["labels"]["x-kubernetes-list-type"] == "set"
    assert FIELDS["inners"]["x-kubernetes-list-type"] == "map"
    assert FIELDS["inners"]["x-kubernetes-list-map-keys"] == ["name"]


def test_type_without_a_schema_is_refused():
    class Odd(Model):
        """Has a field of no known type."""

        odd: dict[str, str]
        """A mapping."""

    with pytest.raises(TypeError, match="has no structural schema; give it a type of"):
        object_schema(Odd)


def test_an_empty_list_within_a_default_needs_no_words():
    assert field_schema(AnnouncerSpec.model_fields["torrents"], filled=True)["default"] == {"mode": "off"}
