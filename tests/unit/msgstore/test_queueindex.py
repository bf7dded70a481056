import random

import pytest
from google_crc32c import value

from forebay.msgstore import DiskFullError, FormatError, QueueIndex, StoreFailedError
from forebay.msgstore.queueindex import JOURNAL_LIMIT
from forebay.msgstore.record import FILE_HEAD_SIZE, HEAD_SIZE
from forebay.msgstore.segment import ENTRIES
from powerloss import PowerLossDisk, PowerLossFile
from queueindexes import entries, entry, everything, opened, seqs

FOLDER = "queues/q"


@pytest.fixture
def disk():
    return PowerLossDisk()


@pytest.fixture
def index(disk):
    with opened(disk) as index:
        yield index


def files(disk, kind):
    return [name for name in disk.names(FOLDER) if name.endswith(kind)]


def test_new_index_is_empty(index):
    assert (len(index), index.next_seq, index.low_seq, everything(index)) == (0, 0, 0, [])


def test_published_entries_are_read_before_and_after_a_checkpoint(index):
    index.publish(entries(range(10)))
    assert everything(index) == entries(range(10))
    index.checkpoint()
    assert everything(index) == entries(range(10))
    assert (len(index), index.next_seq) == (10, 10)


def test_acknowledged_entries_are_gone(index):
    index.publish(entries(range(10)))
    index.acknowledge(range(2, 5))
    index.checkpoint()
    index.acknowledge(range(8, 10))
    assert seqs(index) == [0, 1, 5, 6, 7]
    index.checkpoint()
    assert seqs(index) == [0, 1, 5, 6, 7]


def test_acknowledging_twice_counts_once(index):
    index.publish(entries(range(4)))
    index.acknowledge(range(3))
    index.acknowledge(range(1, 2))
    assert len(index) == 1


def test_acknowledging_what_was_never_published_changes_nothing(disk, index):
    index.publish(entries(range(4)))
    index.deliver(range(2, ENTRIES * 3), 1)
    index.acknowledge(range(2, ENTRIES * 3))
    assert (len(index), index.low_seq) == (2, 0)
    index.sync()
    with opened(disk.after_power_loss()) as again:
        assert seqs(again) == [0, 1]
        assert again.next_seq == 4


def test_deliveries_are_counted(index):
    index.publish(entries(range(6)))
    index.deliver(range(4), 1)
    index.checkpoint()
    index.deliver(range(2, 3), 2)
    assert [entry.deliveries for entry in everything(index)] == [1, 1, 2, 1, 0, 0]
    index.checkpoint()
    assert [entry.deliveries for entry in everything(index)] == [1, 1, 2, 1, 0, 0]


def test_ranges_may_cross_segments(index):
    around = range(ENTRIES - 5, ENTRIES + 5)
    index.publish(entries(range(ENTRIES + 10)))
    index.deliver(around, 1)
    assert [entry.deliveries for entry in index.read(around)] == [1] * 10
    index.acknowledge(around)
    assert index.read(around) == []
    assert len(index) == ENTRIES


def test_whole_acknowledged_segment_is_deleted_unread(disk, index, monkeypatch):
    index.publish(entries(range(ENTRIES + 10)))
    index.checkpoint()
    assert len(files(disk, "segment")) == 2
    index.acknowledge(range(ENTRIES))
    monkeypatch.delattr(PowerLossFile, "pread")
    index.checkpoint()
    assert files(disk, "segment") == ["0000000001.segment"]
    assert index.stats.segments_deleted == 1


def test_entries_that_came_and_went_between_checkpoints_never_reach_a_segment(disk, index):
    index.publish(entries(range(100)))
    index.deliver(range(100), 1)
    index.acknowledge(range(100))
    index.checkpoint()
    assert files(disk, "segment") == []
    assert index.stats.segment_writes == 0


def test_segment_may_fill_again_after_it_was_deleted(index):
    index.publish(entries(range(5)))
    index.checkpoint()
    index.acknowledge(range(5))
    index.checkpoint()
    index.publish(entries(range(5, 8)))
    index.checkpoint()
    assert seqs(index) == [5, 6, 7]


def test_checkpoint_is_due_when_the_journal_is_long(index):
    index.publish(entries(range(JOURNAL_LIMIT - 1)))
    assert not index.checkpoint_due
    index.deliver(range(1), 1)
    assert index.checkpoint_due
    index.checkpoint()
    assert not index.checkpoint_due


def test_journal_is_short_after_a_checkpoint(disk, index):
    index.publish(entries(range(100)))
    index.sync()
    index.checkpoint()
    (journal,) = files(disk, "journal")
    assert len(disk.contents(f"{FOLDER}/{journal}")) == FILE_HEAD_SIZE + HEAD_SIZE


def test_synced_journal_is_enough(disk, index):
    index.publish(entries(range(10)))
    index.deliver(range(3), 1)
    index.acknowledge(range(1, 2))
    index.sync()
    index.publish(entries(range(10, 20)))
    with opened(disk.after_power_loss()) as again:
        assert seqs(again) == [0, 2, *range(3, 10)]
        assert [entry.deliveries for entry in everything(again)][:3] == [1, 1, 0]
        assert again.next_seq == 10


