from struct import pack, unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.access import AccessList, Mode
from forebay.announcer.announce import Event
from forebay.announcer.fronts.udpdesk import UdpDesk
from forebay.announcer.swarms.outside import News
from forebay.announcer.wire.addresses import packed
from forebay.announcer.wire.connectionid import ConnectionIds
from swarms import NOW, V4, V6, address, announce, desk, endpoint, octets, split

HERE, HERE6 = packed("192.0.2.7"), packed("2001:db8::7")
IDS = ConnectionIds(bytes(32))
PROVEN = IDS.make(HERE, NOW)
TRANSACTION = b"tran"


def udp(**fields):
    return UdpDesk(desk(**fields), IDS)


def request(action, body=b"", connection_id=PROVEN):
    return connection_id + pack(">I", action) + TRANSACTION + body


def announce_packet(connection_id=PROVEN, torrent="torrent", event=0, port=6881, wanted=-1, options=b""):
    body = octets(torrent) + octets("me") + pack(">QQQIIIiH", 0, 5, 0, event, 0, 0, wanted, port)
    return request(1, body + options, connection_id)


def scrape_packet(*torrents, connection_id=PROVEN):
    return request(2, b"".join(map(octets, torrents)), connection_id)


def read(answer, family=V4):
    """Interval, leechers, seeders and peers of an answer to an announce."""
    assert answer[:8] == b"\0\0\0\1" + TRANSACTION
    return *unpack(">III", answer[8:20]), split(answer[20:], family)


def error(answer):
    assert answer[:8] == b"\0\0\0\3" + TRANSACTION
    return answer[8:].decode("ascii")


def test_a_connect_request_is_answered_with_an_id_that_is_good():
    it = udp()
    connect = pack(">QI", 0x41727101980, 0) + TRANSACTION
    answer = it.answer(connect, HERE, NOW)
    assert answer[:8] == b"\0\0\0\0" + TRANSACTION
    assert len(answer) == len(connect) == 16
    assert read(it.answer(announce_packet(answer[8:]), HERE, NOW))


def test_a_connect_request_without_the_magic_is_not_answered():
    assert udp().answer(bytes(8) + pack(">I", 0) + TRANSACTION, HERE, NOW) is None


def test_an_announce_is_answered():
    it = udp()
    it._desk.enter(announce(1, left=0), NOW)
    assert read(it.answer(announce_packet(), HERE, NOW)) == (1800, 1, 1, [endpoint(1)])
    assert it.tally.announces == 1


def test_families_are_not_mixed():
    it = udp()
    it._desk.enter(announce(1), NOW)
    it._desk.enter(announce(2, family=V6), NOW)
    it._desk.table.hear(octets("torrent"), News(peers=endpoint(3), peers6=endpoint(4, V6)), NOW)
    answer = it.answer(announce_packet(IDS.make(HERE6, NOW)), HERE6, NOW)
    assert sorted(read(answer, V6)[3]) == [endpoint(2, V6), endpoint(4, V6)]
    assert sorted(read(it.answer(announce_packet(), HERE, NOW))[3]) == [endpoint(1), endpoint(3)]


@pytest.mark.parametrize(("family", "most"), [(V4, 230), (V6, 76)])
def test_an_answer_goes_in_one_piece_however_many_peers_are_wanted(family, most):
    it = udp(most_numwant=10_000)
    for host in range(1, 400):
        it._desk.enter(announce(host, family=family), NOW)
    it._desk.table.hear(octets("torrent"), News(peers=endpoint(500)), NOW)
    here = address(1, family)
    answer = it.answer(announce_packet(IDS.make(here, NOW), wanted=2**31 - 1), here, NOW)
    assert len(answer) <= 1400
    assert len(set(read(answer, family)[3])) == most


@pytest.mark.parametrize(("wanted", "peers"), [(-1, 50), (0, 0), (7, 7), (500, 90)])
def test_a_client_gets_as_many_as_it_wants(wanted, peers):
    it = udp()
    for host in range(90):
        it._desk.enter(announce(host), NOW)
    assert len(read(it.answer(announce_packet(wanted=wanted), HERE, NOW))[3]) == peers


