from contextlib import suppress
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.errors import RequestError
from forebay.announcer.wire.parameters import MOST_SCRAPED
from forebay.announcer.wire.scrapequery import read_scrape


def query(hashes):
    return b"&".join(b"info_hash=" + quote_from_bytes(each).encode() for each in hashes)


def test_every_hash_is_read_once_in_the_order_of_the_answer():
    one, two = b"a" * 20, b"\xff" * 20
    assert read_scrape(b"passkey=x&" + query([two, one, two])) == [one, two]


def test_a_scrape_has_a_bound():
    assert len(read_scrape(query(number.to_bytes(20) for number in range(200)))) == MOST_SCRAPED


@pytest.mark.parametrize("octets", [b"", b"x=1", b"info_hash", b"info_hash=", b"info_hash=abc", query([b"a" * 21])])
def test_a_scrape_without_a_hash_is_refused(octets):
    with pytest.raises(RequestError, match="info_hash"):
        read_scrape(octets)


@given(st.binary(max_size=200) | st.lists(st.binary(max_size=22), max_size=6).map(query))
def test_any_octets_are_a_scrape_or_an_error(octets):
    with suppress(RequestError):
        assert all(len(each) == 20 for each in read_scrape(octets))
