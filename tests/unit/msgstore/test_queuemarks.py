import pytest

from forebay.msgstore import DiskFullError
from forebay.msgstore.queuemarks import NAMES, QueueMarks
from powerloss import PowerLossDisk
from queueindexes import entries, opened


def test_value_never_goes_down():
    marks = QueueMarks()
    marks.set(b"a", 5)
    marks.set(b"a", 3)
    assert marks.values() == {b"a": 5}


def test_the_mark_not_set_for_longest_goes_first():
    marks = QueueMarks()
    for number in range(NAMES):
        marks.set(b"%d" % number, 1)
    marks.set(b"0", 2)
    marks.set(b"new", 1)
    assert len(marks.values()) == NAMES
    assert b"1" not in marks.values()
    assert b"0" in marks.values()


def test_marks_survive_checkpoints_and_power_loss():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.mark(b"a", 1)
        index.checkpoint()
        index.mark(b"b", 2)
        index.sync()
        index.mark(b"c", 3)
        with opened(disk.after_power_loss()) as again:
            assert again.marks() == {b"a": 1, b"b": 2}


def test_entries_behind_the_last_mark_are_told():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(3)))
        index.mark(b"a", 3)
        index.publish(entries(range(3, 5)))
        index.sync()
        with opened(disk.after_power_loss()) as again:
            assert again.behind_marks() == [range(3, 5)]


def test_what_was_taken_is_written_once_and_no_further_than_that():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(3)))
        taken = index.take()
        index.publish(entries(range(3, 5)))
        index.write(taken)
        index.write(taken)
        assert (index.stats.journal_writes, index.take().upto) == (3, 2)
        with opened(disk.after_power_loss()) as again:
            assert len(again) == 3


def test_what_was_taken_stays_good_after_a_full_disk():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(3)))
        taken = index.take()
        disk.limit = disk.used()
        with pytest.raises(DiskFullError):
            index.write(taken)
        disk.limit = 1 << 30
        index.write(taken)
        with opened(disk.after_power_loss()) as again:
            assert len(again) == 3


def test_what_a_checkpoint_covered_is_not_written_again():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(3)))
        taken = index.take()
        index.acknowledge(range(2))
        index.checkpoint()
        index.write(taken)
        with opened(disk.after_power_loss()) as again:
            assert len(again) == 1
