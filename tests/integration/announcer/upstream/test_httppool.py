"""Connections that are kept and used again: how many, and how long."""

import asyncio
import ssl

import pytest

from eventually import eventually
from forebay.announcer.errors import HttpError
from forebay.announcer.upstream import httppool
from forebay.announcer.upstream.httppool import HttpPool, Origin
from forebay.announcer.upstream.httprequest import address_of, get_request
from trackers import Reply, bencode


@pytest.fixture
async def pool():
    pool = HttpPool(ssl.create_default_context())
    yield pool
    await pool.close()


def asked(pool, tracker, path="/announce"):
    return pool.ask(Origin(False, "127.0.0.1", tracker.port), get_request(address_of(tracker.url(path))))


def connections(tracker):
    return [request.connection for request in tracker.requests]


async def test_as_many_connections_as_requests_at_once(pool, tracker):
    await asyncio.gather(*(asked(pool, tracker) for _ in range(5)))
    assert sorted(connections(tracker)) == [1, 2, 3, 4, 5]
    await asyncio.gather(*(asked(pool, tracker) for _ in range(5)))
    assert tracker.open == 5


async def test_only_so_many_are_kept(pool, tracker, monkeypatch):
    monkeypatch.setattr(httppool, "MOST_KEPT", 2)
    await asyncio.gather(*(asked(pool, tracker) for _ in range(5)))
    await eventually(lambda: tracker.open == 2)


async def test_what_nobody_uses_is_closed(pool, tracker, monkeypatch):
    monkeypatch.setattr(httppool, "KEPT_ALIVE", 0.05)
    await asked(pool, tracker)
    await eventually(lambda: tracker.open == 0)
    await asked(pool, tracker)
    assert connections(tracker) == [1, 2]


async def test_an_answer_that_breaks_off_is_not_asked_for_again(pool):
    requests = []

    async def serve(reader, writer):
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + (b"hello" if len(requests) == 1 else b"he"))
        if len(requests) == 1:
            requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        origin = Origin(False, "127.0.0.1", server.sockets[0].getsockname()[1])
        assert (await pool.ask(origin, b"GET / HTTP/1.1\r\n\r\n")).body == b"hello"
        with pytest.raises(HttpError, match="closed within"):
            await pool.ask(origin, b"GET / HTTP/1.1\r\n\r\n")
    assert len(requests) == 2


async def test_a_server_that_says_more_than_it_was_asked_for_is_not_asked_again(pool):
    accepted = []

    async def serve(reader, writer):
        accepted.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" * 2)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        origin = Origin(False, "127.0.0.1", server.sockets[0].getsockname()[1])
        for _ in range(2):
            assert (await pool.ask(origin, b"GET / HTTP/1.1\r\n\r\n")).body == b"hello"
        await pool.close()
    assert len(accepted) == 2


async def test_a_reply_that_the_next_request_does_not_get(pool, tracker):
    """Whoever gives up leaves nothing behind for the next one on the same connection."""
    tracker.replies["/other"] = Reply(bencode({"other": 1}))
    await asked(pool, tracker)
    given_up = asyncio.create_task(asked(pool, tracker, "/silent"))
    await eventually(lambda: len(tracker.requests) == 2)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert (await asked(pool, tracker, "/other")).body == bencode({"other": 1})
    assert connections(tracker)[2] != connections(tracker)[1]
