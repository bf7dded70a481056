"""Unpacking of bodies."""

import gzip
import zlib

import pytest

from forebay.announcer.upstream.unpacking import TooLongError, unpack

BODY = b"d8:intervali1800ee"


def test_a_plain_body_is_left_alone():
    assert unpack(BODY, "", 100) == BODY
    assert unpack(BODY, "identity", 100) == BODY


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", " GZIP", ""])
def test_gzip_whatever_is_said(encoding):
    assert unpack(gzip.compress(BODY), encoding, 100) == BODY


def test_deflate():
    assert unpack(zlib.compress(BODY), "deflate", 100) == BODY


def test_as_long_as_allowed():
    assert unpack(gzip.compress(b"d" * 100), "gzip", 100) == b"d" * 100


def test_a_bomb_is_not_unpacked():
    with pytest.raises(TooLongError, match="more than 100 octets"):
        unpack(gzip.compress(b"d" * 10_000_000), "gzip", 100)


@pytest.mark.parametrize(
    "body", [BODY, gzip.compress(BODY)[:-4], gzip.compress(BODY)[:15]], ids=["not packed", "cut off", "cut short"]
)
def test_what_cannot_be_unpacked(body):
    with pytest.raises(ValueError, match="cannot be unpacked"):
        unpack(body, "gzip", 100)
