"""Numbers are used once: whatever happens to a queue, a number whose publish was durable is never given again."""

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from forebay.msgstore import DiskFullError, QueueIndex
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE
from powerloss import PowerLossDisk
from queueindexes import entries, opened

FOLDER = "queues/q"


def test_number_is_not_given_again_after_its_message_came_and_went_before_a_checkpoint():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(10)))
        index.acknowledge(range(10))
        index.checkpoint()
    for _ in range(2):
        with opened(disk) as index:
            assert (index.next_seq, index.low_seq, len(index)) == (10, 10, 0)


def test_numbers_of_messages_that_are_not_persistent_are_not_given_again():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(10), persistent=False))
    with opened(disk) as index:
        assert index.next_seq == 10


def test_checkpoints_on_a_full_disk_leave_no_journals_behind():
    disk = PowerLossDisk()
    with opened(disk) as index:
        index.publish(entries(range(10)))
        index.checkpoint()
        disk.limit = disk.used() + FILE_HEAD_SIZE + HEAD_SIZE // 2
        before = disk.names(FOLDER)
        for _ in range(3):
            with pytest.raises(DiskFullError):
                index.checkpoint()
        assert disk.names(FOLDER) == before
        disk.limit = 1 << 30
        index.checkpoint()
    with opened(disk) as index:
        assert index.next_seq == 10


class Histories(RuleBasedStateMachine):
    """An index, and the lowest number that it may give next."""

    def __init__(self):
        super().__init__()
        self.disk = PowerLossDisk()
        self.index = QueueIndex(self.disk, FOLDER)
        self.durable = 0
        """Behind the highest number whose publish was made durable."""
        self.held = set()

    def teardown(self):
        self.index.close()

    @rule(count=st.integers(1, 12), persistent=st.booleans())
    def publish(self, count, persistent):
        seqs = range(self.index.next_seq, self.index.next_seq + count)
        assert not self.held & set(seqs)
        self.index.publish(entries(seqs, persistent=persistent))
        self.held.update(seqs)

    @rule(start=st.integers(0, 60), count=st.integers(1, 20))
    def acknowledge(self, start, count):
        self.index.acknowledge(range(start, start + count))
        self.held.difference_update(range(start, start + count))

    @rule()
    def acknowledge_newest(self):
        seqs = range(max(0, self.index.next_seq - 5), self.index.next_seq)
        self.index.acknowledge(seqs)
        self.held.difference_update(seqs)

    @rule()
    def sync(self):
        self.index.sync()
        self.durable = self.index.next_seq

    @rule()
    def write_unsynced(self):
        if taken := self.index.take():
            self.index.write(taken, sync=False)

    @rule()
    def checkpoint(self):
        self.index.checkpoint()
        self.durable = self.index.next_seq

    @rule(room=st.integers(0, 300))
    def checkpoint_on_a_full_disk(self, room):
        self.disk.limit = self.disk.used() + room
        try:
            self.checkpoint()
        except DiskFullError:
            pass
        finally:
            self.disk.limit = 1 << 40

    @rule()
    def restart(self):
        self.index.close()
        self.durable = max(self.durable, self.index.next_seq)
        self.start()

    @rule(seed=st.integers(0, 1 << 16))
    def lose_power(self, seed):
        """What was not synced is gone, or left torn or zeroed."""
        self.disk = self.disk.after_power_loss(random.Random(seed) if seed % 2 else None)
        self.start()

    @rule(seed=st.integers(0, 1 << 16), operations=st.integers(1, 12))
    def lose_power_in_a_checkpoint(self, seed, operations):
        self.disk.crash_at = self.disk.operations + operations
        try:
            self.checkpoint()
        except OSError:
            pass
        except Exception:
            if not self.disk.crashed:
                raise
        self.lose_power(seed)

    @rule(seed=st.integers(0, 1 << 16), operations=st.integers(1, 12))
    def lose_power_in_a_start(self, seed, operations):
        self.index.close()
        self.durable = max(self.durable, self.index.next_seq)
        self.disk.crash_at = self.disk.operations + operations
        try:
            self.index = QueueIndex(self.disk, FOLDER)
        except Exception:
            if not self.disk.crashed:
                raise
        self.lose_power(seed)

    def start(self):
        self.index = QueueIndex(self.disk, FOLDER)
        self.held = {entry.seq for entry in self.index.read(range(self.index.next_seq))}

    @invariant()
    def never_falls_back(self):
        assert self.index.next_seq >= self.durable


def test_next_number_never_falls_back(monkeypatch):
    monkeypatch.setattr("forebay.msgstore.segment.ENTRIES", 16)
    options = settings(max_examples=100, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(Histories, settings=options)
