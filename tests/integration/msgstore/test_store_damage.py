"""Damaged files: the damaged record alone is set aside, counted and named; all else is served."""

import logging

import pytest
from google_crc32c import value

from forebay.msgstore import FormatError, Put, RealDisk, StoreSettings
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE
from messagestores import SMALL, abandon, body, collected, ids, lost, message_id, opened, puts
from powerloss import PowerLossDisk

RECORD = 200 + HEAD_SIZE
PER_FILE = -(-(SMALL.file_size - FILE_HEAD_SIZE) // RECORD)
"""Messages in a full file."""

COUNT = 3 * PER_FILE


@pytest.fixture
async def disk():
    """A disk with three full files, and no snapshot."""
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(COUNT)))
        abandon(store)
    return disk


def name(number):
    return f"persistent/{number:010d}.messages"


def reopen(disk, kept):
    """Lose all but these messages at the next start; returns its report."""
    with opened(disk) as store:
        owned = [(message_id(n), 1) for n in range(COUNT)]
        missing = store.recount(owned)
        assert lost(store, kept) == []
        assert missing == [message_id(n) for n in range(COUNT) if n not in set(kept)]
        return store.report


def test_undamaged_files_are_served_whole(disk):
    report = reopen(disk, range(COUNT))
    assert (report.damaged, report.torn, report.messages) == (0, 0, COUNT)


@pytest.mark.parametrize("at", [0, 10, 30, 100])
def test_flipped_byte_costs_one_message_and_is_named(disk, at):
    disk.contents(name(2))[FILE_HEAD_SIZE + 3 * RECORD + at] ^= 4
    victim = PER_FILE + 3
    report = reopen(disk, [n for n in range(COUNT) if n != victim])
    assert (report.damaged, report.torn) == (1, 0)
    assert report.damages[0].file == name(2)
    if at == 100:
        assert report.damages[0].id == message_id(victim).hex()


def test_torn_tail_costs_the_last_message(disk):
    del disk.contents(name(3))[-50:]
    report = reopen(disk, range(COUNT - 1))
    assert (report.damaged, report.torn) == (0, 1)


def test_hole_of_zeros_costs_what_it_covers(disk):
    start = FILE_HEAD_SIZE + 2 * RECORD + 50
    disk.contents(name(1))[start : start + 2 * RECORD] = bytes(2 * RECORD)
    reopen(disk, [n for n in range(COUNT) if n not in (2, 3, 4)])


def test_deleted_file_costs_its_messages(disk):
    disk.unlink(name(2))
    reopen(disk, [n for n in range(COUNT) if n // PER_FILE != 1])


async def test_deleted_file_is_named_after_a_clean_stop(disk):
    with opened(disk) as store:
        store.recount((id, 1) for id in ids(range(COUNT)))
    disk.unlink(name(2))
    report = reopen(disk, [n for n in range(COUNT) if n // PER_FILE != 1])
    assert report.missing_files == [name(2)]
    assert not report.clean


@pytest.mark.parametrize("files", [[2], [1, 2, 3]], ids=["one", "all"])
def test_damaged_file_head_costs_no_message(disk, files):
    for number in files:
        disk.contents(name(number))[3] ^= 1
    report = reopen(disk, range(COUNT))
    assert report.damaged == len(files)


def test_empty_file_as_a_crash_leaves_it_is_no_damage(disk):
    disk.create(name(9))
    report = reopen(disk, range(COUNT))
    assert report.damaged == 0


async def test_damage_in_a_snapshot_makes_a_full_start(disk, snapshot):
    with opened(disk) as store:
        store.recount((id, 1) for id in ids(range(COUNT)))
    clean = bytes(disk.contents(snapshot))
    for at in range(0, len(clean), 7):
        copy = disk.after_power_loss()
        copy.contents(snapshot)[at] ^= 1
        with opened(copy) as store:
            assert not store.report.clean
            assert lost(store, range(COUNT)) == []


async def test_short_snapshot_makes_a_full_start(disk, snapshot):
    with opened(disk) as store:
        store.recount((id, 1) for id in ids(range(COUNT)))
    whole = len(disk.contents(snapshot))
    for size in (0, 10, 40, whole // 2, whole - 1):
        copy = disk.after_power_loss()
        del copy.contents(snapshot)[size:]
        with opened(copy) as store:
            assert not store.report.clean
            assert lost(store, range(COUNT)) == []


def test_files_of_a_newer_release_are_refused(disk):
    head = disk.contents(name(1))
    head[9] = 9
    head[FILE_HEAD_SIZE - 4 : FILE_HEAD_SIZE] = value(bytes(head[: FILE_HEAD_SIZE - 4])).to_bytes(4, "big")
    with pytest.raises(FormatError, match="upgrade"), opened(disk):
        pass


async def test_bodies_that_look_like_records_never_become_messages():
    """Whole store files come in as messages, and the records around them are damaged."""
    source = PowerLossDisk()
    with opened(source) as store:
        await store.put(puts(range(1000, 1040)))
    images = [bytes(source.contents(f"persistent/{n}")) for n in source.names("persistent") if "messages" in n]
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put([Put(message_id(n), (image,)) for n, image in enumerate(images)])
        abandon(store)
    for file in disk.names("persistent"):
        disk.contents(f"persistent/{file}")[FILE_HEAD_SIZE + 20] ^= 1
    with opened(disk) as store:
        found = store.report.messages
        assert found < len(images)
        assert store.read(ids(range(1000, 1040))) == [None] * 40


async def test_damage_found_while_reading_is_set_aside_counted_and_logged(caplog):
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(10)))
        disk.contents(name(1))[FILE_HEAD_SIZE + 4 * RECORD + 99] ^= 1
        with caplog.at_level(logging.ERROR):
            assert store.read(ids(range(10))) == [None if n == 4 else body(n) for n in range(10)]
        assert message_id(4).hex() in caplog.text
        assert (store.stats.damaged, store.stats.messages) == (1, 9)
        await store.put(puts([4]))
        assert lost(store, range(10)) == []


async def test_whole_record_of_another_message_is_damage():
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(10)))
        data = disk.contents(name(1))
        third, fourth = (slice(FILE_HEAD_SIZE + n * RECORD, FILE_HEAD_SIZE + (n + 1) * RECORD) for n in (3, 4))
        data[third], data[fourth] = data[fourth], data[third]
        assert store.read(ids(range(10))) == [None if n in (3, 4) else body(n) for n in range(10)]


async def test_octets_read_before_do_not_stand_for_those_that_are_gone():
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(10)))
        assert lost(store, range(10)) == []
        del disk.contents(name(1))[-RECORD - 20 :]
        assert lost(store, range(10)) == [8, 9]


async def test_file_that_vanished_under_a_running_store_costs_its_messages(tmp_path):
    disk = RealDisk(tmp_path)
    with opened(disk, StoreSettings(file_size=4096, reserve=0, open_files=1)) as store:
        await store.put(puts(range(COUNT)))
        disk.unlink(name(1))
        assert lost(store, range(COUNT)) == list(range(PER_FILE))
        assert store.stats.damaged == PER_FILE


async def test_garbage_collection_leaves_damage_behind_and_says_so():
    disk = PowerLossDisk()
    with opened(disk) as store:
        await store.put(puts(range(COUNT + 1)))
        disk.contents(name(1))[FILE_HEAD_SIZE + 8 * RECORD + 99] ^= 1
        store.remove(ids(n for n in range(COUNT) if n % 4))
        await collected(store)
        assert lost(store, range(0, COUNT, 4)) == [8]
        assert store.stats.damaged == 1
