"""Rules between fields."""

import pytest
from pydantic import ValidationError

from forebay.api.model import Model
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
    broken,
)


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
    many: tuple[Inner, ...] = ()


PAIRS = (("a", "n"), ("b", "m"))


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
        pytest.param(
            Paired("inner.name", "firstName", PAIRS), {"first_name": "a", "inner": Inner()}, [], id="goes with"
        ),
        pytest.param(Paired("inner.name", "firstName", PAIRS), {"first_name": "z", "inner": Inner()}, [], id="no pair"),
        pytest.param(
            Paired("inner.name", "firstName", PAIRS),
            {"first_name": "b", "inner": Inner()},
            [("inner.name", "does not go with firstName b; give m, or another firstName")],
            id="goes with another",
        ),
        pytest.param(OnlyFor("low", "firstName", ("a",)), {"first_name": "b"}, [], id="left out"),
        pytest.param(OnlyFor("low", "firstName", ("a",)), {"first_name": "a", "low": 1}, [], id="means something"),
        pytest.param(
            OnlyFor("low", "firstName", ("a", "b")),
            {"first_name": "c", "low": 1},
            [("low", "means nothing here; remove it, or give firstName a or b")],
            id="means nothing",
        ),
        pytest.param(GivenFor("low", "firstName", ("a",)), {"first_name": "b"}, [], id="not needed"),
        pytest.param(GivenFor("low", "firstName", ("a",)), {"first_name": "a", "low": 1}, [], id="given"),
        pytest.param(
            GivenFor("low", "firstName", ("a", "b")),
            {"first_name": "b"},
            [("low", "is missing for firstName a or b; add it, or give another firstName")],
            id="needed",
        ),
        pytest.param(Distinct("second"), {"second": ("a", "b")}, [], id="distinct"),
        pytest.param(
            Distinct("second"),
            {"second": ("a", "b", "a", "b", "a")},
            [("second", "holds 'a' twice; remove one"), ("second", "holds 'b' twice; remove one")],
            id="repeated",
        ),
        pytest.param(Distinct("many", key="name"), {"many": (Inner(), Inner(name="m"))}, [], id="distinct by name"),
        pytest.param(
            Distinct("many", key="name"),
            {"many": (Inner(), Inner())},
            [("many", "holds 'n' twice; remove one")],
            id="repeated by name",
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
        (Paired("a", "b", PAIRS), "`a` is decided by `b`: `n` for `a`, `m` for `b`."),
        (OnlyFor("a", "b", ("c", "d")), "`a` is given only where `b` is c or d."),
        (GivenFor("a", "b", ("c", "d")), "`a` is given where `b` is c or d."),
        (Distinct("a"), "`a` holds no item twice."),
        (Distinct("a", key="b"), "`a` holds no two items with the same `b`."),
        (Immutable("a", "it holds water"), "`a` can't be changed, since it holds water."),
        (Kept("a", "it holds water"), "`a` can be added later, but not changed or removed, since it holds water."),
        (Settled("a", "it holds water"), "`a` can't be added or removed, since it holds water."),
        (OnlyGrows("a"), "`a` can't be lowered, since volumes can't shrink."),
        (StaysPositive("a", "it holds water"), "`a` can't go back to 0, since it holds water."),
    ],
)
def test_rule_in_words(rule, text):
    assert rule.text == text


@pytest.mark.parametrize(
    ("transition", "remedy"),
    [
        (Immutable("a", "it holds water"), "keep it, or create another resource with it"),
        (Kept("a", "it holds water"), "keep it, or create another resource"),
        (Settled("a", "it holds water"), "leave it, or create another resource"),
        (OnlyGrows("a"), "give what it was, or more"),
        (StaysPositive("a", "it holds water"), "give 1 or more, or create another resource"),
    ],
)
def test_transition_tells_what_it_is_about_and_the_remedy(transition, remedy):
    field, problem = transition.fault
    assert (field, problem.partition("; ")[2]) == ("a", remedy)


def test_broken_rules_carry_every_problem():
    class Ruled(Sample):
        """Has two rules."""

        rules = (NotAbove("low", "high"), ExactlyOne(("firstName", "second")))

    with pytest.raises(ValidationError) as caught:
        Ruled(low=2, high=1)
    assert [field for field, _ in caught.value.errors()[0]["ctx"]["problems"]] == ["low", "firstName"]
