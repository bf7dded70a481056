from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.announcer.announce import Event
from forebay.announcer.fronts.conversation import Conversation
from forebay.announcer.fronts.httphead import LONGEST
from forebay.announcer.fronts.httpresponse import Page
from forebay.announcer.fronts.httpsite import HttpSite
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.announcer.wire.addresses import packed
from forebay.announcer.wire.bencode import decode
from httpclient import parse
from swarms import NOW, V6, announce, desk, endpoint, octets, split

HERE = packed("192.0.2.7")
PROXY = packed("10.0.0.1")
QUERY = "info_hash=torrent.............&peer_id=peer-1..............&port=6881&left=5"
HEAD = "Host: tracker\r\nUser-Agent: x/1\r\n"


@pytest.fixture
def site():
    return HttpSite(desk(), {b"/stats": lambda query: Page(b"stats of " + query, b"text/html")})


@pytest.fixture
def talk(site):
    return Conversation(site, TrustedProxies([ip_network("10.0.0.0/8")]), HERE)


def get(target, head=HEAD, version="HTTP/1.1"):
    return f"GET {target} {version}\r\n{head}\r\n".encode()


ANNOUNCE = get("/announce?" + QUERY)


def ask(talk, octets):
    """The one answer to some octets."""
    (answer,) = parse(talk.receive(octets, NOW))
    return answer


def fields(answer):
    assert answer.status == 200
    return decode(answer.body)


def test_an_announce_is_answered_and_the_connection_stays(talk, site):
    answer = ask(talk, ANNOUNCE)
    assert fields(answer) == {
        b"complete": 0, b"downloaded": 0, b"external ip": HERE, b"incomplete": 1, b"interval": 1800,
        b"min interval": 900, b"peers": b"",
    }  # fmt: skip
    assert not talk.is_over
    assert site.tally.announces == 1


def test_peers_of_both_families_are_told(talk, site):
    site._desk.enter(announce(1), NOW)
    site._desk.enter(announce(2, family=V6), NOW)
    answer = fields(ask(talk, ANNOUNCE))
    assert (split(answer[b"peers"]), split(answer[b"peers6"], V6)) == ([endpoint(1)], [endpoint(2, V6)])


def test_both_families_together_are_no_more_than_are_wanted(talk, site):
    for host in range(10):
        site._desk.enter(announce(host), NOW)
        site._desk.enter(announce(host, family=V6), NOW)
    answer = fields(ask(talk, get(f"/announce?{QUERY}&numwant=12")))
    assert len(split(answer[b"peers"])) == 10
    assert len(split(answer[b"peers6"], V6)) == 2
    answer = fields(ask(talk, get(f"/announce?{QUERY}&numwant=9")))
    assert b"peers6" not in answer


def test_the_original_format_is_for_those_that_ask_for_it(talk, site):
    site._desk.enter(announce(1), NOW)
    site._desk.enter(announce(2, family=V6), NOW)
    peers = fields(ask(talk, get(f"/announce?{QUERY}&compact=0")))[b"peers"]
    assert peers == [
        {b"ip": b"10.0.0.1", b"peer id": octets("peer-1"), b"port": 6881},
        {b"ip": b"2001:db8::2", b"peer id": octets("peer-2"), b"port": 6881},
    ]
    peers = fields(ask(talk, get(f"/announce?{QUERY}&compact=0&no_peer_id=1&numwant=1")))[b"peers"]
    assert peers == [{b"ip": b"10.0.0.1", b"port": 6881}]


def test_who_stops_is_told_of_nobody(talk, site):
    site._desk.enter(announce(1), NOW)
    assert fields(ask(talk, get(f"/announce?{QUERY}&event=stopped")))[b"peers"] == b""


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        pytest.param("/announce", b"info_hash is missing", id="nothing"),
        pytest.param("/announce?" + QUERY.replace("6881", "0"), b"invalid port", id="port"),
        pytest.param("/announce?" + QUERY + "&key=%", b"a percent sign without two hexadecimal digits", id="percent"),
        pytest.param("/scrape", b"info_hash is missing: name the torrents", id="scrape-of-all"),
    ],
)
def test_a_failure_is_an_answer_like_another(talk, site, target, reason):
    assert fields(ask(talk, get(target))) == {b"failure reason": reason}
    assert (talk.is_over, site.tally.failures) == (False, 1)


def test_a_refusal_tells_when_to_try_again():
    class Refusal:
        retry_after = 300.0

    talk = Conversation(HttpSite(desk(forward=lambda announce, knows, now: Refusal), {}), TrustedProxies(), HERE)
    assert fields(ask(talk, ANNOUNCE)) == {b"failure reason": b"the tracker is busy", b"interval": 300, b"retry in": 5}


def test_a_scrape_is_answered(talk, site):
    site._desk.enter(announce(1, left=0, event=Event.COMPLETED), NOW)
    unknown = "%00" * 20
    answer = fields(ask(talk, get(f"/scrape?info_hash=torrent.............&info_hash={unknown}")))
    nobody = {b"complete": 0, b"downloaded": 0, b"downloaders": 0, b"incomplete": 0}
    assert answer == {b"files": {bytes(20): nobody, octets("torrent"): nobody | {b"complete": 1, b"downloaded": 1}}}
    assert site.tally.scrapes == 1


def test_other_pages_are_shown(talk):
    answer = ask(talk, get("/stats?format=json"))
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/html", b"stats of format=json")
    assert ask(talk, get("/nothing")).status == 404
    assert not talk.is_over


def test_settings_change_with_the_desk(talk, site):
    ask(talk, ANNOUNCE)
    site._desk.settings = desk(interval=60, min_interval=30, tracker_id=b"me").settings
    answer = fields(ask(talk, ANNOUNCE))
    assert (answer[b"interval"], answer[b"min interval"], answer[b"tracker id"]) == (60, 30, b"me")