def test_clean_restart_keeps_all(disk):
    with opened(disk) as index:
        index.publish(entries(range(100)))
        index.acknowledge(range(10, 20))
        index.deliver(range(30, 40), 2)
        before = everything(index)
    with opened(disk) as index:
        assert everything(index) == before
        assert (index.next_seq, index.report.damaged, index.report.messages) == (100, 0, 90)


def test_entries_that_are_not_persistent_are_forgotten_at_the_start(disk):
    with opened(disk) as index:
        index.publish([entry(0), entry(1, persistent=False), entry(2)])
    with opened(disk) as index:
        index.publish([entry(3, persistent=False)])
        index.sync()
        assert seqs(index) == [0, 2, 3]
    with opened(disk) as index:
        assert seqs(index) == [0, 2]


def test_references_are_those_of_entries_that_are_stored_elsewhere(index):
    index.publish([entry(0), entry(1, embedded=False), entry(2, embedded=False), entry(3, embedded=False)])
    index.acknowledge(range(2, 3))
    assert list(index.references()) == [(entry(1).id, 1), (entry(3).id, 1)]


def test_erased_index_leaves_nothing(disk, index):
    index.publish(entries(range(10)))
    index.checkpoint()
    index.erase()
    assert not disk.exists(FOLDER)


def test_full_disk_leaves_what_happened_for_the_next_sync(disk, index):
    disk.limit = disk.used() + 50
    index.publish(entries(range(10)))
    with pytest.raises(DiskFullError, match="queues/q"):
        index.sync()
    disk.limit = 1 << 30
    index.sync()
    with opened(disk.after_power_loss()) as again:
        assert seqs(again) == list(range(10))


@pytest.fixture
def full(disk, index):
    """A disk on which a checkpoint has just found no room."""
    index.publish(entries(range(10)))
    index.sync()
    index.acknowledge(range(3))
    disk.limit = disk.used() + 50
    with pytest.raises(DiskFullError):
        index.checkpoint()
    return disk


def test_full_disk_at_a_checkpoint_changes_nothing_in_memory(full, index):
    assert seqs(index) == list(range(3, 10))


def test_index_opens_on_a_full_disk(full):
    with opened(full.after_power_loss()) as again:
        assert seqs(again) == list(range(10))


def test_checkpoint_works_once_there_is_room_again(full, index):
    full.limit = 1 << 30
    index.checkpoint()
    with opened(full.after_power_loss()) as again:
        assert seqs(again) == list(range(3, 10))


@pytest.mark.parametrize("step", ["sync", "checkpoint"])
def test_failed_sync_is_final(disk, index, step):
    index.publish(entries(range(10)))
    disk.sync_errors = 1
    with pytest.raises(StoreFailedError):
        getattr(index, step)()
    with pytest.raises(StoreFailedError):
        index.sync()
    with pytest.raises(StoreFailedError):
        index.checkpoint()


def test_what_only_the_page_cache_held_is_synced_before_the_journal_goes(disk, index):
    index.publish(entries(range(10)))
    index.sync()
    disk.sync_errors = 1
    with pytest.raises(StoreFailedError):
        index.checkpoint()
    with opened(disk) as after_a_kill:
        assert seqs(after_a_kill) == list(range(10))
    with opened(disk.after_power_loss()) as again:
        assert seqs(again) == list(range(10))


def test_what_happens_during_a_checkpoint_is_kept(disk, index, monkeypatch):
    index.publish(entries(range(10)))
    index.checkpoint()
    index.publish(entries(range(10, 20)))
    real = PowerLossFile.append

    def append(file, buffers):
        if file.name.endswith("segment") and index.next_seq == 20:
            index.publish(entries(range(20, 25)))
            index.acknowledge(range(5, 15))
            index.deliver(range(15, 20), 1)
        return real(file, buffers)

    monkeypatch.setattr(PowerLossFile, "append", append)
    index.checkpoint()
    expected = [0, 1, 2, 3, 4, *range(15, 25)]
    assert seqs(index) == expected
    index.sync()
    with opened(disk.after_power_loss()) as again:
        assert seqs(again) == expected
        assert [entry.deliveries for entry in again.read(range(15, 25))] == [1] * 5 + [0] * 5


def segment_of(disk):
    return disk.contents(f"{FOLDER}/0000000000.segment")


@pytest.mark.parametrize("at", [0, 9, 30, 50])
def test_flipped_byte_costs_one_entry(disk, at):
    with opened(disk) as index:
        index.publish(entries(range(10)))
    size = HEAD_SIZE + 16 + 6
    segment_of(disk)[FILE_HEAD_SIZE + 4 * size + at] ^= 1
    with opened(disk) as index:
        assert seqs(index) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
        assert (index.report.damaged, index.report.damages[0].file) == (1, f"{FOLDER}/0000000000.segment")


