"""Announces as HTTP requests."""

from dataclasses import replace

import pytest

from forebay.announcer.announce import Event
from forebay.announcer.upstream.httprequest import address_of, announce_query, get_request
from forwardings import announce, octets, spec

URL = "http://tracker.example:8080/announce"


def parameters(url):
    return dict(pair.split("=", 1) for pair in url.partition("?")[2].split("&"))


def asked(url=URL, ip="", tracker_id=b"", **fields):
    return written(url, announce_query(spec(url=url, ip=ip), announce(**fields), tracker_id))


def written(url, query):
    return address_of(url).with_query(query).url


def test_what_is_sent_of_a_plain_announce():
    url = asked(uploaded=1, downloaded=2, left=3)
    assert url == (
        f"{URL}?info_hash=torrent{'.' * 13}&peer_id=peer{'.' * 16}&port=6881&uploaded=1&downloaded=2&left=3&compact=1"
    )


def test_event_numwant_key_and_tracker_id_are_sent():
    sent = parameters(asked(event=Event.STARTED, numwant=30, key=b"a1b2c3d4", tracker_id=b"id/1"))
    assert (sent["event"], sent["numwant"], sent["key"]) == ("started", "30", "a1b2c3d4")
    assert sent["trackerid"] == "id%2F1"


@pytest.mark.parametrize("event", [Event.STARTED, Event.STOPPED, Event.COMPLETED, Event.PAUSED])
def test_every_event_is_sent(event):
    assert parameters(asked(event=event))["event"] == event.value


def test_nothing_is_made_up():
    assert not {"event", "numwant", "key", "trackerid", "ip", "ipv4", "ipv6"} & set(parameters(asked()))


def test_who_stops_wants_no_peers():
    assert parameters(asked(event=Event.STOPPED, numwant=50))["numwant"] == "0"


def test_octets_are_encoded_once_and_a_blank_is_no_plus():
    info_hash = bytes.fromhex("a2a155375420 2b 22 25 26 3d 00 ff".replace(" ", "")).ljust(20, b"~")
    url = written(URL, announce_query(spec(url=URL), replace(announce(), info_hash=info_hash)))
    assert parameters(url)["info_hash"] == "%A2%A1U7T%20%2B%22%25%26%3D%00%FF" + "~" * 7


@pytest.mark.parametrize(
    ("url", "start"),
    [
        ("http://t.example/announce.php?uk=KEY", "http://t.example/announce.php?uk=KEY&info_hash="),
        ("http://t.example/announce?passkey=abc%2Bd", "http://t.example/announce?passkey=abc%2Bd&info_hash="),
        ("http://t.example/announce?", "http://t.example/announce?info_hash="),
        ("https://t.example", "https://t.example/?info_hash="),
        ("http://t.example/a%20b#part", "http://t.example/a%20b?info_hash="),
        ("http://[2001:db8::1]:80/a", "http://[2001:db8::1]:80/a?info_hash="),
    ],
)
def test_a_query_that_is_there_already_is_kept(url, start):
    made = asked(url)
    assert made.startswith(start)
    assert made.count("?") == 1


def test_the_address_that_the_tracker_is_told():
    assert parameters(asked(ip="203.0.113.42"))["ip"] == "203.0.113.42"
    assert parameters(asked(ip="203.0.113.42"))["ipv4"] == "203.0.113.42"
    assert parameters(asked(ip="2001:db8::1"))["ip"] == "2001%3Adb8%3A%3A1"
    assert parameters(asked(ip="2001:db8::1"))["ipv6"] == "2001%3Adb8%3A%3A1"


def test_a_client_that_told_no_left_is_a_leecher():
    assert int(parameters(asked(left=None))["left"]) == 2**63 - 1


def test_a_key_of_any_octets():
    assert parameters(asked(key=b"\x00+ \xff"))["key"] == "%00%2B%20%FF"


def test_the_client_is_told_of_as_it_is():
    sent = parameters(asked(peer="other", port=51_413))
    assert (sent["peer_id"], sent["port"]) == (octets("other").decode(), "51413")


def test_the_octets_of_a_request():
    assert get_request(address_of("http://t.example:81/a?b=c"), "other.example").split(b"\r\n") == [
        b"GET /a?b=c HTTP/1.1",
        b"Host: other.example",
        b"User-Agent: Forebay",
        b"Accept: */*",
        b"Accept-Encoding: gzip",
        b"",
        b"",
    ]


@pytest.mark.parametrize(
    ("url", "host", "port", "named", "target"),
    [
        ("http://t.example/a", "t.example", 80, "t.example", "/a"),
        ("https://T.example:444", "t.example", 444, "T.example:444", "/"),
        ("http://user:secret@t.example/a", "t.example", 80, "t.example", "/a"),
        ("http://b\u00fccher.example/\u00fc", "b\u00fccher.example", 80, "xn--bcher-kva.example", "/%C3%BC"),
        ("http://t.example/a b?c\u2028d", "t.example", 80, "t.example", "/a%20b?c%E2%80%A8d"),
        ("http://[2001:db8::1]:8080/a", "2001:db8::1", 8080, "[2001:db8::1]:8080", "/a"),
    ],
)
def test_an_address_cut_up(url, host, port, named, target):
    address = address_of(url)
    assert (address.host, address.port, address.netloc, address.target) == (host, port, named, target)


@pytest.mark.parametrize(
    "url", ["udp://t.example:80/a", "mailto:a", "http:///a", "http://t.example:99999/", "http://["]
)
def test_what_is_no_address_over_http(url):
    with pytest.raises(ValueError, match=r"."):
        address_of(url)
