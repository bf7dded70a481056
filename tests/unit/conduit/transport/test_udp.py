"""Sockets for datagrams."""

from contextlib import closing

import pytest

from forebay.conduit.transport.udp import MOST_AT_ONCE, open_unicast


@pytest.fixture
def pair():
    one, other = (open_unicast("127.0.0.1", 0, 1 << 20, None) for _ in range(2))
    with closing(one), closing(other):
        yield one, other


def test_one_read_takes_all_that_is_there(pair):
    one, other = pair
    datagrams = [bytes([index]) for index in range(50)]
    for datagram in datagrams:
        one.send(datagram, other.address)
    assert other.read() == [(datagram, one.address) for datagram in datagrams]
    assert other.read() == []


def test_one_read_leaves_others_their_turn(pair):
    one, other = pair
    for _ in range(MOST_AT_ONCE + 1):
        one.send(b"", other.address)
    assert len(other.read()) == MOST_AT_ONCE
    assert len(other.read()) == 1


def test_what_the_system_does_not_take_is_lost_and_counted(pair):
    one, other = pair
    one.send(bytes(70_000), other.address)
    assert one.lost == 1
    assert other.read() == []
