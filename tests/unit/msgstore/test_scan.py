import random

import pytest
from google_crc32c import extend

from forebay.msgstore.errors import FormatError
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE, Codec, FileHead, encode_file_head
from forebay.msgstore.scan import BLOCK, Scanner, guess_marker
from powerloss import PowerLossDisk

MARKER = b"\x01marker\xff"
CODEC = Codec(MARKER)


def record(number, body, codec=CODEC):
    return codec.head(number.to_bytes(16, "big"), (body,), len(body), number) + body


def make_file(*pieces):
    file = PowerLossDisk().create("f")
    file.append([encode_file_head(FileHead(1, MARKER)), *pieces])
    return file


def scanned(file):
    scanner = Scanner(file, CODEC)
    found = [(found.stamp, scanner.body(found)) for block in scanner.blocks() for found in block]
    return found, scanner.damages


def bodies(count, size=100):
    chance = random.Random(count)
    return [chance.randbytes(size) for _ in range(count)]


def records(parts):
    return [record(number, body) for number, body in enumerate(parts)]


def test_all_records_are_found_in_order():
    parts = bodies(50)
    assert scanned(make_file(*records(parts))) == (list(enumerate(parts)), [])


def test_empty_bodies_are_records_too():
    assert scanned(make_file(*records([b"", b"", b"x"]))) == ([(0, b""), (1, b""), (2, b"x")], [])


def test_records_that_cross_blocks_are_found():
    parts = bodies(30, BLOCK // 7)
    assert scanned(make_file(*records(parts))) == (list(enumerate(parts)), [])


def test_record_longer_than_a_block_is_found():
    parts = [b"a", bytes(3 * BLOCK), b"b"]
    assert scanned(make_file(*records(parts))) == (list(enumerate(parts)), [])


@pytest.mark.parametrize("at", [0, 7, 8, 12, 13, 17, 20, 27, 28, 43, 44, 100, 143])
def test_a_flipped_byte_costs_one_record(at):
    parts = bodies(5)
    pieces = records(parts)
    damaged = bytearray(pieces[2])
    damaged[at] ^= 1
    pieces[2] = bytes(damaged)
    found, damages = scanned(make_file(*pieces))
    assert found == [(n, parts[n]) for n in (0, 1, 3, 4)]
    assert [(d.offset, d.size, d.torn) for d in damages] == [(FILE_HEAD_SIZE + 2 * 144, 144, False)]


def test_damage_is_named_by_message_id_when_its_head_is_left():
    pieces = records(bodies(3))
    pieces[1] = pieces[1][:-1] + b"?"
    _, (damage,) = scanned(make_file(*pieces))
    assert damage.id == (1).to_bytes(16, "big").hex()


def test_neighbouring_damaged_records_are_named_each():
    pieces = records(bodies(4))
    pieces[1] = pieces[1][:-1] + b"?"
    pieces[2] = pieces[2][:-1] + b"?"
    found, damages = scanned(make_file(*pieces))
    assert [stamp for stamp, _ in found] == [0, 3]
    assert [int(damage.id, 16) for damage in damages] == [1, 2]


def test_hole_of_zeros_costs_what_it_covers():
    parts = bodies(6)
    data = bytearray(b"".join(records(parts)))
    data[144 + 50 : 3 * 144 + 10] = bytes(2 * 144 - 40)
    found, damages = scanned(make_file(data))
    assert [stamp for stamp, _ in found] == [0, 4, 5]
    assert sum(damage.size for damage in damages) == 3 * 144


def test_hole_longer_than_a_block_is_passed():
    found, damages = scanned(make_file(record(0, b"x"), bytes(2 * BLOCK + 5), record(1, b"y")))
    assert found == [(0, b"x"), (1, b"y")]
    assert [damage.size for damage in damages] == [2 * BLOCK + 5]


@pytest.mark.parametrize("left", [1, 20, HEAD_SIZE, HEAD_SIZE + 1, 143])
def test_torn_tail_costs_the_last_record(left):
    parts = bodies(3)
    pieces = records(parts)
    pieces[2] = pieces[2][:left]
    found, (damage,) = scanned(make_file(*pieces))
    assert found == list(enumerate(parts[:2]))
    assert (damage.size, damage.torn) == (left, True)


def test_wrong_length_does_not_swallow_the_neighbours():
    pieces = records(bodies(4))
    damaged = bytearray(pieces[1])
    damaged[16:20] = (300).to_bytes(4, "big")
    pieces[1] = bytes(damaged)
    found, damages = scanned(make_file(*pieces))
    assert [stamp for stamp, _ in found] == [0, 2, 3]
    assert len(damages) == 1


def test_body_that_looks_like_records_is_not_taken_for_some():
    other = Codec(b"othermrk")
    lookalike = b"".join(record(100 + n, b"fake", other) for n in range(20))
    outer = bytearray(record(1, lookalike))
    outer[20] ^= 1
    found, (damage,) = scanned(make_file(record(0, b"x"), outer, record(2, b"y")))
    assert found == [(0, b"x"), (2, b"y")]
    assert damage.size == len(outer)


def test_any_damage_costs_only_what_it_touches():
    parts = bodies(20, 60)
    clean = b"".join(records(parts))
    size = 60 + HEAD_SIZE
    for seed in range(200):
        chance = random.Random(seed)
        data = bytearray(clean)
        start = chance.randrange(len(data))
        stop = min(len(data), start + chance.choice([1, 8, 50, 200]))
        data[start:stop] = chance.choice([bytes(stop - start), chance.randbytes(stop - start)])
        touched = {n for n in range(20) if data[n * size : n * size + size] != clean[n * size : n * size + size]}
        found, _ = scanned(make_file(data))
        assert found == [(n, parts[n]) for n in range(20) if n not in touched], seed


class BadBlocks:
    """A file whose disk fails to read some octets."""

    def __init__(self, file, bad):
        self._file, self._bad = file, bad

    def __getattr__(self, name):
        return getattr(self._file, name)

    def pread(self, size, offset):
        if any(offset <= bad < offset + size for bad in self._bad):
            raise OSError(5, "bad block")
        return self._file.pread(size, offset)


def test_bad_block_costs_the_records_in_its_page():
    parts = bodies(300)
    file = BadBlocks(make_file(*records(parts)), {FILE_HEAD_SIZE + 5000})
    found, damages = scanned(file)
    lost = {n for n in range(300) if n * 144 < 8192 and (n + 1) * 144 > 4096}
    assert [stamp for stamp, _ in found] == [n for n in range(300) if n not in lost]
    assert damages


def test_record_of_a_newer_version_is_refused():
    head = bytearray(record(0, b""))
    head[12] = 2
    head[8:12] = extend(CODEC.start, bytes(head[12:])).to_bytes(4, "big")
    with pytest.raises(FormatError, match="records of version 2"):
        scanned(make_file(head))


def test_marker_is_guessed_from_a_whole_first_record():
    assert guess_marker(make_file(record(0, b"x"))) == MARKER


@pytest.mark.parametrize("pieces", [(), (b"12345678" * 10,)], ids=["empty", "no record"])
def test_no_marker_is_guessed_without_a_record(pieces):
    assert guess_marker(make_file(*pieces)) is None


def test_pause_is_called_between_blocks():
    pauses = []
    scanner = Scanner(make_file(*records(bodies(5, BLOCK // 2))), CODEC)
    blocks = list(scanner.blocks(lambda: pauses.append(1)))
    assert len(pauses) == len(blocks) > 1
