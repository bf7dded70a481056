from argparse import ArgumentTypeError
from datetime import timedelta

import pytest

from forebay_spark.arguments import duration, size


def test_durations_and_sizes_are_written_as_in_resources() -> None:
    assert duration("10d") == timedelta(days=10)
    assert size("10MB") == 10_000_000


@pytest.mark.parametrize(
    ("read", "text"), [(duration, "5"), (size, "5"), (size, "0B")], ids=["bare", "unit", "nothing"]
)
def test_what_is_none_is_refused_with_a_remedy(read, text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="give"):
        read(text)
