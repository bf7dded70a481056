"""What is told over gRPC, as messages."""

import pytest

from forebay.announcer.announce import Announce, Event
from forebay.announcer.errors import RequestError
from forebay.announcer.forwarding.outcome import Answer, Cause
from forebay.announcer.messages import forwarder, paused, peer, place_of, queue, read_announce, swarm
from forebay.announcer.swarms.figures import Candidate, Figures
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forwardings import Driven, failure, octets, spec

CALLER = bytes([192, 0, 2, 1])
FIELDS = {"info_hash": octets("torrent"), "peer_id": octets("peer"), "port": 6881}


def told(**fields):
    return pb.ClientAnnounce(**(FIELDS | fields))


def test_an_announce_of_little():
    assert read_announce(told(), CALLER) == Announce(
        octets("torrent"), octets("peer"), 6881, 0, 0, None, Event.NONE, None, b"", CALLER
    )


def test_an_announce_of_everything():
    message = told(ip="2001:db8::7", uploaded=1, downloaded=2, left=0, event=pb.EVENT_COMPLETED, numwant=0, key=b"key")
    address = bytes.fromhex("20010db8" + "00" * 11 + "07")
    assert read_announce(message, CALLER) == Announce(
        octets("torrent"), octets("peer"), 6881, 1, 2, 0, Event.COMPLETED, 0, b"key", address
    )


@pytest.mark.parametrize("event", list(Event))
def test_every_event(event):
    number = pb.Event.Value(f"EVENT_{event.upper() or 'UNSPECIFIED'}")
    assert read_announce(told(event=number), CALLER).event is event


def test_only_who_has_stopped_needs_no_port():
    assert read_announce(told(port=0, event=pb.EVENT_STOPPED), CALLER).port == 0
    with pytest.raises(RequestError, match="port 0 is none"):
        read_announce(told(port=0), CALLER)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"info_hash": b"x"}, "info_hash has 1 octets; give 20"),
        ({"peer_id": bytes(21)}, "peer_id has 21 octets; give 20"),
        ({"key": bytes(33)}, "key has 33 octets; give at most 32"),
        ({"event": 7}, "event 7 is unknown"),
        ({"port": 65536}, "port 65536 is none; give 1 to 65535"),
        ({"ip": "é.example"}, r"ip '\\xe9.example' is no address"),
    ],
    ids=["info hash", "peer id", "key", "event", "port", "ip"],
)
def test_what_is_wrong_names_the_field(fields, problem):
    with pytest.raises(RequestError, match=problem):
        read_announce(told(**fields), CALLER)


def test_a_peer_of_either_family():
    assert peer(Candidate(CALLER + b"\x1a\xe1", octets("p"))) == pb.Peer(ip="192.0.2.1", port=6881, peer_id=octets("p"))
    assert peer(Candidate(bytes(15) + b"\x01\x00\x09", b"")) == pb.Peer(ip="::1", port=9)


def test_a_swarm():
    message = swarm(octets("torrent"), Figures(complete=1, downloaded=2, incomplete=3, downloaders=4))
    assert (message.complete, message.downloaded, message.incomplete, message.downloaders) == (1, 2, 3, 4)
    assert message.info_hash == octets("torrent")


def test_a_forwarder_that_was_never_asked_has_no_figures():
    message = forwarder(Driven().state())
    assert (message.name, message.tracker) == ("f0", "http://tracker.example")
    assert message.condition == pb.FORWARDER_CONDITION_ENABLED
    assert not any(map(message.HasField, ("mean_response", "last_interval", "since_last_answer")))


def test_a_forwarder_that_answered():
    driven = Driven()
    driven.announced()
    job = driven.take()
    driven.now += 0.5
    driven.done(job, Answer(interval=900.0))
    driven.now += 3
    message = forwarder(driven.state())
    assert (message.mean_response, message.answers) == (0.5, 1)
    assert (message.last_interval, message.since_last_answer) == (900, 3)


@pytest.mark.parametrize(
    ("cause", "condition", "suspended"),
    [
        (Cause.REJECTED, pb.FORWARDER_CONDITION_DISABLED, 0),
        (Cause.TOO_MANY_REQUESTS, pb.FORWARDER_CONDITION_SUSPENDED, 300),
    ],
    ids=["disabled", "suspended"],
)
def test_a_forwarder_that_gets_nothing_has_its_reason(cause, condition, suspended):
    driven = Driven()
    driven.announced()
    driven.work(failure(cause, reason="why"))
    message = forwarder(driven.state())
    assert (message.condition, message.cause, message.reason) == (condition, cause, "why")
    assert message.suspended_for == suspended


def test_a_paused_forwarder():
    message = paused(spec("off", "udp://t.example:1/announce?key=1"))
    assert (message.name, message.tracker, message.reason) == ("off", "udp://t.example:1", "spec.pause is true")
    assert message.condition == pb.FORWARDER_CONDITION_PAUSED


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://t.example/announce?pk=1", "http://t.example"),
        ("https://me:secret@t.example:8443/k/announce", "https://t.example:8443"),
        ("udp://[2001:db8::1]:6969/k", "udp://[2001:db8::1]:6969"),
    ],
    ids=["query", "user", "ipv6"],
)
def test_a_place_is_a_url_without_what_may_be_a_key(url, place):
    assert place_of(url) == place


def test_the_queue_with_what_waits():
    driven = Driven(forwarders=1, queue_size=10)
    driven.announced("waits")
    driven.work(failure(wait=90.0))
    driven.fill(3)
    driven.counters.rate_limited = 4
    message = queue(driven.status(workers=2), spilled=5, peers=6, swarms=7)
    assert (message.depth, message.capacity, message.fill, message.pending, message.scheduled) == (3, 10, 30, 4, 1)
    assert (message.workers, message.max_workers, message.rate_limited) == (2, 20, 4)
    assert (message.spilled, message.peers, message.swarms) == (5, 6, 7)
    (job,) = message.next_scheduled
    assert (job.info_hash, job.forwarder, job.peer_id, job.time_to_execution) == (
        octets("waits"), "f0", octets("peer"), 90,
    )  # fmt: skip
