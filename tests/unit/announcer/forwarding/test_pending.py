"""Pending jobs."""

from forebay.announcer.forwarding.pending import Pending


def test_each_part_of_the_key_counts():
    pending = Pending()
    pending.mark((b"hash", "one", b"peer"))
    assert (b"hash", "one", b"peer") in pending
    assert (b"hash", "one", b"other") not in pending
    assert (b"hash", "two", b"peer") not in pending
    assert (b"other", "one", b"peer") not in pending


def test_all_forwarders_of_a_client():
    pending = Pending()
    pending.mark((b"hash", "one", b"peer"))
    pending.mark((b"hash", "two", b"peer"))
    assert pending.forwarders(b"hash", b"peer") == {"one", "two"}
    assert pending.forwarders(b"hash", b"other") == set()


def test_unmarked_ones_are_gone_and_counted_off():
    pending = Pending()
    pending.mark((b"hash", "one", b"peer"))
    pending.mark((b"hash", "two", b"peer"))
    assert pending.count == 2
    pending.unmark((b"hash", "one", b"peer"))
    assert pending.count == 1
    assert pending.forwarders(b"hash", b"peer") == {"two"}
