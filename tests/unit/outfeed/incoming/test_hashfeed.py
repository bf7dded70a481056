"""Hash feeds split all articles as INN and Diablo do."""

from forebay.outfeed.incoming.hashfeed import HashShare, hash_value, message_digest


def test_the_value_is_the_lowest_32_bits_of_the_md5():
    digest = message_digest(b"")
    assert digest.hex() == "d41d8cd98f00b204e9800998ecf8427e"
    assert hash_value(digest, 0) == 0xECF8427E
    assert hash_value(digest, 4) == 0xE9800998
    assert hash_value(digest, 12) == 0xD41D8CD9


def test_positions_begin_at_one():
    share = HashShare(1, 1, 10)
    assert {share.position(b"<%d@forebay.example>" % number) for number in range(300)} == set(range(1, 11))


def test_an_offset_makes_an_independent_share():
    ids = [b"<%d@forebay.example>" % number for number in range(1000)]
    by_first = [message_id for message_id in ids if HashShare(1, 1, 2).position(message_id) == 1]
    again = [message_id for message_id in by_first if HashShare(1, 1, 2, 4).position(message_id) == 1]
    assert 150 < len(again) < 350


def test_the_old_way_sums_the_octets_up():
    share = HashShare(2, 2, 10, sums=True)
    assert share.position(b"<a@b>") == 381 % 10 + 1
    assert share.takes(b"<a@b>")
    assert not HashShare(3, 10, 10, sums=True).takes(b"<a@b>")
