from contextlib import suppress
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.announce import Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.wire.announcequery import LONGEST_KEY, read_announce

HERE = b"\x7f\x00\x00\x01"
HASH = bytes.fromhex("a2a155375420 2b 22 25 26 3d 00 ff".replace(" ", "")).ljust(20, b"~")
PEER = b"-TR3000-abcdefghijkl"


def query(**fields):
    """The query of an announce; a field that is None is left out."""
    fields = {"info_hash": HASH, "peer_id": PEER, "port": 6881, "uploaded": 1, "downloaded": 2, "left": 3} | fields
    return b"&".join(
        f"{name}={quote_from_bytes(value) if isinstance(value, bytes) else value}".encode()
        for name, value in fields.items()
        if value is not None
    )


def read(**fields):
    return read_announce(query(**fields), HERE)


def test_all_of_an_announce_is_read():
    assert read(event="started", numwant=80, key=b"1A2B3C4D", compact=0, no_peer_id=1) == Announce(
        info_hash=HASH, peer_id=PEER, port=6881, uploaded=1, downloaded=2, left=3, event=Event.STARTED, numwant=80,
        key=b"1A2B3C4D", address=HERE, compact=False, no_peer_id=True,
    )  # fmt: skip


def test_what_is_not_told_has_a_default():
    assert read(uploaded=None, downloaded=None, left=None) == Announce(
        HASH, PEER, 6881, 0, 0, None, Event.NONE, None, b"", HERE, compact=True, no_peer_id=False
    )


@pytest.mark.parametrize(
    "text",
    [
        "%a2%a1U7T%20%2b%22%25%26%3d%00%ff~~~~~~~",
        "%A2%A1%55%37%54%20+%22%25%26=%00%FF%7e%7E~~~~~",
        "%a2%A1U7T%20%2B%22%25%26%3D%00%ff" + "%7e" * 7,
    ],
    ids=["lower", "bare-equals", "mixed"],
)
def test_an_info_hash_is_decoded_whatever_its_client_encodes(text):
    assert read_announce(query(info_hash=None) + f"&info_hash={text}".encode(), HERE).info_hash == HASH


def test_a_trackers_own_query_may_come_first():
    assert read_announce(b"passkey=abc%2Bd&flag&" + query(), HERE) == read()


@pytest.mark.parametrize(
    ("client", "fields"),
    [
        pytest.param(
            "libtorrent",
            "passkey=abc%2Bd&info_hash=%ab%cd%ef%01%23%45%67%89%ab%cd%ef%01%23%45%67%89%ab%cd%ef%01"
            "&peer_id=-LT2110-0123456789ab&port=6881&uploaded=0&downloaded=0&left=0&corrupt=0&key=1A2B3C4D"
            "&event=started&numwant=200&compact=1&no_peer_id=1&supportcrypto=1&redundant=0",
            id="libtorrent",
        ),
        pytest.param(
            "aria2",
            "info_hash=%AB%CD%EF%01%23Eg%89%AB%CD%EF%01%23Eg%89%AB%CD%EF%01&peer_id=A2-1-36-0-%00%01%02%03%04%05%06%07%08%09"
            "&uploaded=0&downloaded=0&left=300000&compact=1&key=%01%02%03%04%05%06%07%08&numwant=50&no_peer_id=1"
            "&port=6881&event=started&supportcrypto=1",
            id="aria2",
        ),
        pytest.param(
            "npm",
            "info_hash=%AB%CD%EF%01%23Eg%89%AB%CD%EF%01%23Eg%89%AB%CD%EF%01&peer_id=-WW0202-0123456789ab&port=6881"
            "&uploaded=0&downloaded=0&compact=1&numwant=50&event=started",
            id="npm",
        ),
    ],
)
def test_real_clients_are_understood(client, fields):
    announce = read_announce(fields.encode(), HERE)
    assert announce.info_hash == bytes.fromhex("abcdef0123456789abcdef0123456789abcdef01")
    assert (len(announce.peer_id), announce.port, announce.event) == (20, 6881, Event.STARTED)
    assert announce.key == {"libtorrent": b"1A2B3C4D", "aria2": bytes(range(1, 9)), "npm": b""}[client]
    assert announce.left == {"libtorrent": 0, "aria2": 300_000, "npm": None}[client]


