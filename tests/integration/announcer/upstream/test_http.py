"""Announces over HTTP to a scripted tracker."""

import asyncio
import math
import ssl
from dataclasses import replace
from ipaddress import ip_address

import pytest
from cryptography.x509 import IPAddress

from authority import Authority
from eventually import eventually
from forebay.announcer.announce import Event
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.upstream.httpupstream import HttpUpstream
from forebay.runtime import SystemClock
from forwardings import announce, octets, spec
from ports import free_port, loopbacks
from trackers import V4, V6, HttpTracker, Reply, bencode

GOOD = Answer(900.0, V4, b"", 3, 4)


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("/announce", GOOD),
        ("/gzip", GOOD),
        ("/gzip-unsaid", GOOD),
        ("/trailing", GOOD),
        ("/close-ends-it", GOOD),
        ("/dictionaries", Answer(900.0, V4)),
        ("/peers6", Answer(900.0, V4, V6)),
        ("/partial-peer", Answer(900.0, V4)),
        ("/negative-interval", Answer(300.0, V4)),
        ("/huge-interval", Answer(10_800.0, V4)),
        ("/retry-in-number", Failure(Cause.FAILURE_REASON, "overloaded", 300.0)),
        ("/retry-in-text", Failure(Cause.FAILURE_REASON, "overloaded", 300.0)),
        ("/retry-in-ten", Failure(Cause.FAILURE_REASON, "overloaded", 600.0)),
        ("/retry-in-zero", Failure(Cause.FAILURE_REASON, "overloaded")),
        ("/retry-in-negative", Failure(Cause.FAILURE_REASON, "overloaded")),
        ("/retry-in-words", Failure(Cause.FAILURE_REASON, "overloaded")),
        ("/retry-in-interval", Failure(Cause.FAILURE_REASON, "overloaded", 7200.0)),
        ("/never", Failure(Cause.RETRY_NEVER, "overloaded", math.inf)),
        ("/failure", Failure(Cause.FAILURE_REASON, "overloaded")),
        ("/400", Failure(Cause.REJECTED, "HTTP 400 Bad Request")),
        ("/403", Failure(Cause.REJECTED, "HTTP 403 Forbidden")),
        ("/404", Failure(Cause.REJECTED, "HTTP 404 Not Found")),
        ("/401", Failure(Cause.SERVER_ERROR, "HTTP 401 Unauthorized")),
        ("/429", Failure(Cause.TOO_MANY_REQUESTS, "HTTP 429 Too Many Requests")),
        ("/429-after", Failure(Cause.TOO_MANY_REQUESTS, "HTTP 429 Too Many Requests", 42.0)),
        ("/500", Failure(Cause.SERVER_ERROR, "HTTP 500 Internal Server Error")),
        ("/503", Failure(Cause.SERVER_ERROR, "HTTP 503 Service Unavailable")),
        ("/loop", Failure(Cause.BAD_ANSWER, "it redirects more than 5 times")),
        ("/to-udp", Failure(Cause.BAD_ANSWER, "it redirects to what is no HTTP address")),
        ("/to-nowhere", Failure(Cause.SERVER_ERROR, "HTTP 302 Found")),
        ("/long", Failure(Cause.BAD_ANSWER, "the answer has more than 1048576 octets")),
        ("/bomb", Failure(Cause.BAD_ANSWER, "the answer has more than 1048576 octets")),
        ("/endless", Failure(Cause.BAD_ANSWER, "the answer has more than 1048576 octets")),
    ],
)
async def test_each_answer(http, tracker, path, outcome):
    assert await http.announce(spec(url=tracker.url(path)), announce()) == outcome


@pytest.mark.parametrize("path", ["/html", "/empty"])
async def test_what_is_no_answer(http, tracker, path):
    assert (await http.announce(spec(url=tracker.url(path)), announce())).cause is Cause.BAD_ANSWER


async def test_a_connection_that_is_closed_without_an_answer(http, tracker):
    assert (await http.announce(spec(url=tracker.url("/reset")), announce())).cause is Cause.CONNECTION_LOST


async def test_what_is_no_http(http):
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"200 fine\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        failed = await http.announce(spec(url=f"http://127.0.0.1:{port}/"), announce())
    assert failed.cause is Cause.CONNECTION_LOST


async def test_nobody_listens(http):
    failed = await http.announce(spec(url=f"http://127.0.0.1:{free_port()}/announce"), announce())
    assert failed.cause is Cause.CONNECTION_REFUSED


async def test_a_name_that_does_not_exist(http):
    failed = await http.announce(spec(url="http://no-such-name.invalid/announce"), announce())
    assert failed.cause is Cause.NAME_UNKNOWN


async def test_everything_of_the_announce_is_sent(http, tracker):
    sent = announce(event=Event.COMPLETED, uploaded=1, downloaded=2, left=0, numwant=30, key=b"a1b2c3d4")
    sent = replace(sent, info_hash=bytes(range(0x1B, 0x2F)))
    await http.announce(spec(url=tracker.url(), ip="203.0.113.42"), sent)
    request = tracker.requests[0]
    assert request.octets("info_hash") == sent.info_hash
    assert "+" not in request.target
    assert "%2B" in request.target
    assert "%20" in request.target
    parameters = request.parameters
    del parameters["info_hash"]
    assert parameters == {
        "peer_id": octets("peer").decode(),
        "port": "6881",
        "uploaded": "1",
        "downloaded": "2",
        "left": "0",
        "compact": "1",
        "numwant": "30",
        "key": "a1b2c3d4",
        "event": "completed",
        "ip": "203.0.113.42",
        "ipv4": "203.0.113.42",
    }


