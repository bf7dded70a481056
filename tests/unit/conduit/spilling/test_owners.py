"""Names of spools."""

import pytest

from forebay.conduit.spilling.owners import Owner, parse_owner


@pytest.mark.parametrize(
    "owner",
    [
        Owner("0", "/plant/press/force", 0, None, switching=False, mark="a1"),
        Owner("3", "/plant/**", 2, True, switching=True, mark="b2"),
        Owner("0", 77, 1, False, switching=False, mark="c3"),
        Owner("0", -5, 0, None, switching=True, mark="d4"),
    ],
    ids=["uri", "pattern", "resource", "selection"],
)
def test_a_name_tells_all(owner):
    assert parse_owner(str(owner)) == owner


@pytest.mark.parametrize("text", ["", "0", "0/a/x/--//b", "0/a/0/xx//b", "0/a/0/--/", "0/a/0/--/b", "0/a/0/r//b"])
def test_other_names_are_passed_over(text):
    assert parse_owner(text) is None


def test_marks_tell_publishers_apart():
    owner = Owner("0", "/a")
    assert str(owner.marked()) != str(owner.marked())
