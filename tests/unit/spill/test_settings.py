"""Settings."""

import pytest

import forebay.spill
from forebay.spill import SpillSettings, SpillSettingsError


@pytest.mark.parametrize("field", ["connect_timeout", "answer_timeout", "reconnect_max", "lease_ttl"])
def test_a_time_must_be_above_zero(field: str) -> None:
    with pytest.raises(SpillSettingsError, match=f"{field} is 0: give seconds above 0"):
        SpillSettings("redis://host", **{field: 0})


def test_the_url_is_not_shown() -> None:
    assert "hunter2" not in repr(SpillSettings("redis://user:hunter2@host"))


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(forebay.spill.__all__) == forebay.spill.__all__
    assert all(hasattr(forebay.spill, name) for name in forebay.spill.__all__)
