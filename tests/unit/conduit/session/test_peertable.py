import pytest

from forebay.conduit.core.session.peertable import PeerTable


@pytest.fixture
def table():
    return PeerTable(3)


def test_peers_are_found_by_slot_id_and_address(table):
    peer = table.add("a", 1)
    table.name(peer, b"id")
    assert table.at(0) is table.by_id(b"id") is table.by_address("a") is peer


def test_it_holds_so_many(table):
    assert [table.add(address, 1) is None for address in "abcd"] == [False, False, False, True]


def test_a_free_slot_is_used_again_the_lowest_first(table):
    peers = [table.add(address, 1) for address in "abc"]
    table.remove(peers[2])
    table.remove(peers[0])
    assert [peer.index for peer in table] == [1]
    assert table.add("d", 1).index == 0
    assert table.add("e", 1).index == 2


def test_a_detached_peer_is_found_by_its_slot_alone(table):
    peer = table.add("a", 1)
    table.name(peer, b"id")
    table.detach(peer)
    assert table.at(0) is peer
    assert table.by_id(b"id") is table.by_address("a") is None


def test_detaching_leaves_who_came_in_its_place(table):
    old = table.add("a", 1)
    table.name(old, b"id")
    new = table.add("a", 2)
    table.name(new, b"id")
    table.remove(old)
    assert table.by_address("a") is table.by_id(b"id") is new


def test_a_peer_moves(table):
    peer = table.add("a", 1)
    table.move(peer, "b")
    assert table.by_address("a") is None
    assert table.by_address("b") is peer
