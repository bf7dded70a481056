"""What `forebay announcer` sends and shows."""

import pytest

from forebay.cli.announcerviews import (
    PREFIX,
    Client,
    answer_rows,
    forwarder_row,
    octets,
    print_peers,
    queue_rows,
    readable,
    swarm_row,
)
from forebay.cli.clientevent import ClientEvent
from forebay.cli.errors import InputError
from forebay.pb.announcer.v1 import announcer_pb2 as pb

HASH = "0123456789abcdef0123456789abcdef01234567"


def client(**fields):
    given = {
        "info_hash": HASH, "port": 6881, "ip": "", "peer_id": "", "event": ClientEvent.NONE, "left": None,
        "numwant": None,
    }  # fmt: skip
    return Client(**(given | fields))


def test_an_announce_of_little():
    message = client().message()
    assert (message.info_hash, message.port, message.ip) == (bytes.fromhex(HASH), 6881, "")
    assert (message.event, message.HasField("left"), message.HasField("numwant")) == (
        pb.EVENT_UNSPECIFIED,
        False,
        False,
    )
    assert message.peer_id.startswith(PREFIX)
    assert len(message.peer_id) == 20
    assert message.peer_id != client().message().peer_id


def test_an_announce_of_everything():
    message = client(ip="192.0.2.1", peer_id=HASH, event=ClientEvent.COMPLETED, left=0, numwant=0).message()
    assert (message.ip, message.peer_id, message.event) == ("192.0.2.1", bytes.fromhex(HASH), pb.EVENT_COMPLETED)
    assert (message.HasField("left"), message.left, message.HasField("numwant")) == (True, 0, True)


@pytest.mark.parametrize("event", list(ClientEvent))
def test_every_event(event):
    name = pb.Event.Name(client(event=event).message().event)
    assert name == ("EVENT_UNSPECIFIED" if event is ClientEvent.NONE else f"EVENT_{event.upper()}")


@pytest.mark.parametrize("text", ["", "xyz", HASH[:-2], HASH + "00", HASH[:-1] + "g"])
def test_what_is_no_hash_names_where_it_was_given(text):
    with pytest.raises(InputError, match=r"--peer-id .* is no 40 hexadecimal digits"):
        octets("--peer-id", text)


def test_an_answer():
    rows = dict(answer_rows(pb.AnnounceAnswer(interval=1800, min_interval=900, complete=1, incomplete=2, downloaded=3)))
    assert rows == {
        "seeders": 1,
        "leechers": 2,
        "completed": 3,
        "next announce in seconds": 1800,
        "at least": 900,
    }


def test_a_swarm_is_a_row():
    swarm = pb.Swarm(info_hash=bytes.fromhex(HASH), complete=1, incomplete=2, downloaders=3, downloaded=4)
    assert swarm_row(swarm) == (HASH, 1, 2, 3, 4)


def test_a_forwarder_is_a_row():
    enabled = pb.Forwarder(
        name="a",
        tracker="udp://t.example:1",
        condition=pb.FORWARDER_CONDITION_ENABLED,
        answers=3,
        mean_response=0.25,
    )
    assert forwarder_row(enabled) == ("a", "udp://t.example:1", "enabled", 3, "250", 0, "")
    rests = pb.Forwarder(condition=pb.FORWARDER_CONDITION_SUSPENDED, reason="HTTP 429", suspended_for=41.7)
    assert forwarder_row(rests)[2:] == ("suspended", 0, "", 0, "HTTP 429, for 42 s more")


def test_the_queue_is_rows_of_all_its_figures():
    queue = pb.GetQueueResponse(depth=3, fill=33.333333, throttling=True, rate_limited=7)
    rows = dict(queue_rows(queue))
    assert (rows["depth"], rows["fill"], rows["throttling"], rows["rate limited"]) == (3, "33.3", "yes", 7)
    assert "next scheduled" not in rows
    assert dict(queue_rows(pb.GetQueueResponse()))["throttling"] == "no"


def test_octets_are_readable_in_json():
    queue = pb.GetQueueResponse(depth=1, next_scheduled=[{"info_hash": bytes.fromhex(HASH), "forwarder": "a"}])
    found = readable(queue)
    assert found["depth"] == 1
    assert (found["next_scheduled"][0]["info_hash"], found["next_scheduled"][0]["forwarder"]) == (HASH, "a")


def test_the_peers_of_an_answer(capsys):
    print_peers([pb.Peer(ip="192.0.2.1", port=6881), pb.Peer(ip="2001:db8::1", port=6882)])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["peer", "port"],
        ["192.0.2.1", "6881"],
        ["2001:db8::1", "6882"],
    ]


def test_an_answer_without_peers_says_so(capsys):
    print_peers([])
    assert capsys.readouterr().out.startswith("no peers")