THREE = ANNOUNCE + get("/nothing") + ANNOUNCE


@pytest.mark.parametrize("size", [1, 2, 3, 50, len(ANNOUNCE) - 2, len(ANNOUNCE), len(THREE)])
def test_requests_may_come_in_any_pieces(talk, size):
    pieces = [THREE[at : at + size] for at in range(0, len(THREE), size)]
    answers = b"".join([talk.receive(piece, NOW) for piece in pieces])
    assert [answer.status for answer in parse(answers)] == [200, 404, 200]


def test_a_request_that_is_not_whole_waits(talk):
    assert talk.receive(ANNOUNCE[:-1], NOW) == b""
    assert len(parse(talk.receive(ANNOUNCE[-1:] + ANNOUNCE, NOW))) == 2


@pytest.mark.parametrize(
    ("version", "head", "said", "over"),
    [
        ("HTTP/1.1", "", None, False),
        ("HTTP/1.1", "Connection: close\r\n", "close", True),
        ("HTTP/1.1", "connection: Upgrade, Close\r\n", "close", True),
        ("HTTP/1.1", "Connection: keep-alive\r\n", "keep-alive", False),
        ("HTTP/1.0", "", "close", True),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", "keep-alive", False),
    ],
)
def test_the_client_says_whether_the_connection_stays(talk, version, head, said, over):
    answer = ask(talk, get("/announce?" + QUERY, head, version))
    assert (answer.headers.get("connection"), talk.is_over) == (said, over)


def test_the_lines_of_each_request_count(talk):
    ask(talk, ANNOUNCE)
    ask(talk, get("/announce?" + QUERY, "Connection: close\r\n"))
    assert talk.is_over


def test_nothing_is_answered_behind_the_last_request(talk):
    last = get("/announce?" + QUERY, "Connection: close\r\n")
    assert len(parse(talk.receive(last + ANNOUNCE, NOW))) == 1


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        pytest.param(b"POST /announce HTTP/1.1\r\n\r\n", 405, id="post"),
        pytest.param(b"HEAD /stats HTTP/1.1\r\n\r\n", 405, id="head"),
        pytest.param(b"GET /announce HTTP/2.0\r\n\r\n", 505, id="version"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\n", 505, id="http-2"),
        pytest.param(b"GET /announce HTTP/1.2\r\n\r\n", 505, id="no-such-version"),
        pytest.param(b"GET /announce\r\n\r\n", 400, id="no-version"),
        pytest.param(b"\r\n\r\n", 400, id="blank"),
        pytest.param(b"GET /announce\nX: HTTP/1.1\r\n\r\n", 400, id="bare-newline"),
        pytest.param(b"GET /a\r\nX: b HTTP/1.1\r\n\r\n", 400, id="version-in-a-header"),
        pytest.param(b"GET /a HTTP/1.1 HTTP/1.1\r\n\r\n", 400, id="two-versions"),
        pytest.param(get("/announce", "Content-Length: 5\r\n"), 400, id="body"),
        pytest.param(get("/announce", "Transfer-Encoding: chunked\r\n"), 400, id="chunked"),
        pytest.param(get("/" + "a" * LONGEST), 431, id="long-target"),
        pytest.param(get("/", "X: y\r\n" * LONGEST), 431, id="many-headers"),
        pytest.param(b"a" * (LONGEST + 1), 431, id="endless"),
    ],
)
@pytest.mark.parametrize("before", [b"", ANNOUNCE, get("/announce", "")], ids=["first", "later", "bare"])
def test_what_is_no_request_ends_the_connection(talk, request_, status, before):
    answers = parse(talk.receive(before + request_ + ANNOUNCE, NOW))
    assert answers[-1].status == status
    assert answers[-1].headers["connection"] == "close"
    assert len(answers) == 1 + bool(before)
    assert talk.is_over


def test_an_empty_body_is_none(talk):
    assert fields(ask(talk, get("/announce?" + QUERY, "Content-Length: 0\r\n")))


def external(talk, forwarded):
    return fields(ask(talk, get("/announce?" + QUERY, f"X-Forwarded-For: {forwarded}\r\n")))[b"external ip"]


def test_nobody_is_believed_who_is_no_proxy(talk):
    assert external(talk, "198.51.100.1") == HERE


def test_a_trusted_proxy_tells_the_client_of_each_request(site):
    talk = Conversation(site, TrustedProxies([ip_network("10.0.0.0/8")]), PROXY)
    assert external(talk, "198.51.100.1") == packed("198.51.100.1")
    assert external(talk, "198.51.100.2") == packed("198.51.100.2")
    assert external(talk, "198.51.100.3\r\nX-Forwarded-For: 2001:db8::1") == packed("2001:db8::1")
    assert fields(ask(talk, ANNOUNCE))[b"external ip"] == PROXY


def test_a_proxy_that_tells_no_address_is_told_so(site):
    talk = Conversation(site, TrustedProxies([ip_network("10.0.0.0/8")]), PROXY)
    head = "X-Forwarded-For: unknown\r\n"
    for _ in range(2):
        talk.is_over = False
        answer = ask(talk, get("/announce?" + QUERY, head))
        assert fields(answer) == {b"failure reason": b"the proxy's X-Forwarded-For has no address"}


@given(st.lists(st.binary(max_size=40) | st.sampled_from([ANNOUNCE, b"\r\n\r\n", b"GET /announce?", b" HTTP/1.1\r\n"])))
def test_any_octets_are_answered_or_waited_for(pieces):
    talk = Conversation(HttpSite(desk(), {}), TrustedProxies(), HERE)
    for piece in pieces:
        parse(talk.receive(piece, NOW))
        if talk.is_over:
            break
