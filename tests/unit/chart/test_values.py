"""values.yaml, its schema and README.md say the same."""

import pytest
import yaml

from helmchart import CHART

FREE = ("nodeAffinity", "podAffinity", "podAntiAffinity", "labelSelector")
"""Objects of Kubernetes that are checked by the API server alone."""


def objects(part, path=()):
    """All parts of the schema that describe a map."""
    if isinstance(part, dict):
        if part.get("type") == "object":
            yield path, part
        for name, inner in part.items():
            yield from objects(inner, (*path, name))


def test_the_readme_is_current(generator):
    assert generator.PAGE.read_text() == generator.page(), "run docs/generate_chart.py"


def test_the_schema_describes_each_value_as_its_comment_does(generator, schema):
    values = list(generator.values((CHART / "values.yaml").read_text()))
    described = {value.path: generator.allowed(schema, value.path)["description"] for value in values}
    assert described == {value.path: value.meaning for value in values}


def test_the_schema_knows_no_value_that_is_not_there(generator, schema):
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert schema["properties"].keys() - values.keys() == {"global"}
    for name, section in values.items():
        if isinstance(section, dict) and name != "commonLabels":
            assert generator.allowed(schema, (name,))["properties"].keys() == section.keys(), name


def test_unknown_values_are_refused_everywhere(schema):
    lax = [path for path, part in objects(schema) if part.get("additionalProperties", True) is True]
    assert {path[-1] for path in lax} == {*FREE, "global"}


def test_a_value_without_a_comment_is_an_error(generator):
    text = "# Image.\nimage:\n  # Name.\n  name: a\n  tag: b\n"
    with pytest.raises(ValueError, match=r"line 5: image\.tag has no comment"):
        list(generator.values(text))
