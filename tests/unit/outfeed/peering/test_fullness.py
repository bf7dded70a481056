import pytest

from forebay.outfeed.peering.fullness import BUCKETS, Fullness, bucket


@pytest.mark.parametrize(
    ("length", "name"),
    [
        (0, "empty"),
        (1, "below 25 %"),
        (24, "below 25 %"),
        (25, "below 50 %"),
        (50, "below 75 %"),
        (75, "below 100 %"),
        (99, "below 100 %"),
        (100, "full"),
        (101, "full"),
    ],
)
def test_a_length_has_its_bucket(length, name):
    assert BUCKETS[bucket(length, 100)] == name


def test_looks_make_mean_and_longest():
    fullness = Fullness()
    assert (fullness.mean, fullness.longest) == (0, 0)
    for length in (0, 4, 8):
        fullness.look(length, 8)
    assert (fullness.mean, fullness.longest) == (4, 8)
    assert fullness.looks == [1, 0, 0, 1, 0, 1]
