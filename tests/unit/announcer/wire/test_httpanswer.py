import pytest

from forebay.announcer.swarms.figures import Candidate, Figures
from forebay.announcer.wire.bencode import decode, encode
from forebay.announcer.wire.httpanswer import AnnounceAnswers, failure_answer, scrape_answer

V4, V6 = bytes([192, 0, 2, 1]), bytes.fromhex("20010db8000000000000000000000001")
ANSWERS = AnnounceAnswers(1800, 900, b"")
FIELDS = {b"complete": 1, b"downloaded": 2, b"incomplete": 3, b"interval": 1800, b"min interval": 900}


def strictly(octets):
    """What is decoded, when it is written as it has to be: keys in order, and nothing behind."""
    value = decode(octets)
    assert encode(value) == octets
    return value


def test_a_compact_answer_has_octets_of_both_families():
    octets = ANSWERS.compact((1, 2, 3), V4, b"p" * 12, b"q" * 18)
    assert strictly(octets) == FIELDS | {b"external ip": V4, b"peers": b"p" * 12, b"peers6": b"q" * 18}


def test_an_answer_without_ipv6_peers_says_nothing_of_them():
    assert strictly(ANSWERS.compact((1, 2, 3), V6, b"", b"")) == FIELDS | {b"external ip": V6, b"peers": b""}


def test_a_tracker_id_is_told_when_there_is_one():
    answers = AnnounceAnswers(1800, 900, b"node-1")
    assert strictly(answers.compact((1, 2, 3), V4, b"", b""))[b"tracker id"] == b"node-1"
    assert strictly(answers.dictionaries((1, 2, 3), V4, [], peer_ids=True))[b"tracker id"] == b"node-1"


@pytest.mark.parametrize("peer_ids", [True, False])
def test_the_original_format_has_a_dictionary_for_each_peer(peer_ids):
    candidates = [Candidate(V4 + b"\x1a\xe1", b"i" * 20), Candidate(V6 + b"\x00\x50", b"")]
    answer = strictly(ANSWERS.dictionaries((1, 2, 3), V4, candidates, peer_ids=peer_ids))
    first = {b"ip": b"192.0.2.1", b"port": 6881} | ({b"peer id": b"i" * 20} if peer_ids else {})
    assert answer[b"peers"] == [first, {b"ip": b"2001:db8::1", b"port": 80}]


def test_a_scrape_tells_of_each_torrent():
    one, two = b"a" * 20, b"b" * 20
    assert strictly(scrape_answer({one: Figures(1, 2, 4, 3), two: Figures(0, 0, 0, 0)})) == {
        b"files": {
            one: {b"complete": 1, b"downloaded": 2, b"downloaders": 3, b"incomplete": 4},
            two: {b"complete": 0, b"downloaded": 0, b"downloaders": 0, b"incomplete": 0},
        }
    }


def test_a_failure_has_a_reason():
    assert strictly(failure_answer("invalid port")) == {b"failure reason": b"invalid port"}


@pytest.mark.parametrize(("seconds", "minutes"), [(1.0, 1), (60.0, 1), (61.0, 2), (300.0, 5)])
def test_a_failure_tells_in_minutes_when_to_try_again(seconds, minutes):
    answer = strictly(failure_answer("busy", seconds))
    assert answer == {b"failure reason": b"busy", b"interval": int(seconds), b"retry in": minutes}
