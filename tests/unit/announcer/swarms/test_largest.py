"""The largest swarms."""

from forebay.announcer.announce import Event
from forebay.announcer.swarms import largest
from forebay.announcer.swarms.largest import MOST, Largest
from forebay.announcer.swarms.outside import News
from swarms import announce, endpoint, octets, swarm_table


def filled(sizes):
    """A table of swarms with so many peers each, and what finds the largest."""
    table = swarm_table()
    for torrent, size in sizes.items():
        for host in range(size):
            table.announce(announce(host + 1, torrent), 1.0)
    return table, Largest(table)


def names(found):
    return [info_hash.rstrip(b".").decode() for info_hash, _ in found.swarms()]


def test_nothing_before_the_first_look():
    assert names(filled({"a": 1})[1]) == []


def test_the_largest_come_first():
    _, found = filled({"a": 1, "b": 3, "c": 2})
    found.look()
    assert names(found) == ["b", "c", "a"]


def test_no_more_than_twenty_are_kept():
    _, found = filled({f"t{size}": size for size in range(1, 31)})
    found.look()
    assert names(found) == [f"t{size}" for size in range(30, 30 - MOST, -1)]


def test_of_few_swarms_those_of_now_are_told():
    table, found = filled({"a": 2, "b": 1})
    found.look()
    for host in range(5):
        table.announce(announce(host + 1, "late"), 1.0)
    found.look()
    assert names(found) == ["late", "a", "b"]


def test_sizes_are_those_of_now_and_swarms_that_are_gone_are_left_out():
    table, found = filled({"a": 3, "b": 2, "c": 1})
    found.look()
    for host in (1, 2, 3):
        table.announce(announce(host, "a", event=Event.STOPPED), 2.0)
    for host in (2, 3):
        table.announce(announce(host, "c"), 2.0)
    for _ in range(60):
        table.expire(3.0)
    assert names(found) == ["c", "b"]


def test_many_swarms_are_looked_at_in_parts(monkeypatch):
    monkeypatch.setattr(largest, "SHARE", 1)
    sizes = {f"t{number}": 1 + number % 5 for number in range(150)} | {"large": 9}
    _, found = filled(sizes)
    calls = 0
    while not names(found):
        found.look()
        calls += 1
    assert names(found)[0] == "large"
    assert calls == 51, "shares of three"


def test_peers_of_other_trackers_are_counted_apart():
    table, _ = filled({"a": 1})
    peers6 = bytes(16) + b"\\x00\\x09"
    table.hear(octets("a"), News(endpoint(7) + endpoint(8), peers6, 5, 6), 1.0)
    assert (len(table.get(octets("a"))), table.get(octets("a")).outsiders) == (1, 3)
    assert table.get(octets("b")) is None
