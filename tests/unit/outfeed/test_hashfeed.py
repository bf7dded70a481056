"""Hash feeds split all articles as INN and Diablo do."""

import pytest

from forebay.outfeed.errors import PatternError
from forebay.outfeed.hashfeed import HashRange, hash_value, message_digest


def test_the_value_is_the_lowest_32_bits_of_the_md5():
    digest = message_digest(b"")
    assert digest.hex() == "d41d8cd98f00b204e9800998ecf8427e"
    assert hash_value(digest, 0) == 0xECF8427E
    assert hash_value(digest, 4) == 0xE9800998
    assert hash_value(digest, 12) == 0xD41D8CD9


def test_positions_begin_at_one():
    share = HashRange(1, 1, 10)
    assert {share.position(b"<%d@forebay.example>" % number) for number in range(300)} == set(range(1, 11))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("1/2", HashRange(1, 1, 2)),
        ("1-3/10", HashRange(1, 3, 10)),
        ("1-3/10:4", HashRange(1, 3, 10, 4)),
    ],
)
def test_reads(text, share):
    assert HashRange.parse(text) == share


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "2-1/3", "1/0", "1/2:13", "a/b", "1-2-3/4", "1/2_4", "-1/2"])
def test_refuses(text):
    with pytest.raises(PatternError, match="hashfeed"):
        HashRange.parse(text)
