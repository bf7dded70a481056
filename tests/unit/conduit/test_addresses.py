"""Addresses of peers."""

import pytest

from forebay.conduit.addresses import address_text, find_address
from forebay.conduit.core.session.peer import Peer
from forebay.conduit.core.wire.locators import Locator

ADDRESSES = [
    (("192.0.2.7", 7448), "udp/192.0.2.7:7448"),
    (("::ffff:192.0.2.8", 7448, 0, 0), "udp/192.0.2.8:7448"),
    (("2001:db8::7", 7448, 0, 0), "udp/[2001:db8::7]:7448"),
    (("fe80::1%eth0", 7448, 0, 2), "udp/[fe80::1]:7448"),
    (Locator("tcp", "192.0.2.7", 7448), "tcp/192.0.2.7:7448"),
    (Locator("tcp", "::ffff:192.0.2.9", 7448), "tcp/192.0.2.9:7448"),
]


@pytest.mark.parametrize(("address", "text"), ADDRESSES, ids=[text for _, text in ADDRESSES])
def test_each_is_written_as_people_do_and_found_by_that(address, text):
    peers = [Peer(index, each, 0) for index, (each, _) in enumerate(ADDRESSES)]
    assert address_text(address) == text
    assert find_address(text, peers) == address


@pytest.mark.parametrize("text", ["", "192.0.2.7:7448", "udp/192.0.2.99:7448", "udp/host:7448", "udp/192.0.2.7:99999"])
def test_others_are_not_found(text):
    assert find_address(text, [Peer(0, ADDRESSES[0][0], 0)]) is None
