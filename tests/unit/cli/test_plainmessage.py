from forebay.cli.plainmessage import plain
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


def test_numbers_stay_numbers_and_enumerations_have_short_names():
    peer = pb.PeerStatus(
        name="west", state=pb.PEER_STATE_BACKING_OFF, counters=pb.PeerCounters(offered=2**60), articles_per_second=1.5
    )
    found = plain(peer)
    assert found["name"] == "west"
    assert found["state"] == "backing_off"
    assert found["counters"]["offered"] == 2**60
    assert found["articles_per_second"] == 1.5


def test_lists_hold_plain_values():
    peer = pb.PeerStatus(connections=[pb.ConnectionStatus(id=1, streaming=True), pb.ConnectionStatus(id=2)])
    assert [(each["id"], each["streaming"]) for each in plain(peer)["connections"]] == [(1, True), (2, False)]
    assert plain(pb.ListPeersRequest(peers=["a", "b"])) == {"peers": ["a", "b"]}


def test_durations_are_seconds_and_times_are_text():
    peer = pb.PeerStatus()
    peer.oldest_queued_age.FromMilliseconds(1500)
    peer.last_error_time.FromMilliseconds(0)
    found = plain(peer)
    assert found["oldest_queued_age"] == 1.5
    assert found["last_error_time"] == "1970-01-01T00:00:00Z"


def test_what_is_left_out_is_none():
    assert plain(pb.PeerStatus())["next_attempt_time"] is None


def test_a_value_that_a_newer_service_knows_is_its_number():
    assert plain(pb.PeerStatus(state=99))["state"] == "99"
