"""Tables of remembered message-ids, as files."""

import os

import pytest

from forebay.outfeed.incoming.idtable import HEADER_OCTETS, IdTable, TableDamagedError, halves
from forebay.outfeed.token import message_key


def keys(count: int, seed: int = 0) -> list[tuple[int, int]]:
    return [halves(message_key(b"<%d.%d@forebay.example>" % (number, seed))) for number in range(count)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "day.ids"


def test_has_what_was_added_and_nothing_else(path):
    table = IdTable.create(path, 7, 1024)
    for key in keys(600):
        table.add(*key)
    assert all(table.has(*key) for key in keys(600))
    assert not any(table.has(*key) for key in keys(600, seed=1))
    table.close()


def test_keys_that_fall_on_one_slot_are_told_apart(path):
    table = IdTable.create(path, 7, 4)
    for second in range(3):
        table.add(3, second)
    assert [table.has(3, second) for second in range(4)] == [True, True, True, False]
    table.close()


def test_a_key_of_zeros_is_a_key(path):
    table = IdTable.create(path, 7, 4)
    assert not table.has(*halves(bytes(16)))
    table.add(*halves(bytes(16)))
    assert table.has(*halves(bytes(16)))
    table.close()


def test_is_there_again_when_opened(path):
    table = IdTable.create(path, 7, 1 << 16)
    for key in keys(30_000):
        table.add(*key)
    table.close()
    table = IdTable.open(path)
    assert (table.day, table.slots) == (7, 1 << 16)
    assert sorted(table.firsts()) == sorted(first for first, _ in keys(30_000))
    assert table.count == 30_000
    assert all(table.has(*key) for key in keys(30_000))
    table.close()


def test_room_shrinks_as_keys_are_added(path):
    table = IdTable.create(path, 7, 1024)
    assert (table.room(), table.room(brimful=True)) == (614, 921)
    table.add(1, 1)
    assert (table.room(), table.room(brimful=True)) == (613, 920)
    table.close()


def test_takes_its_space_on_disk_at_once(path):
    IdTable.create(path, 7, 1 << 12).close()
    assert path.stat().st_size == HEADER_OCTETS + (1 << 12) * 16
    assert path.stat().st_blocks * 512 >= path.stat().st_size


def test_sync_after_close_does_nothing(path):
    table = IdTable.create(path, 7, 4)
    table.sync()
    table.close()
    table.sync()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        pytest.param(lambda path: os.truncate(path, 10), "shorter than a header", id="cut short"),
        pytest.param(lambda path: os.truncate(path, 5000), "length does not fit", id="slots missing"),
        pytest.param(lambda path: overwrite(path, 0, bytes(64)), "header is damaged", id="zeros"),
        pytest.param(lambda path: overwrite(path, 16, b"\1"), "header is damaged", id="flipped"),
    ],
)
def test_a_damaged_file_is_refused(path, harm, told):
    IdTable.create(path, 7, 1024).close()
    harm(path)
    with pytest.raises(TableDamagedError, match=told):
        IdTable.open(path)


def overwrite(path, offset, octets):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(octets)
