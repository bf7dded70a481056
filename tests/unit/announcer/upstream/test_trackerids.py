"""Tracker ids."""

from forebay.announcer.upstream.trackerids import TrackerIds


def test_an_id_is_of_one_tracker_and_torrent():
    ids = TrackerIds()
    ids.keep("http://a/", b"hash", b"id")
    assert ids.get("http://a/", b"hash") == b"id"
    assert ids.get("http://b/", b"hash") == b""
    assert ids.get("http://a/", b"other") == b""


def test_an_answer_without_one_leaves_it():
    ids = TrackerIds()
    ids.keep("http://a/", b"hash", b"id")
    ids.keep("http://a/", b"hash", None)
    ids.keep("http://a/", b"hash", b"")
    assert ids.get("http://a/", b"hash") == b"id"


def test_the_last_one_counts():
    ids = TrackerIds()
    ids.keep("http://a/", b"hash", b"old")
    ids.keep("http://a/", b"hash", b"new")
    assert ids.get("http://a/", b"hash") == b"new"


def test_the_one_unused_for_longest_is_forgotten():
    ids = TrackerIds(capacity=2)
    ids.keep("u", b"1", b"id")
    ids.keep("u", b"2", b"id")
    ids.get("u", b"1")
    ids.keep("u", b"3", b"id")
    assert [ids.get("u", torrent) for torrent in (b"1", b"2", b"3")] == [b"id", b"", b"id"]
