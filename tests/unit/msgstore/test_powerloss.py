import errno
import random

import pytest

from forebay.msgstore.disk import replace
from powerloss import PowerLoss, PowerLossDisk


def written(disk, name, *, sync=True, folder=True):
    file = disk.create(name)
    file.append([b"data"])
    if sync:
        file.datasync()
    if folder:
        disk.sync_folder()
    return file


def content(disk, name):
    return disk.open(name).pread(100, 0)


def test_synced_file_with_synced_name_is_kept():
    disk = PowerLossDisk()
    written(disk, "f")
    assert content(disk.after_power_loss(), "f") == b"data"


def test_name_that_was_not_synced_is_lost():
    disk = PowerLossDisk()
    written(disk, "f", folder=False)
    assert disk.after_power_loss().names() == []


def test_data_that_was_not_synced_is_lost():
    disk = PowerLossDisk()
    written(disk, "f", sync=False)
    assert content(disk.after_power_loss(), "f") == b""


def test_rename_and_unlink_come_back_until_the_folder_is_synced():
    disk = PowerLossDisk()
    written(disk, "a")
    written(disk, "b")
    disk.rename("a", "c")
    disk.unlink("b")
    assert disk.names() == ["c"]
    assert disk.after_power_loss().names() == ["a", "b"]


def test_by_chance_something_of_the_unsynced_is_left():
    def survivors(seed):
        disk = PowerLossDisk()
        file = written(disk, "f")
        file.append([b"more"])
        disk.create("g")
        after = disk.after_power_loss(random.Random(seed))
        return content(after, "f"), tuple(after.names())

    seen = {survivors(seed) for seed in range(200)}
    assert {(b"data", ("f",)), (b"datamore", ("f", "g"))} <= seen
    assert any(data.startswith(b"data\0") for data, _ in seen)
    assert all(data.startswith(b"data") for data, _ in seen)


def test_power_goes_at_the_chosen_operation_and_stays_away():
    disk = PowerLossDisk(crash_at=2)
    file = disk.create("f")
    with pytest.raises(PowerLoss):
        file.append([b"data"])
    with pytest.raises(PowerLoss):
        file.pread(1, 0)
    with pytest.raises(PowerLoss):
        disk.sync_folder()


def test_full_disk_says_so_and_keeps_nothing():
    disk = PowerLossDisk(limit=6)
    file = written(disk, "f")
    with pytest.raises(OSError, match="no space") as caught:
        file.append([b"more"])
    assert caught.value.errno == errno.ENOSPC
    assert (file.size(), disk.free_bytes()) == (4, 2)


def test_a_sync_fails_when_told():
    disk = PowerLossDisk()
    file = disk.create("f")
    disk.sync_errors = 1
    with pytest.raises(OSError, match="sync failed"):
        file.datasync()
    file.datasync()


@pytest.mark.parametrize("crash_at", range(1, 7))
def test_replace_leaves_the_old_or_the_new_content(crash_at):
    disk = PowerLossDisk()
    replace(disk, "f", b"old")
    disk.operations, disk.crash_at = 0, crash_at
    done = True
    try:
        replace(disk, "f", b"new")
    except PowerLoss:
        done = False
    for seed in range(20):
        found = content(disk.after_power_loss(random.Random(seed)), "f")
        assert found == b"new" if done else found in (b"old", b"new")
    assert done == (crash_at > 5)
