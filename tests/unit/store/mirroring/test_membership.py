"""Who may be primary."""

import pytest

from forebay.store.mirroring.membership import STEP, joined, left, parse, patience, promoted, written


def test_the_set_is_written_and_read():
    assert parse(written(("main-0", "main-2"))) == ("main-0", "main-2")
    assert parse("") == ()


def test_the_oldest_mirror_waits_for_nobody():
    """Nor does who was primary before."""
    members = ("main-2", "main-0", "main-1")
    assert patience("main-2", members) == 0
    assert patience("main-0", members) == 0
    assert patience("main-1", members) == STEP


def test_who_is_not_in_the_set_never_leads():
    assert patience("main-1", ("main-2", "main-0")) is None
    with pytest.raises(ValueError, match="main-1 lacks what members of main-2 have"):
        promoted("main-1", ("main-2",))


def test_the_first_primary_of_all_need_not_be_in_a_set():
    assert patience("main-1", ()) == 0
    assert promoted("main-1", ()) == ("main-1",)


def test_mirrors_join_at_the_end_once():
    assert joined("b", ("a",)) == ("a", "b")
    assert joined("a", ("a", "b")) == ("a", "b")
    assert left("a", ("a", "b")) == ("b",)
    assert left("c", ("a", "b")) == ("a", "b")
