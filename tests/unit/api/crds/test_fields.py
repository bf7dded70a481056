"""Fields taken apart."""

import pytest

from forebay.api.crds.fields import held_at, named_fields
from forebay.api.values import Size, Span, Text

from .samples import Inner, Sample


@pytest.mark.parametrize(
    ("path", "value"),
    [("firstName", Text), ("longest", Span), ("inner.size", Size), ("flag", type(None)), ("inner", type(None))],
)
def test_value_is_found(path, value):
    assert isinstance(held_at(Sample, path).value, value)


def test_object_is_found():
    assert held_at(Sample, "inner").model is Inner
    assert held_at(Sample, "count").model is None


def test_items_of_a_list_are_found():
    assert held_at(Sample, "inners").item.model is Inner
    assert isinstance(held_at(Sample, "labels").item.value, Text)
    assert held_at(Sample, "inner").item is None


def test_fields_have_the_names_of_manifests():
    assert next(name for name, _ in named_fields(Sample)) == "firstName"
