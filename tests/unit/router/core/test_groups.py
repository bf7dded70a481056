import pytest

from forebay.router.core.errors import BadNameError
from forebay.router.core.groups import Filters, Groups


def test_the_first_to_join_and_the_last_to_leave_are_told_apart():
    groups = Groups()
    assert groups.join("news", "a")
    assert not groups.join("news", "b")
    assert not groups.join("news", "a")
    assert sorted(groups.members("news")) == ["a", "b"]
    assert not groups.leave("news", "a")
    assert not groups.leave("news", "a")
    assert list(groups.all()) == ["news"]
    assert groups.leave("news", "b")
    assert not list(groups.all())
    assert not groups.leave("nothing", "b")


def test_a_member_that_ends_leaves_all_its_groups():
    groups = Groups()
    groups.join("news", "a")
    groups.join("sport", "a")
    groups.join("sport", "b")
    assert sorted(groups.of("a")) == ["news", "sport"]
    assert groups.drop("a") == ["news"]
    assert not list(groups.of("a"))
    assert groups.drop("a") == []
    assert list(groups.members("sport")) == ["b"]


def test_a_thread_takes_what_any_of_its_filters_matches_as_a_whole():
    filters = Filters()
    assert filters.join("news", "a", r"sport\..*")
    assert not filters.join("news", "a", "weather")
    assert filters.join("news", "b", "")
    assert filters.takers("news", "sport.rowing") == ["a", "b"]
    assert filters.takers("news", "weather") == ["a", "b"]
    assert filters.takers("news", "weather report") == ["b"]
    assert filters.takers("other", "weather") == []


def test_leaving_and_ending():
    filters = Filters()
    filters.join("news", "a", "")
    filters.join("sport", "a", "")
    filters.join("sport", "b", "")
    assert filters.leave("news", "a")
    assert not filters.leave("news", "a")
    assert filters.memberships() == [("a", "sport"), ("b", "sport")]
    filters.drop("a")
    assert filters.memberships() == [("b", "sport")]


@pytest.mark.parametrize(("pattern", "problem"), [("(", "no regular expression"), ("x" * 501, "501 characters")])
def test_a_filter_that_cannot_be_used(pattern, problem):
    filters = Filters()
    with pytest.raises(BadNameError, match=problem):
        filters.join("news", "a", pattern)
    assert filters.memberships() == []