async def test_a_query_of_the_url_comes_first_and_as_it_was(http, tracker):
    await http.announce(spec(url=tracker.url("/announce?passkey=abc%2Bd&x=%7e")), announce())
    assert tracker.requests[0].target.startswith("/announce?passkey=abc%2Bd&x=%7e&info_hash=")
    assert tracker.requests[0].target.count("?") == 1


async def test_the_host_header(http, tracker):
    await http.announce(spec(url=tracker.url(), host="retracker.local"), announce())
    await http.announce(spec(url=tracker.url()), announce())
    assert [request.headers["Host"] for request in tracker.requests] == ["retracker.local", f"127.0.0.1:{tracker.port}"]


async def test_the_tracker_id_is_sent_back(http, tracker):
    for _ in range(2):
        await http.announce(spec(url=tracker.url("/tracker-id")), announce())
    assert [request.parameters.get("trackerid") for request in tracker.requests] == [None, "id/1"]


async def test_connections_are_used_again(http, tracker):
    for path in ("/announce", "/failure", "/503", "/announce"):
        await http.announce(spec(url=tracker.url(path)), announce())
    assert [request.connection for request in tracker.requests] == [1, 1, 1, 1]


async def test_a_kept_connection_that_the_tracker_has_closed_is_made_anew(http, tracker):
    assert await http.announce(spec(url=tracker.url()), announce()) == GOOD
    for task in list(tracker.tasks):
        task.cancel()
    await eventually(lambda: tracker.open == 0)
    assert await http.announce(spec(url=tracker.url()), announce()) == GOOD


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(http, tracker, status):
    tracker.replies["/old"] = Reply(status=status, headers={"Location": "/announce?moved=1"})
    assert await http.announce(spec(url=tracker.url("/old"), host="retracker.local"), announce()) == GOOD
    assert tracker.requests[1].target == "/announce?moved=1"
    assert tracker.requests[1].headers["Host"] == "retracker.local"


async def test_the_host_header_does_not_go_elsewhere(http, tracker):
    other = HttpTracker()
    await other.start()
    tracker.replies["/old"] = Reply(status=302, headers={"Location": other.url()})
    assert await http.announce(spec(url=tracker.url("/old"), host="retracker.local"), announce()) == GOOD
    assert other.requests[0].headers["Host"] == f"127.0.0.1:{other.port}"
    await other.stop()


async def test_a_tracker_that_never_answers_leaves_no_connection_when_it_is_given_up(http, tracker):
    asked = asyncio.create_task(http.announce(spec(url=tracker.url("/silent")), announce()))
    await eventually(lambda: tracker.requests)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await eventually(lambda: tracker.open == 0)


async def test_answers_that_are_cut_short_for_their_length_leave_no_connection(http, tracker):
    for _ in range(5):
        await http.announce(spec(url=tracker.url("/endless")), announce())
    await eventually(lambda: tracker.open == 0)


async def test_closing_closes_connections(tracker):
    client = HttpUpstream(SystemClock())
    await client.announce(spec(url=tracker.url()), announce())
    assert tracker.open == 1
    await client.close()
    await eventually(lambda: tracker.open == 0)


@pytest.mark.skipif("::1" not in loopbacks(), reason="needs IPv6")
async def test_over_ipv6(http):
    tracker = HttpTracker()
    await tracker.start("::1")
    assert await http.announce(spec(url=tracker.url()), announce()) == GOOD
    await tracker.stop()


@pytest.fixture
async def tls_tracker(tmp_path):
    """A tracker over HTTPS, and what trusts it."""
    authority = Authority()
    folder = authority.write(tmp_path / "tls", "tracker", IPAddress(ip_address("127.0.0.1")))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    tracker = HttpTracker()
    await tracker.start(tls=server)
    yield tracker, ssl.create_default_context(cadata=authority.pem.decode())
    await tracker.stop()


async def test_over_tls(tls_tracker):
    tracker, trusting = tls_tracker
    client = HttpUpstream(SystemClock(), trusting)
    assert await client.announce(spec(url=tracker.url(), host="retracker.local"), announce()) == GOOD
    assert tracker.requests[0].headers["Host"] == "retracker.local"
    await client.close()


async def test_a_certificate_that_is_not_trusted(http, tls_tracker):
    tracker, _ = tls_tracker
    failed = await http.announce(spec(url=tracker.url()), announce())
    assert failed.cause is Cause.CONNECTION_LOST
    assert "certificate" in failed.reason.lower()
    assert tracker.requests == []


async def test_cookies_are_not_kept(http, tracker):
    url = f"http://localhost:{tracker.port}/cookie"
    tracker.replies["/cookie"] = Reply(bencode({}), headers={"Set-Cookie": "a=b"})
    for _ in range(2):
        await http.announce(spec(url=url), announce())
    assert "Cookie" not in tracker.requests[1].headers
