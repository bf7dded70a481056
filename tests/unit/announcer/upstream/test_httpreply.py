"""Replies over HTTP, however they are cut into pieces."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forebay.announcer.errors import HttpError
from forebay.announcer.upstream.httpreply import LONGEST_ANSWER, LONGEST_HEAD, HttpReply, ReplyReader
from forebay.announcer.upstream.unpacking import TooLongError

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nRetry-After: 9\r\n\r\n"
TO_THE_END = b"HTTP/1.1 200 OK\r\n\r\nhello"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nRetry-After: 1\r\n\r\n"


def read(octets, step=None):
    """What the reader makes of octets that come so many at a time."""
    reader = ReplyReader()
    step = step or len(octets)
    found = [reader.feed(octets[at : at + step]) for at in range(0, len(octets), step)]
    return reader, found[-1]


@pytest.mark.parametrize("step", [1, 2, 7, None])
@pytest.mark.parametrize("octets", [PLAIN, CHUNKED, INTERIM + PLAIN], ids=["length", "chunks", "after an interim one"])
def test_a_reply_in_pieces(octets, step):
    reader, reply = read(octets, step)
    assert (reply.status, reply.reason, reply.body) == (200, "OK", b"hello")
    assert "retry-after" not in reply.headers
    assert reader.keeps


def test_the_header_fields_that_matter():
    _, reply = read(b"HTTP/1.1 429 Slow Down\r\nRETRY-AFTER: 5\r\nX-Other: 1\r\nContent-Length: 0\r\n\r\n")
    assert reply == HttpReply(429, "Slow Down", {"retry-after": "5", "content-length": "0"}, b"")


def test_a_reply_that_ends_with_the_connection():
    reader, reply = read(TO_THE_END, 3)
    assert reply is None
    assert reader.end().body == b"hello"
    assert not reader.keeps


@pytest.mark.parametrize(
    "octets",
    [b"", b"HTTP/1.1 2", PLAIN[:-1], CHUNKED[:-3], INTERIM],
    ids=["nothing", "line", "length", "chunks", "interim"],
)
def test_a_reply_that_was_not_to_end_there(octets):
    reader = ReplyReader()
    if octets:
        assert reader.feed(octets) is None
    with pytest.raises(HttpError, match="closed"):
        reader.end()


@pytest.mark.parametrize(
    "octets",
    [
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        PLAIN + PLAIN,
    ],
    ids=["old", "said", "surplus"],
)
def test_connections_that_are_of_no_more_use(octets):
    reader, reply = read(octets)
    assert reply.status == 200
    assert not reader.keeps


def test_the_first_of_two_replies_counts():
    _, reply = read(PLAIN + b"HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nbad")
    assert reply == read(PLAIN)[1]


def test_one_reply_after_another():
    reader = ReplyReader()
    for octets in (PLAIN, CHUNKED, PLAIN):
        reader.begin()
        assert reader.feed(octets).body == b"hello"


@pytest.mark.parametrize(
    "octets",
    [
        b"200 fine\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x28",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX: " + bytes([65]) * LONGEST_HEAD,
    ],
    ids=["words", "tls", "upgrade", "two lengths", "long head"],
)
def test_what_is_no_http(octets):
    with pytest.raises(HttpError):
        read(octets, 4096)


def test_a_body_that_is_too_long():
    with pytest.raises(TooLongError):
        read(b"HTTP/1.1 200 OK\r\n\r\n" + bytes(LONGEST_ANSWER + 1), 1 << 16)


def test_a_body_in_chunks_of_one_octet_that_never_ends():
    with pytest.raises(TooLongError):
        read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0000000001\r\nx\r\n" * 700_000, 1 << 16)


@given(st.lists(st.binary(max_size=200), max_size=20))
@example([INTERIM, PLAIN, CHUNKED])
def test_whatever_comes_is_a_reply_or_no_http(pieces):
    reader = ReplyReader()
    try:
        for piece in pieces:
            reader.feed(piece)
        reader.end()
    except (HttpError, TooLongError):
        pass
    assert reader.octets <= sum(map(len, pieces))
