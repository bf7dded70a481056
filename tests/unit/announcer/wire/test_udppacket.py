from contextlib import suppress
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.announce import Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.swarms.figures import Figures
from forebay.announcer.wire.parameters import MOST_SCRAPED
from forebay.announcer.wire.udppacket import (
    LARGEST_ANSWER,
    MOST_PEERS,
    announce_answer,
    error_answer,
    read_announce,
    read_scrape,
    scrape_answer,
)

HERE = b"\x7f\x00\x00\x01"
HASH, PEER = b"h" * 20, b"p" * 20


def packet(left=3, event=2, key=b"keys", wanted=-1, port=6881, ip=b"\x01\x02\x03\x04", options=b""):
    head = pack(">QI4s20s20sQQQI", 7, 1, b"tran", HASH, PEER, 2, left, 1, event)
    return head + pack(">4s4siH", ip, key, wanted, port) + options


def read(options=b"", **fields):
    return read_announce(packet(options=options, **fields), HERE)


def test_all_of_an_announce_is_read_but_the_address_that_it_tells():
    expected = Announce(HASH, PEER, 6881, 1, 2, 3, Event.STARTED, None, b"keys", HERE)
    assert read() == expected


@pytest.mark.parametrize(("told", "left"), [(2**64 - 1, None), (0, 0), (5, 5), (2**63, 2**63)])
def test_a_client_that_does_not_know_what_is_left_is_a_leecher(told, left):
    assert read(left=told).left == left


@pytest.mark.parametrize(("told", "wanted"), [(-1, None), (-(2**31), None), (0, 0), (200, 200)])
def test_a_number_of_peers_is_one_or_is_not_told(told, wanted):
    assert read(wanted=told).numwant == wanted


@pytest.mark.parametrize(("number", "name"), [(0, ""), (1, "completed"), (2, "started"), (3, "stopped"), (4, "paused")])
def test_events_are_read(number, name):
    assert read(event=number).event == name


@pytest.mark.parametrize("event", [5, 2**32 - 1])
def test_an_event_that_nobody_knows_is_refused(event):
    with pytest.raises(RequestError, match="invalid event"):
        read(event=event)


def test_port_0_is_refused_unless_the_client_stops():
    with pytest.raises(RequestError, match="invalid port"):
        read(port=0)
    assert read(port=0, event=3).port == 0


def test_a_key_of_zeros_is_none():
    assert read(key=bytes(4)).key == b""


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(b"\x02\x0e/announce?pk=1", id="libtorrent"),
        pytest.param(b"\x02\x09/announce\x02\x05?pk=1\x00", id="in-two-pieces"),
        pytest.param(b"\x01\x01\x00\xff", id="nothing-behind-the-end"),
        pytest.param(b"\x07\x02ab\x02\x00", id="unknown"),
    ],
)
def test_options_do_no_harm(options):
    assert read(options) == read()


@pytest.mark.parametrize("options", [b"\x02", b"\x02\x05/ann", b"\x01\x07\xff"])
def test_options_that_are_cut_off_are_refused(options):
    with pytest.raises(RequestError, match="cut off"):
        read(options)


@given(st.binary(min_size=98, max_size=400))
def test_any_packet_is_an_announce_or_an_error(octets):
    with suppress(RequestError):
        read_announce(octets, HERE)


@given(st.binary(max_size=2000))
def test_a_scrape_is_any_number_of_whole_hashes_within_a_bound(hashes):
    found = read_scrape(bytes(16) + hashes)
    assert found == [hashes[at : at + 20] for at in range(0, len(hashes) - 19, 20)][:MOST_SCRAPED]


def test_an_answer_has_the_numbers_in_the_order_of_the_protocol():
    assert announce_answer(b"tran", 1800, 5, 7, b"peers!") == pack(">I4sIII", 1, b"tran", 1800, 7, 5) + b"peers!"


@pytest.mark.parametrize(("family", "width"), [(4, 6), (16, 18)])
def test_an_answer_with_all_peers_goes_in_one_piece(family, width):
    peers = bytes(width * MOST_PEERS[family])
    assert LARGEST_ANSWER - width < len(announce_answer(b"tran", 1800, 1, 1, peers)) <= LARGEST_ANSWER


def test_a_scrape_is_answered_in_the_order_of_the_request():
    answer = scrape_answer(b"tran", [Figures(1, 2, 3, 3), Figures(4, 2**40, 6, 6)])
    assert answer == pack(">I4sIIIIII", 2, b"tran", 1, 2, 3, 4, 2**32 - 1, 6)


def test_an_error_tells_when_to_try_again():
    assert error_answer(b"tran", "busy", 300.0) == b"\0\0\0\3tranbusy; retry in 5 min"
    assert error_answer(b"tran", "no") == b"\0\0\0\3tranno"
