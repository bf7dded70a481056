"""Rules as Kubernetes takes them. Whether their expressions hold is tried on a real API server."""

import pytest

from forebay.api.crds.validations import of_model, of_rule, of_value
from forebay.api.rules import (
    Differ,
    Distinct,
    ExactlyOne,
    GivenFor,
    Immutable,
    Kept,
    NotAbove,
    OnlyFor,
    OnlyGrows,
    Paired,
    Settled,
    SomePositive,
    StaysPositive,
)
from forebay.api.values import Number, Size, Span, Text, Texts, Whole

from .samples import Inner, Sample


def bodies(rule, model=Sample):
    return [validation.body() for validation in of_rule(rule, model)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Text("^a$", "an a"), "does not fit; give an a"),
        (Number(0.05, 1, ""), "does not fit; give 0.05 to 1"),
        (Size("1KB", "1GiB"), "does not fit; give 1KB to 1GiB, as a number with its unit, such as 10MB or 16MiB"),
        (
            Texts("a.", ("a.b",), 9, 9),
            "does not fit; give keys that begin with a. and that the operator does not set itself",
        ),
        (Span("1s", "1h"), "does not fit; give 1s to 1h, as a number with its unit, such as 500ms, 5m or 10d"),
    ],
)
def test_message_about_a_value_tells_what_to_give(value, message):
    [validation] = of_value(value)
    assert validation.body() == {"rule": validation.rule, "message": message}


def test_whole_number_needs_no_rule():
    assert list(of_value(Whole(1, 9, ""))) == []


def test_pattern_is_quoted():
    [validation] = of_value(Text(r'^\S"$', "a quote"))
    assert validation.rule == r'self.matches("^\\S\"$")'


def test_secret_text_has_its_rule_on_the_object_around_it():
    assert list(of_value(Text("^[0-9]+$", "digits", secret=True))) == []
    [validation] = of_model(Sample)
    assert validation.body() == {
        "rule": '!has(self.hush) || self.hush.matches("^[0-9]+$")',
        "message": "does not fit; give digits",
        "fieldPath": ".hush",
    }


@pytest.mark.parametrize(
    ("rule", "faults"),
    [
        (
            ExactlyOne(("hush", "inners")),
            [
                (".hush", "FieldValueRequired", "is missing; give hush or inners"),
                (".inners", "FieldValueForbidden", "excludes hush; remove one of them"),
            ],
        ),
        (NotAbove("wait", "longest"), [(".wait", None, "is above longest; lower it, or raise longest")]),
        (Differ("inner.name", "hush"), [(".inner.name", None, "is the same as hush; name another")]),
        (SomePositive("labels"), [(".labels", None, SomePositive("labels").fault[1])]),
        (Immutable("hush", "so"), [(".hush", "FieldValueForbidden", Immutable("hush", "so").fault[1])]),
        (Kept("hush", "so"), [(".hush", "FieldValueForbidden", Kept("hush", "so").fault[1])]),
        (Settled("hush", "so"), [(".hush", "FieldValueForbidden", Settled("hush", "so").fault[1])]),
        (StaysPositive("count", "so"), [(".count", "FieldValueForbidden", StaysPositive("count", "so").fault[1])]),
        (OnlyGrows("size"), [(".size", "FieldValueForbidden", OnlyGrows("size").fault[1])]),
        (Paired("hush", "side", (("left", "1"),)), [(".hush", None, Paired("hush", "side", ()).fault("left", "1")[1])]),
        (
            OnlyFor("hush", "side", ("left",)),
            [(".hush", "FieldValueForbidden", OnlyFor("hush", "side", ("left",)).fault[1])],
        ),
        (
            GivenFor("hush", "side", ("left",)),
            [(".hush", "FieldValueRequired", GivenFor("hush", "side", ("left",)).fault[1])],
        ),
        (Distinct("labels"), []),
    ],
)
def test_rule_names_field_reason_and_remedy(rule, faults):
    model = Inner if isinstance(rule, OnlyGrows) else Sample
    found = bodies(rule, model)
    assert [(body["fieldPath"], body.get("reason"), body["message"]) for body in found] == faults


@pytest.mark.parametrize(
    ("rule", "expression"),
    [
        (NotAbove("count", "count"), "!(has(self.count) && has(self.count)) || self.count <= self.count"),
        (
            Differ("inner.name", "hush"),
            "!(has(self.inner) && has(self.inner.name) && has(self.hush)) || self.inner.name != self.hush",
        ),
        (Immutable("hush", "so"), "self.hush == oldSelf.hush"),
        (Kept("hush", "so"), "!has(oldSelf.hush) || (has(self.hush) && self.hush == oldSelf.hush)"),
        (Settled("hush", "so"), "has(self.hush) == has(oldSelf.hush)"),
        (
            StaysPositive("count", "so"),
            "!(has(oldSelf.count) && oldSelf.count > 0) || (has(self.count) && self.count > 0)",
        ),
        (Paired("hush", "side", (("left", "1"),)), 'self.side != "left" || self.hush == "1"'),
        (OnlyFor("hush", "side", ("left", "right")), '!(has(self.hush)) || self.side in ["left", "right"]'),
        (GivenFor("hush", "side", ("left", "right")), '!(self.side in ["left", "right"]) || has(self.hush)'),
    ],
)
def test_expression_of_a_rule(rule, expression):
    [body] = bodies(rule)
    assert body["rule"] == expression


def test_unknown_rule_is_refused():
    with pytest.raises(NotImplementedError, match="str"):
        list(of_rule("no rule", Sample))


def test_rule_about_order_needs_a_single_value():
    with pytest.raises(TypeError, match=r"Sample\.inner holds no single value"):
        bodies(NotAbove("inner", "count"))
