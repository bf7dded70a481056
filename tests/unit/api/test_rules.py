"""Rules between fields."""

import pytest
from pydantic import ValidationError

from forebay.api.model import Model
from forebay.api.rules import Differ, ExactlyOne, NotAbove, SomePositive, broken


class Inner(Model):
    """An object inside."""

    name: str = "n"


class Sample(Model):
    """Fields for rules."""

    first_name: str | None = None
    second: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    inner: Inner | None = None
    other: Inner | None = None


@pytest.mark.parametrize(
    ("rule", "fields", "problems"),
    [
        pytest.param(ExactlyOne(("firstName", "second")), {"first_name": "a"}, [], id="one"),
        pytest.param(ExactlyOne(("firstName", "second")), {"second": ("a",)}, [], id="the other"),
        pytest.param(
            ExactlyOne(("firstName", "second")), {}, [("firstName", "is missing; give firstName or second")], id="none"
        ),
        pytest.param(
            ExactlyOne(("firstName", "second")),
            {"first_name": "a", "second": ("b",)},
            [("second", "excludes firstName; remove one of them")],
            id="both",
        ),
        pytest.param(NotAbove("low", "high"), {"low": 1, "high": 1}, [], id="equal"),
        pytest.param(NotAbove("low", "high"), {"low": 2}, [], id="no higher bound"),
        pytest.param(
            NotAbove("low", "high"),
            {"low": 2, "high": 1},
            [("low", "is above high; lower it, or raise high")],
            id="above",
        ),
        pytest.param(Differ("inner.name", "other.name"), {"inner": Inner()}, [], id="one named"),
        pytest.param(
            Differ("inner.name", "other.name"), {"inner": Inner(), "other": Inner(name="m")}, [], id="different"
        ),
        pytest.param(
            Differ("inner.name", "other.name"),
            {"inner": Inner(), "other": Inner()},
            [("inner.name", "is the same as other.name; name another")],
            id="same",
        ),
        pytest.param(SomePositive("second"), {}, [], id="no patterns"),
        pytest.param(SomePositive("second"), {"second": ("!a", "b")}, [], id="one includes"),
        pytest.param(
            SomePositive("second"),
            {"second": ("!a", "@b")},
            [("second", "only excludes and so matches nothing; begin it with '*', or with what is wanted")],
            id="only excludes",
        ),
    ],
)
def test_rule(rule, fields, problems):
    assert broken([rule], Sample(**fields)) == problems


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (ExactlyOne(("a", "b", "c")), "Exactly one of `a`, `b` and `c` is given."),
        (NotAbove("a", "b.c"), "`a` is at most `b.c`."),
        (Differ("a", "b"), "`a` differs from `b`."),
        (SomePositive("a"), "`a` has at least one pattern without `!` or `@` before it."),
    ],
)
def test_rule_in_words(rule, text):
    assert rule.text == text


def test_broken_rules_carry_every_problem():
    class Ruled(Sample):
        """Has two rules."""

        rules = (NotAbove("low", "high"), ExactlyOne(("firstName", "second")))

    with pytest.raises(ValidationError) as caught:
        Ruled(low=2, high=1)
    assert [field for field, _ in caught.value.errors()[0]["ctx"]["problems"]] == ["low", "firstName"]