@pytest.mark.parametrize(
    ("told", "left"),
    [
        (None, None), ("", None), (2**64 - 1, None), (-1, None), ("abc", None), ("9" * 30, None), (0, 0),
        (2**63 - 1, 2**63 - 1),
    ],
)  # fmt: skip
def test_a_client_that_does_not_know_what_is_left_is_a_leecher(told, left):
    assert read(left=told).left == left


@pytest.mark.parametrize(
    ("told", "numwant"), [(None, None), (-1, None), ("", None), ("x", None), (0, 0), (10**9, 10**9)]
)
def test_a_number_of_peers_is_one_or_is_not_told(told, numwant):
    assert read(numwant=told).numwant == numwant


@pytest.mark.parametrize("port", [1, 6881, 65535])
def test_ports_are_taken(port):
    assert read(port=port).port == port


@pytest.mark.parametrize("port", [0, 65536, -1, "", "abc", None, "1_0", "+80", "8.1", "9" * 5000])
def test_other_ports_are_refused(port):
    with pytest.raises(RequestError, match="invalid port"):
        read(port=port)


def test_whoever_stops_needs_no_port():
    assert read(port=0, event="stopped").port == 0
    with pytest.raises(RequestError, match="invalid port"):
        read(port=65536, event="stopped")


@pytest.mark.parametrize("event", list(Event))
def test_events_are_read(event):
    assert read(event=event.value).event is event


def test_an_event_that_nobody_knows_is_refused():
    with pytest.raises(RequestError, match="invalid event"):
        read(event="exploded")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"info_hash": None}, "info_hash is missing", id="no-hash"),
        pytest.param({"info_hash": b""}, "info_hash is missing", id="empty-hash"),
        pytest.param({"info_hash": HASH[1:]}, "info_hash has 19 octets, not 20", id="short-hash"),
        pytest.param({"info_hash": HASH + b"x"}, "info_hash has 21 octets, not 20", id="long-hash"),
        pytest.param({"peer_id": None}, "peer_id is missing", id="no-peer-id"),
        pytest.param({"peer_id": b"short"}, "peer_id has 5 octets", id="short-peer-id"),
        pytest.param({"key": "%zz"}, "percent sign", id="percent-sign"),
    ],
)
def test_what_is_wrong_is_told(fields, message):
    with pytest.raises(RequestError, match=message):
        read(**fields)


def test_more_than_one_info_hash_is_refused():
    with pytest.raises(RequestError, match="more than one info_hash"):
        read_announce(query() + b"&" + query(), HERE)


def test_the_last_of_any_other_parameter_wins():
    assert read_announce(query() + b"&port=7000&port=7001", HERE).port == 7001


@pytest.mark.parametrize("name", ["ip", "ipv4", "ipv6"])
def test_nobody_tells_the_address_of_another(name):
    assert read(**{name: "192.0.2.1"}).address == HERE


def test_a_key_has_a_bound():
    assert len(read(key=b"k" * 1000).key) == LONGEST_KEY


@given(st.binary(max_size=300))
def test_any_octets_are_an_announce_or_an_error(octets):
    with suppress(RequestError):
        read_announce(octets, HERE)


NAMES = st.sampled_from(["info_hash", "peer_id", "port", "left", "event", "numwant", "key", "compact", "x"])
VALUES = st.binary(max_size=25) | st.sampled_from([HASH, PEER, b"1", b"0", b"-1"])


@given(st.lists(st.tuples(NAMES, VALUES), max_size=12))
def test_any_parameters_are_an_announce_or_an_error(pairs):
    octets = b"&".join(name.encode() + b"=" + quote_from_bytes(value).encode() for name, value in pairs)
    with suppress(RequestError):
        announce = read_announce(octets, HERE)
        assert len(announce.info_hash) == len(announce.peer_id) == 20
        assert 0 < announce.port < 65536 or announce.event is Event.STOPPED
