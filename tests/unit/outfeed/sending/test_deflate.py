"""Compression: complete batches out, bounded reading in."""

import os
import zlib

import pytest

from forebay.outfeed.errors import CompressionError
from forebay.outfeed.sending.deflate import LARGEST, Deflate


def test_each_batch_can_be_read_as_soon_as_it_was_written():
    here, there = Deflate(), Deflate()
    for batch in ([b"CHECK <a@b>\r\n"], [b"x" * 100_000, memoryview(b"y")], [b"QUIT\r\n"]):
        assert there.unpack(here.pack(batch)) == b"".join(batch)


def test_what_repeats_over_batches_is_small():
    here = Deflate()
    text = os.urandom(1000)
    assert len(here.pack([text])) > 1000
    assert len(here.pack([text])) < 100


def test_what_is_not_compressed_is_told():
    with pytest.raises(CompressionError, match="not compressed"):
        Deflate().unpack(b"203 stream on\r\n" * 10)


def test_a_bomb_is_not_unpacked():
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(b"\0" * (LARGEST + 1)) + packer.flush()
    with pytest.raises(CompressionError, match="more at once than replies need"):
        Deflate().unpack(bomb)