def test_damage_found_while_reading_is_set_aside_and_counted(disk, index, caplog):
    index.publish(entries(range(10)))
    index.checkpoint()
    segment_of(disk)[FILE_HEAD_SIZE + 50] ^= 1
    assert seqs(index) == list(range(1, 10))
    assert (len(index), index.stats.damaged) == (9, 1)
    assert "entry 0 of queues/q is damaged" in caplog.text


def test_damaged_head_costs_nothing(disk):
    with opened(disk) as index:
        index.publish(entries(range(10)))
    for name in disk.names(FOLDER):
        disk.contents(f"{FOLDER}/{name}")[5] ^= 1
    with opened(disk) as index:
        assert seqs(index) == list(range(10))


def test_torn_journal_costs_its_last_record(disk, index):
    index.publish(entries(range(10)))
    index.sync()
    (journal,) = files(disk, "journal")
    del disk.contents(f"{FOLDER}/{journal}")[-3:]
    with opened(disk) as again:
        assert seqs(again) == list(range(9))
        assert (again.report.damaged, again.report.torn) == (0, 1)


def test_newer_format_is_refused(disk):
    with opened(disk) as index:
        index.publish(entries(range(10)))
    head = segment_of(disk)
    head[9] = 2
    head[FILE_HEAD_SIZE - 4 : FILE_HEAD_SIZE] = value(bytes(head[: FILE_HEAD_SIZE - 4])).to_bytes(4, "big")
    with pytest.raises(FormatError, match="upgrade"):
        QueueIndex(disk, FOLDER)


def test_embedded_body_that_looks_like_records_is_none(disk):
    with opened(disk) as source:
        source.publish(entries(range(100, 110)))
    image = bytes(segment_of(disk))
    target = PowerLossDisk()
    with opened(target) as index:
        index.publish([entry(0)._replace(body=image), entry(1)])
    segment_of(target)[FILE_HEAD_SIZE + 20] ^= 1
    with opened(target) as index:
        assert seqs(index) == [1]


class Confirmed:
    """What a queue's owner was told."""

    def __init__(self):
        self.published = set()
        self.touched = set()
        self.acknowledged = set()

    def run(self, index):
        """Publish, acknowledge and sync at random, with checkpoints, until the end or the power's."""
        chance = random.Random(1)
        for step in range(24):
            first = index.next_seq
            fresh = range(first, first + 9)
            index.publish(entries(fresh))
            start = chance.randrange(first + 9)
            done = range(start, min(start + 7, first + 9))
            index.deliver(done, 1)
            index.acknowledge(done)
            self.touched.update(done)
            if step % 4 == 3:
                index.checkpoint()
            else:
                index.sync()
            self.published.update(fresh)
            self.acknowledged = set(self.touched)


def test_power_loss_at_every_operation(monkeypatch):
    monkeypatch.setattr("forebay.msgstore.segment.ENTRIES", 64)

    def run(crash_at):
        disk, confirmed = PowerLossDisk(crash_at=crash_at), Confirmed()
        try:
            with opened(disk) as index:
                confirmed.run(index)
        except (OSError, StoreFailedError):
            pass
        return disk, confirmed

    whole, _ = run(None)
    for crash_at in range(1, whole.operations + 1):
        disk, confirmed = run(crash_at)
        for seed in (None, 1, 2, 3):
            after = disk.after_power_loss(random.Random(seed) if seed else None)
            for _ in range(2):
                with opened(after) as index:
                    found = everything(index)
                there = {entry.seq for entry in found}
                assert confirmed.published - confirmed.touched <= there
                assert not there & confirmed.acknowledged
                assert found == [entry(item.seq)._replace(deliveries=item.deliveries) for item in found]


def test_any_history_reads_as_a_model_says(disk):
    """Random publishes, deliveries, acknowledgements, checkpoints and restarts against a dictionary."""
    chance = random.Random(7)
    index, model, next_seq = QueueIndex(disk, FOLDER), {}, 0
    for _ in range(400):
        action = chance.choice(["publish", "publish", "deliver", "acknowledge", "sync", "checkpoint", "restart"])
        start = chance.randrange(next_seq + 1)
        some = range(start, min(start + chance.randrange(1, 60), next_seq))
        if action == "publish":
            fresh = entries(range(next_seq, next_seq + chance.randrange(1, 40)))
            index.publish(fresh)
            next_seq += len(fresh)
            model |= {entry.seq: entry for entry in fresh}
        elif action == "deliver":
            times = max((model[seq].deliveries for seq in some if seq in model), default=0) + 1
            index.deliver(some, times)
            model |= {seq: model[seq]._replace(deliveries=times) for seq in some if seq in model}
        elif action == "acknowledge":
            index.acknowledge(some)
            for seq in some:
                model.pop(seq, None)
        elif action == "restart":
            index.close()
            index = QueueIndex(disk, FOLDER)
            next_seq = max(index.next_seq, 0)
        else:
            getattr(index, action)()
        assert index.read(range(next_seq)) == [model[seq] for seq in sorted(model)]
        assert len(index) == len(model)
    index.close()