def test_who_stops_is_gone():
    it = udp()
    it.answer(announce_packet(), HERE, NOW)
    assert read(it.answer(announce_packet(event=3, port=0), HERE, NOW)) == (1800, 0, 0, [])


def test_a_scrape_is_answered_in_its_order():
    it = udp()
    it._desk.enter(announce(1, "one", left=0, event=Event.COMPLETED), NOW)
    it._desk.enter(announce(1, "two"), NOW)
    answer = it.answer(scrape_packet("two", "none", "one"), HERE, NOW)
    assert answer == b"\0\0\0\2" + TRANSACTION + pack(">9I", 0, 0, 1, 0, 0, 0, 1, 1, 0)
    assert it.tally.scrapes == 1


def test_the_largest_scrape_goes_in_one_piece():
    assert len(udp().answer(scrape_packet(*map(str, range(500))), HERE, NOW)) == 8 + 12 * 74


@pytest.mark.parametrize("packet", [announce_packet(), scrape_packet("torrent")], ids=["announce", "scrape"])
@pytest.mark.parametrize(("age", "good"), [(119.0, True), (121.0, False)])
def test_an_id_is_good_for_two_minutes(packet, age, good):
    answer = udp().answer(packet, HERE, NOW + age)
    assert (answer[3] != 3) == good
    assert good or error(answer) == "connect anew"


def test_an_id_of_before_our_restart_is_told_to_be_bad():
    it = UdpDesk(desk(), ConnectionIds(b"another" * 4))
    assert error(it.answer(announce_packet(), HERE, NOW)) == "connect anew"
    assert it.tally.failures == 1


def test_an_id_of_another_address_is_bad():
    assert error(udp().answer(announce_packet(), packed("192.0.2.8"), NOW)) == "connect anew"


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        pytest.param(announce_packet(port=0), "invalid port", id="port"),
        pytest.param(announce_packet(event=9), "invalid event", id="event"),
        pytest.param(announce_packet(options=b"\x02\xffabc"), "the options are cut off", id="options"),
        pytest.param(announce_packet(torrent="denied"), "this torrent is not tracked here", id="access"),
    ],
)
def test_what_is_wrong_is_told(packet, reason):
    it = udp(access=AccessList(Mode.DENY, [octets("denied")]))
    assert error(it.answer(packet, HERE, NOW)) == reason
    assert (it.tally.failures, it.tally.announces) == (1, 0)


def test_a_refusal_tells_when_to_try_again():
    class Refusal:
        retry_after = 300.0

    it = udp(forward=lambda announce, knows, now: Refusal)
    assert error(it.answer(announce_packet(), HERE, NOW)) == "the tracker is busy; retry in 5 min"


@pytest.mark.parametrize(
    "packet",
    [
        pytest.param(b"", id="empty"),
        pytest.param(announce_packet()[:97], id="short-announce"),
        pytest.param(scrape_packet(), id="empty-scrape"),
        pytest.param(request(4), id="unknown-action"),
        pytest.param(request(3, b"error"), id="error"),
        pytest.param(pack(">QI", 0x41727101980, 0), id="short-connect"),
    ],
)
def test_what_is_no_request_is_not_answered(packet):
    assert udp().answer(packet, HERE, NOW) is None


@given(
    st.sampled_from([bytes(8), b"\0\0\x04\x17\x27\x10\x19\x80"]) | st.binary(max_size=8),
    st.integers(0, 5) | st.integers(0, 2**32 - 1),
    st.binary(max_size=200),
)
def test_who_has_proved_nothing_gets_nothing_larger_than_its_request(connection_id, action, rest):
    packet = connection_id + pack(">I", action) + rest
    answer = udp().answer(packet, HERE, NOW)
    assert answer is None or len(answer) <= len(packet)
    assert answer is None or answer[3] in (0, 3)


@given(st.integers(0, 5), st.binary(max_size=200))
def test_any_packet_of_a_proven_client_is_answered_or_not(action, rest):
    answer = udp().answer(PROVEN + pack(">I", action) + rest, HERE, NOW)
    assert answer is None or (answer[4:8] == rest[:4] and len(answer) <= 1400)
