"""Queue indexes under test."""

from contextlib import contextmanager, suppress

from forebay.msgstore import Disk, MessageStoreError, QueueEntry, QueueIndex


def entry(seq, *, embedded=True, persistent=True):
    body = b"body %d" % seq if embedded else None
    return QueueEntry(seq, seq.to_bytes(16, "big"), 10, seq * 3, persistent, body)


def entries(seqs, **options):
    return [entry(seq, **options) for seq in seqs]


@contextmanager
def opened(disk: Disk, folder="queues/q"):
    """An index that is closed at the end, whatever its disk did to it."""
    index = QueueIndex(disk, folder)
    try:
        yield index
    finally:
        with suppress(OSError, MessageStoreError):
            index.close()


def everything(index):
    return index.read(range(index.low_seq, index.next_seq))


def seqs(index):
    return [entry.seq for entry in everything(index)]
