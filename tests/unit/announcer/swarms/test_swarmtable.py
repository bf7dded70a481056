import pytest

from forebay.announcer.announce import Event
from forebay.announcer.errors import TableFullError
from forebay.announcer.swarms.figures import NOBODY, Candidate, Figures
from forebay.announcer.swarms.outside import News
from forebay.announcer.swarms.swarmtable import AT_ONCE, ROUND
from swarms import NOW, V4, V6, announce, endpoint, octets, split, swarm_table

HASH = octets("torrent")


@pytest.fixture
def table():
    return swarm_table()


def peers(table, asker, count=1000, family=None):
    """What the asker is told, having announced."""
    swarm, place = table.announce(asker, NOW)
    own = len(asker.address)
    family = family or own
    row = swarm.compact(family, place if family == own else -1, asker.left == 0, count, table.random)
    return sorted(split(row, family))


def sweep(table, now):
    for _ in range(ROUND + 1):
        table.expire(now)


def test_clients_are_told_of_each_other_and_not_of_themselves(table):
    assert peers(table, announce(1)) == []
    assert peers(table, announce(2)) == [endpoint(1)]
    assert peers(table, announce(1)) == [endpoint(2)]


def test_torrents_are_apart(table):
    table.announce(announce(1, "one"), NOW)
    assert peers(table, announce(2, "two")) == []


def test_families_are_apart(table):
    table.announce(announce(1), NOW)
    table.announce(announce(2, family=V6), NOW)
    assert peers(table, announce(3, family=V6)) == [endpoint(2, V6)]
    assert peers(table, announce(3, family=V6), family=V4) == [endpoint(1)]


def test_seeders_are_told_of_leechers_only(table):
    table.announce(announce(1, left=0), NOW)
    table.announce(announce(2, left=5), NOW)
    table.announce(announce(3, left=None), NOW)
    assert peers(table, announce(4, left=0)) == [endpoint(2), endpoint(3)]
    assert peers(table, announce(2)) == [endpoint(1), endpoint(3), endpoint(4)]


def test_figures_count_seeders_leechers_and_partial_seeds(table):
    table.announce(announce(1, left=0), NOW)
    table.announce(announce(2), NOW)
    table.announce(announce(3, event=Event.PAUSED), NOW)
    table.announce(announce(4, event=Event.PAUSED, left=0, family=V6), NOW)
    assert table.figures(HASH) == Figures(complete=2, downloaded=0, incomplete=2, downloaders=1)
    table.announce(announce(3), NOW)
    assert table.figures(HASH).downloaders == 2


def test_a_completion_counts_once(table):
    table.announce(announce(1), NOW)
    for _ in range(2):
        table.announce(announce(1, left=0, event=Event.COMPLETED), NOW)
    assert table.figures(HASH) == Figures(1, 1, 0, 0)


def test_a_completion_with_something_left_is_none(table):
    table.announce(announce(1, left=5, event=Event.COMPLETED), NOW)
    assert table.figures(HASH) == Figures(0, 0, 1, 1)


def test_a_seeder_that_starts_again_is_no_completion(table):
    table.announce(announce(1, left=0, event=Event.STARTED), NOW)
    assert table.figures(HASH).downloaded == 0


def test_who_stops_is_gone_and_told_of_nobody(table):
    table.announce(announce(1), NOW)
    table.announce(announce(2), NOW)
    assert table.announce(announce(1, event=Event.STOPPED), NOW)[1] == -1
    assert peers(table, announce(2)) == []


def test_who_stops_without_a_port_is_known_by_its_peer_id(table):
    table.announce(announce(1), NOW)
    table.announce(announce(1, event=Event.STOPPED, port=0), NOW)
    assert table.peers == 0


@pytest.mark.parametrize("stranger", [{"peer_id": octets("other")}, {"host": 2}, {"host": 2, "port": 0}])
def test_nobody_stops_another(table, stranger):
    table.announce(announce(1), NOW)
    fields = {"host": 1, "peer_id": octets("peer-1"), "event": Event.STOPPED} | stranger
    table.announce(announce(**fields), NOW)
    assert table.peers == 1


def test_whoever_stops_and_never_started_leaves_no_trace(table):
    swarm, place = table.announce(announce(1, event=Event.STOPPED), NOW)
    assert (len(table), swarm.sizes(), place) == (0, (0, 0), -1)


def test_a_client_with_its_key_may_change_its_address(table):
    table.announce(announce(1, key=b"key"), NOW)
    table.announce(announce(2, peer_id=octets("peer-1"), key=b"key"), NOW)
    assert peers(table, announce(3)) == [endpoint(2)]


@pytest.mark.parametrize("key", [b"", b"other"])
def test_without_the_key_it_is_another_client(table, key):
    table.announce(announce(1, key=key and b"key"), NOW)
    table.announce(announce(2, peer_id=octets("peer-1"), key=key), NOW)
    assert peers(table, announce(3)) == [endpoint(1), endpoint(2)]


def test_a_client_with_two_addresses_is_known_at_the_later_one_when_the_other_is_gone(table):
    table.announce(announce(1), NOW)
    table.announce(announce(2, peer_id=octets("peer-1")), NOW)
    table.announce(announce(1, event=Event.STOPPED), NOW)
    table.announce(announce(2, peer_id=octets("peer-1"), event=Event.STOPPED, port=0), NOW)
    assert table.peers == 0


