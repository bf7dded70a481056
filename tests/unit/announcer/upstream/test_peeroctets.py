"""Peers of answers."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forebay.announcer.upstream.peeroctets import MOST_PEERS, from_compact, from_dictionaries, split

V4 = bytes([192, 0, 2, 1]) + b"\x1a\xe1"
V6 = bytes.fromhex("20010db8000000000000000000000001") + b"\x1a\xe1"
MAPPED = bytes(10) + b"\xff\xff" + V4


def peer(ip, port=6881):
    return {b"ip": ip, b"port": port, b"peer id": b"x" * 20}


def test_compact_peers_of_both_families():
    assert from_compact(V4 * 2, V6) == (V4 * 2, V6)


@pytest.mark.parametrize("rest", range(1, 6))
def test_octets_behind_the_last_whole_peer_are_left_out(rest):
    assert from_compact(V4 + V4[:rest], V6 + V6[:rest]) == (V4, V6)


def test_ports_0_and_1_and_no_address_are_left_out():
    peers = V4[:4] + b"\0\0" + V4[:4] + b"\0\1" + V4[:4] + b"\0\2" + b"\0\0\0\0\x1a\xe1"
    assert from_compact(peers) == (V4[:4] + b"\0\2", b"")
    assert from_compact(b"", V6[:16] + b"\0\1" + bytes(16) + b"\x1a\xe1" + V6) == (b"", V6)


def test_ipv4_written_as_ipv6_is_ipv4():
    assert from_compact(V4, MAPPED + V6) == (V4 + V4, V6)


def test_dictionaries():
    assert from_dictionaries([peer(b"192.0.2.1"), peer(b"2001:db8::1"), peer(b"::ffff:192.0.2.1")]) == (V4 * 2, V6)


def test_dictionaries_beside_compact_ipv6():
    assert from_dictionaries([peer(b"192.0.2.1")], V6) == (V4, V6)


@pytest.mark.parametrize(
    "wrong",
    [
        b"peer",
        7,
        {},
        peer(b"host.example"),
        peer(b"\xff\xfe"),
        peer(3232235777),
        peer(b"192.0.2.1", b"6881"),
        peer(b"192.0.2.1", 65_536),
        peer(b"192.0.2.1", -1),
        peer(b"192.0.2.1", 0),
        peer(b"192.0.2.1", 1),
        peer(b"fe80::1%eth0"),
    ],
    ids=str,
)
def test_what_is_no_peer_is_left_out(wrong):
    peers, peers6 = from_dictionaries([wrong, peer(b"192.0.2.1")])
    assert peers == V4
    assert len(peers6) in (0, 18)


def test_no_more_than_anyone_sends():
    assert len(from_compact(V4 * 100_000, V6 * 100_000).peers) == MOST_PEERS * 6
    assert len(from_dictionaries([peer(b"192.0.2.1")] * 100_000).peers) == MOST_PEERS * 6


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_octets_make_whole_peers(peers, peers6):
    read = from_compact(peers, peers6)
    assert len(read.peers) % 6 == 0
    assert len(read.peers6) % 18 == 0


@given(st.binary(max_size=60), st.binary(max_size=40))
@example(b"\x01\x02\x03\x04\x00\x01" * 2, b"")
@example(b"\x00\x00\x00\x00\x1a\xe1", b"")
def test_what_is_taken_whole_is_what_would_be_taken_one_by_one(peers, peers6):
    usable = [peer for peer in split(peers, 4) if any(peer[:4]) and peer[4:] > b"\x00\x01"]
    assert from_compact(peers).peers == b"".join(usable)
    assert from_compact(peers, peers6).peers.startswith(b"".join(usable))
