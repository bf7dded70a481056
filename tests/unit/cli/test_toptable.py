"""What `top` shows: what happened since the look before, and for whom most waits."""

import pytest
from rich.console import Console

from forebay.cli.toptable import Looks, TopTable, cells
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb


def peer(name="west", oldest=None, **counters):
    status = pb.PeerStatus(
        name=name, state=pb.PEER_STATE_CONNECTED, max_connections=4, counters=pb.PeerCounters(**counters)
    )
    status.connections.add(id=1)
    if oldest is not None:
        status.oldest_queued_age.FromSeconds(oldest)
    return status


def look(second, *peers):
    response = pb.WatchPeersResponse(peers=peers)
    response.time.FromSeconds(second)
    return response


def after(*looks, outfeed="hub:7119"):
    found = Looks()
    for each in looks:
        found.add(outfeed, each)
    return found


def test_rates_are_those_since_the_look_before():
    looks = after(look(10, peer(accepted=100, refused=7)), look(12, peer(accepted=300, refused=17, rejected=2)))
    (row,) = looks.rows()
    assert (row.accepted, row.refused, row.rejected) == (100, 5, 1)
    assert row.accept_percentage == pytest.approx(100 * 100 / 106)


def test_at_the_first_look_there_are_no_rates_and_the_share_is_that_of_all():
    (row,) = after(look(10, peer(accepted=3, rejected=1))).rows()
    assert (row.accepted, row.refused, row.rejected, row.accept_percentage) == (0, 0, 0, 75)


def test_without_an_answer_there_is_no_share():
    (row,) = after(look(10, peer())).rows()
    assert cells(row)[5] == ""


def test_a_service_that_was_started_again_shows_no_rates_below_zero():
    (row,) = after(look(10, peer(accepted=100)), look(11, peer(accepted=5))).rows()
    assert row.accepted == 0


def test_a_look_at_the_same_moment_makes_no_rate():
    (row,) = after(look(10, peer(accepted=1)), look(10, peer(accepted=2))).rows()
    assert row.accepted == 0


def test_peers_for_which_most_waits_come_first_over_all_outfeeds():
    looks = after(look(1, peer("a", queued=1), peer("b", queued=3, deferred=2, in_flight=1), peer("c")))
    looks.add("spare:7119", look(1, peer("d", deferred=4)))
    assert [(row.peer.name, row.backlog) for row in looks.rows()] == [("b", 6), ("d", 4), ("a", 1), ("c", 0)]


def test_a_peer_that_was_deleted_is_shown_no_more():
    assert [row.peer.name for row in after(look(1, peer("a"), peer("b")), look(2, peer("b"))).rows()] == ["b"]


def test_an_outfeed_that_answers_again_is_in_no_trouble():
    looks = Looks()
    looks.troubles["hub:7119"] = "away"
    looks.add("hub:7119", look(1))
    assert looks.troubles == {}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(None, "", id="nothing waits"),
        pytest.param(7, "7 s", id="seconds"),
        pytest.param(125, "2 min", id="minutes"),
        pytest.param(7300, "2 h", id="hours"),
    ],
)
def test_the_age_of_the_oldest_is_short(seconds, text):
    (row,) = after(look(1, peer(oldest=seconds))).rows()
    assert cells(row)[7] == text


def printed(rows, **options):
    console = Console(width=120)
    with console.capture() as captured:
        console.print(TopTable(rows, **options))
    return [line.split() for line in captured.get().splitlines()]


def test_the_outfeed_is_told_where_there_are_several():
    looks = after(look(1, peer("a", queued=2)))
    assert "outfeed" not in printed(looks.rows())[0]
    looks.add("spare:7119", look(1, peer("b")))
    head, *rows = printed(looks.rows())
    assert head[-1] == "outfeed"
    assert [row[-1] for row in rows] == ["hub:7119", "spare:7119"]


def test_eighty_columns_are_enough_for_one_outfeed():
    rows = after(look(1, peer("east-2")), look(2, peer("east-2", accepted=99999, queued=12345678))).rows()
    console = Console(width=80)
    with console.capture() as captured:
        console.print(TopTable(rows))
    _, row = captured.get().splitlines()
    assert row.split() == ["east-2", "connected", "99,999", "0", "0", "100.0", "12M", "1/4"]


def test_title_and_notes_stand_around_the_table():
    lines = printed(after(look(1, peer())).rows(), title="now", notes=["west: 400 later"])
    assert (lines[0], lines[-1]) == (["now"], ["west:", "400", "later"])