def test_a_client_may_change_its_port(table):
    table.announce(announce(1, event=Event.PAUSED), NOW)
    table.announce(announce(1, port=7000), NOW)
    assert peers(table, announce(3)) == [endpoint(1, port=7000)]
    assert table.figures(HASH).downloaders == 2


def test_a_client_that_starts_anew_takes_its_own_place(table):
    table.announce(announce(1), NOW)
    table.announce(announce(1, peer_id=octets("anew")), NOW)
    assert peers(table, announce(3)) == [endpoint(1)]
    table.announce(announce(1, event=Event.STOPPED, port=0), NOW)
    assert peers(table, announce(3)) == [endpoint(1)]


def test_candidates_have_their_peer_ids_without_the_key(table):
    table.announce(announce(1, key=b"key"), NOW)
    table.hear(HASH, News(peers=endpoint(9)), NOW)
    swarm, place = table.announce(announce(2), NOW)
    assert swarm.candidates(V4, place, False, 10, table.random) == [
        Candidate(endpoint(1), octets("peer-1")),
        Candidate(endpoint(9), b""),
    ]


def test_a_client_is_known_after_its_first_announce(table):
    assert not table.knows(announce(1))
    table.announce(announce(1), NOW)
    assert table.knows(announce(1))
    assert not table.knows(announce(2))
    assert not table.knows(announce(1, family=V6))
    table.announce(announce(1, event=Event.STOPPED), NOW)
    assert not table.knows(announce(1))


def test_peers_of_other_trackers_fill_up_what_is_wanted(table):
    table.announce(announce(1), NOW)
    table.hear(HASH, News(peers=b"".join(map(endpoint, range(50, 60))), peers6=endpoint(70, V6)), NOW)
    assert len(peers(table, announce(2), count=5)) == 5
    assert endpoint(1) in peers(table, announce(2), count=5)
    assert len(peers(table, announce(2))) == 11
    assert peers(table, announce(2), family=V6) == [endpoint(70, V6)]


def test_a_peer_of_another_tracker_that_comes_here_is_told_once(table):
    table.announce(announce(1), NOW)
    table.hear(HASH, News(peers=endpoint(1) + endpoint(2)), NOW)
    assert peers(table, announce(2)) == [endpoint(1)]
    assert peers(table, announce(3)) == [endpoint(1), endpoint(2)]


def test_sizes_are_the_greater_of_what_is_known(table):
    table.announce(announce(1), NOW)
    table.hear(HASH, News(complete=9, incomplete=0), NOW)
    assert table.figures(HASH)[::2] == (9, 1)


def test_what_is_heard_of_a_torrent_without_clients_is_of_no_use(table):
    table.hear(HASH, News(peers=endpoint(1)), NOW)
    assert (len(table), table.figures(HASH)) == (0, NOBODY)


def test_peers_of_old_are_swept_out(table):
    table.announce(announce(1), NOW)
    table.announce(announce(2, family=V6), NOW)
    table.announce(announce(3), NOW + 1)
    sweep(table, NOW + table.limits.peer_age)
    assert table.peers == 3
    sweep(table, NOW + table.limits.peer_age + 0.5)
    assert table.peers == 1
    assert peers(table, announce(4)) == [endpoint(3)]


def test_swarms_without_peers_are_swept_out(table):
    table.announce(announce(1), NOW)
    table.hear(HASH, News(peers=endpoint(9)), NOW)
    table.announce(announce(1, event=Event.STOPPED), NOW)
    assert len(table) == 1
    sweep(table, NOW)
    assert (len(table), list(table)) == (0, [])


def test_every_swarm_has_its_turn_within_a_round(table):
    for number in range(3 * ROUND + 1):
        table.announce(announce(1, f"torrent-{number}"), NOW)
    calls = 0
    while table.peers:
        table.expire(NOW + 2 * table.limits.peer_age)
        calls += 1
    assert ROUND // 2 < calls <= ROUND


def test_a_call_removes_no_more_than_so_many(table):
    for host in range(2 * AT_ONCE + 10):
        table.announce(announce(host), NOW)
    left = []
    while table.peers:
        table.expire(NOW + 2 * table.limits.peer_age)
        left.append(table.peers)
    assert left == [AT_ONCE + 10, 10, 0]


def test_a_full_table_takes_those_that_it_knows():
    table = swarm_table(most_peers=2)
    table.announce(announce(1), NOW)
    table.announce(announce(2, "other"), NOW)
    with pytest.raises(TableFullError, match="full") as caught:
        table.announce(announce(3), NOW)
    assert caught.value.retry_after > 60
    with pytest.raises(TableFullError):
        table.announce(announce(1, "third"), NOW)
    table.announce(announce(1), NOW)
    table.announce(announce(1, event=Event.STOPPED), NOW)
    table.announce(announce(3), NOW)
    assert (table.peers, len(table)) == (2, 2)


def test_swarms_have_a_limit_of_their_own():
    table = swarm_table(most_swarms=1)
    table.announce(announce(1), NOW)
    with pytest.raises(TableFullError):
        table.announce(announce(1, "other"), NOW)
    table.announce(announce(2), NOW)
    assert table.peers == 2
