from argparse import ArgumentParser
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay_spark.jobs import compact_spill

SIZES = st.dictionaries(st.text(max_size=3), st.integers(0, 1000), max_size=20)


@given(SIZES, st.integers(1, 8))
def test_every_name_is_in_one_group(sizes: dict[str, int], number: int) -> None:
    groups = compact_spill.balanced(sizes, number)
    assert sorted(name for group in groups for name in group) == sorted(sizes)
    assert len(groups) == min(number, len(sizes))


@given(SIZES, st.integers(1, 8))
def test_no_group_has_more_than_its_share_and_one_name(sizes: dict[str, int], number: int) -> None:
    groups = compact_spill.balanced(sizes, number)
    largest = max(sizes.values(), default=0)
    assert all(sum(sizes[name] for name in group) <= sum(sizes.values()) / len(groups) + largest for group in groups)


def test_limits_are_off_by_default() -> None:
    parser = ArgumentParser()
    compact_spill.arguments(parser)
    options = parser.parse_args(["--uid", "u"])
    assert (options.max_age, options.max_bytes, options.rotate_bytes) == (None, None, 10_000_000)


def test_limits_are_written_as_in_resources(capsys) -> None:
    parser = ArgumentParser()
    compact_spill.arguments(parser)
    assert parser.parse_args(["--uid", "u", "--max-age", "10d"]).max_age == timedelta(days=10)
    with pytest.raises(SystemExit):
        parser.parse_args(["--uid", "u", "--max-bytes", "10"])
    assert "give 10B" in capsys.readouterr().err
