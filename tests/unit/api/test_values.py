"""Types of single values: what they take, what they say of the rest, and their schemas."""

from datetime import timedelta
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from forebay.api.model import Model
from forebay.api.values import Facts, Flag, Number, Size, Span, Text, Texts, Whole, show


class Sample(Model):
    """One value of each type."""

    count: Annotated[int, Whole(1, 100, "things")] = 5
    """A count."""
    share: Annotated[float, Number(0, 1, "")] = 0.5
    """A share."""
    wait: Annotated[timedelta, Span("1s", "1h")] = timedelta(seconds=30)
    """A wait."""
    space: Annotated[int, Size("1KB", "1GB")] = 1_000_000
    """A space."""
    word: Annotated[str, Text("^[a-z]+$", "small letters", longest=5)] = "abc"
    """A word."""
    hush: Annotated[str, Text("^[a-z]+$", "small letters", secret=True)] = "abc"
    """A secret."""
    texts: Annotated[dict[str, str], Texts("a.", ("a.b",), 2, 5)] = Field(default_factory=dict)
    """Texts by key."""
    facts: Annotated[dict, Facts()] = Field(default_factory=dict)
    """Anything."""
    flag: Flag = False
    """A flag."""


def problem(field, value):
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate({field: value}, by_name=False)
    return caught.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("count", 1, 1), ("count", 100, 100),
        ("share", 0, 0.0), ("share", 1, 1.0), ("share", 0.25, 0.25),
        ("wait", "1s", timedelta(seconds=1)), ("wait", "60m", timedelta(hours=1)),
        ("wait", timedelta(minutes=2), timedelta(minutes=2)),
        ("space", "1KB", 1000), ("space", 1_000_000_000, 1_000_000_000), ("space", "1KiB", 1024),
        ("word", "abcde", "abcde"), ("flag", True, True),
        ("texts", {"a.c": "", "a.": "abcde"}, {"a.c": "", "a.": "abcde"}), ("facts", {"a": [1]}, {"a": [1]}),
    ],
)  # fmt: skip
def test_value_within_bounds_is_taken(field, value, read):
    assert getattr(Sample.model_validate({field: value}, by_name=False), field) == read


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("count", 0, "0 is below 1; give 1 to 100"),
        ("count", 101, "101 is above 100; give 1 to 100"),
        ("count", "7", "'7' is no whole number; give 1 to 100"),
        ("count", True, "true is no whole number; give 1 to 100"),
        ("count", 1.0, "1.0 is no whole number; give 1 to 100"),
        ("share", 1.5, "1.5 is above 1; give 0 to 1"),
        ("share", -0.1, "-0.1 is below 0; give 0 to 1"),
        ("share", float("nan"), "nan is no number; give 0 to 1"),
        ("share", "0.5", "'0.5' is no number; give 0 to 1"),
        ("share", False, "false is no number; give 0 to 1"),
        ("wait", "999ms", "999ms is below 1s; give 1s to 1h"),
        ("wait", "1h1ms", "1h1ms is above 1h; give 1s to 1h"),
        ("wait", 30, "30 is no duration; give a number with its unit between quotes, 1s to 1h"),
        ("wait", "30", "'30' is no duration; give 30s if seconds are meant"),
        ("space", "999B", "999B is below 1KB; give 1KB to 1GB"),
        ("space", 1_000_000_001, "1000000001B is above 1GB; give 1KB to 1GB"),
        ("space", -1, "-1B is below 1KB; give 1KB to 1GB"),
        ("space", True, "true is no size; give 1KB to 1GB"),
        ("space", "5Mi", "'5Mi' is no size; give 5MiB"),
        ("word", "ABC", "'ABC' does not fit; give small letters"),
        ("word", "abcdef", "6 characters are too many; give at most 5"),
        ("word", "abc\n", r"'abc\n' does not fit; give small letters"),
        ("word", 5, "5 is no text; give small letters, between quotes if need be"),
        ("texts", {"a.c": 1}, "is no map of texts; give each value between quotes"),
        ("texts", ["a.c"], "is no map of texts; give each value between quotes"),
        ("texts", {"b.c": ""}, f"'b.c' does not fit; give {Texts('a.', (), 2, 5).form}"),
        ("texts", {"a.b": ""}, f"'a.b' does not fit; give {Texts('a.', (), 2, 5).form}"),
        ("texts", {f"a.{n}c": "" for n in range(3)}, "is too large; give at most 2 texts of 5 characters"),
        ("texts", {"a.c": "abcdef"}, "is too large; give at most 2 texts of 5 characters"),
        ("facts", [1], "[1] is no object"),
        ("hush", "PASS", "the value does not fit; give small letters"),
        ("hush", 123, "the value is no text; give small letters, between quotes if need be"),
    ],
)  # fmt: skip
def test_other_value_is_refused_with_a_remedy(field, value, message):
    assert problem(field, value) == message


@pytest.mark.parametrize("value", ["true", 1, 0, "yes", None])
def test_flag_takes_true_and_false_alone(value):
    assert "boolean" in problem("flag", value)


def test_long_value_is_cut_in_the_message():
    assert len(problem("count", "x" * 10_000)) < 120


def test_values_survive_json():
    sample = Sample(wait=timedelta(seconds=90), space=16 * 1024**2)
    assert sample.model_dump(mode="json")["wait"] == "1m30s"
    assert sample.model_dump(mode="json")["space"] == "16MiB"
    assert Sample.model_validate_json(sample.model_dump_json()) == sample


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (Whole(1, 100, "things"), {"type": "integer", "minimum": 1, "maximum": 100}),
        (Number(0, 1, ""), {"type": "number"}),
        (Span("1s", "1h"), {"type": "string", "minLength": 2, "maxLength": 40}),
        (Text("^[a-z]+$", "small letters", longest=5), {"type": "string", "maxLength": 5}),
        (
            Texts("a.", (), 2, 5),
            {"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}, "maxProperties": 2},
        ),
        (Facts(), {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
    ],
)
def test_schema_tells_type_and_limits(value, schema):
    assert value.schema() == schema


def test_schema_of_a_size_takes_octets_or_text():
    schema = Size("1KB", "1GB").schema()
    assert schema["x-kubernetes-int-or-string"] is True
    assert [each["type"] for each in schema["anyOf"]] == ["integer", "string"]


def test_values_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        Sample().count = 7


def test_what_is_quoted_is_written_as_in_yaml():
    assert [show(value) for value in (None, True, "a", 1)] == ["null", "true", "'a'", "1"]
