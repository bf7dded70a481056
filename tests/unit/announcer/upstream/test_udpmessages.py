"""Messages of UDP trackers."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.announce import Event
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.upstream.udpmessages import (
    announce_request,
    connect_request,
    connection_id,
    read_announced,
    read_error,
)
from forwardings import announce, octets, spec

URL = "udp://tracker.example:6969"
FIELDS = (
    *("connection", "action", "transaction", "info_hash", "peer_id", "downloaded", "left", "uploaded"),
    *("event", "ip", "key", "numwant", "port"),
)
V4 = bytes([192, 0, 2, 1]) + b"\x1a\xe1"
V6 = bytes.fromhex("20010db8000000000000000000000001") + b"\x1a\xe1"


def fields(url=URL, ip="", **told):
    packet = announce_request(1, 2, spec(url=url, ip=ip), announce(**told))
    return dict(zip(FIELDS, struct.unpack(">QII20s20sQQQI4s4siH", packet[:98]), strict=True))


def options(url):
    return announce_request(1, 2, spec(url=url), announce())[98:]


def test_a_connect_request():
    assert connect_request(7).hex() == "0000041727101980" + "00000000" + "00000007"


def test_a_connection_id():
    assert connection_id(struct.pack(">IIQ", 0, 7, 12345)) == 12345
    assert connection_id(struct.pack(">IIQ", 0, 7, 12345)[:15]) is None


def test_an_announce_request():
    assert fields(uploaded=1, downloaded=2, left=3, port=6881) == {
        "connection": 1,
        "action": 1,
        "transaction": 2,
        "info_hash": octets("torrent"),
        "peer_id": octets("peer"),
        "downloaded": 2,
        "left": 3,
        "uploaded": 1,
        "event": 0,
        "ip": bytes(4),
        "key": bytes(4),
        "numwant": -1,
        "port": 6881,
    }


@pytest.mark.parametrize(
    ("event", "number"),
    [(Event.NONE, 0), (Event.COMPLETED, 1), (Event.STARTED, 2), (Event.STOPPED, 3), (Event.PAUSED, 0)],
)
def test_events(event, number):
    assert fields(event=event)["event"] == number


def test_who_stops_wants_no_peers():
    assert fields(event=Event.STOPPED, numwant=50)["numwant"] == 0
    assert fields(numwant=50)["numwant"] == 50
    assert fields(numwant=2**40)["numwant"] == 2**31 - 1


@pytest.mark.parametrize(
    ("key", "sent"),
    [(b"", bytes(4)), (b"\xff\x00+ ", b"\xff\x00+ "), (b"A1b2C3d4", bytes.fromhex("a1b2c3d4")), (b"f", b"\0\0\0\x0f")],
)
def test_keys(key, sent):
    assert fields(key=key)["key"] == sent


@pytest.mark.parametrize("key", [b"not hexadecimal", b"123456789abc", b"-1", b"\xff" * 8], ids=str)
def test_other_keys_are_the_same_number_each_time(key):
    assert fields(key=key)["key"] == fields(key=key)["key"] != bytes(4)


def test_the_address_that_the_tracker_is_told():
    assert fields(ip="203.0.113.42")["ip"] == bytes([203, 0, 113, 42])
    assert fields(ip="2001:db8::1")["ip"] == bytes(4)


def test_a_client_that_told_no_left_is_a_leecher():
    assert fields(left=None)["left"] == 2**63 - 1


def test_numbers_beyond_64_bits_are_the_largest():
    told = fields(uploaded=2**70, downloaded=2**70, left=2**70)
    assert {told["uploaded"], told["downloaded"], told["left"]} == {2**64 - 1}


def test_path_and_query_are_url_data():
    assert options(f"{URL}/announce?pk=1") == b"\x02\x0e/announce?pk=1"
    assert options(f"{URL}/announce") == b"\x02\x09/announce"
    assert options(URL) == b""


def test_a_long_path_is_cut_into_options():
    sent = options(f"{URL}/{'x' * 299}")
    assert sent == b"\x02\xff/" + b"x" * 254 + b"\x02\x2d" + b"x" * 45


def answered(interval=900, leechers=4, seeders=3, peers=b""):
    return struct.pack(">IIiII", 1, 2, interval, leechers, seeders) + peers


def test_an_answer():
    assert read_announced(answered(peers=V4 * 2), ipv6=False) == Answer(900.0, V4 * 2, b"", 3, 4)


def test_peers_are_of_the_family_of_the_packet():
    assert read_announced(answered(peers=V6), ipv6=True) == Answer(900.0, b"", V6, 3, 4)


@pytest.mark.parametrize(("interval", "seconds"), [(-5, 300.0), (2**31 - 1, 10_800.0)])
def test_a_nonsense_interval(interval, seconds):
    assert read_announced(answered(interval), ipv6=False).interval == seconds


@pytest.mark.parametrize("length", [8, 19])
def test_a_short_answer(length):
    failed = read_announced(answered()[:length], ipv6=False)
    assert failed == Failure(Cause.BAD_ANSWER, f"its answer has {length} octets")


def test_an_error():
    assert read_error(struct.pack(">II", 3, 2) + b"go away\0") == Failure(Cause.FAILURE_REASON, "go away")
    assert read_error(struct.pack(">II", 3, 2)).reason == "an error without a message"


@given(st.binary(min_size=8, max_size=200), st.booleans())
def test_any_octets_make_an_outcome(packet, ipv6):
    assert isinstance(read_announced(packet, ipv6=ipv6), Answer | Failure)
    assert isinstance(read_error(packet), Failure)
