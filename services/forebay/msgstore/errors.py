"""What can go wrong in the message store.

MessageStoreError
├── DiskFullError        no room for this batch; nothing of it was kept; try again later
├── StoreFailedError     the disk failed a write or a sync; fatal: restart, so that recovery reads what is there
├── StoreClosedError     the store or its committer was closed
├── MessageTooLargeError longer than a record can say
├── SnapshotError        an index snapshot is damaged or of another version
└── FormatError          a file is not of a format this release reads
"""


class MessageStoreError(Exception):
    """Base of all errors of this package."""


class DiskFullError(MessageStoreError):
    """The disk, or what is left of it above the reserve, has no room for this batch: free space or raise the size."""


class StoreFailedError(MessageStoreError):
    """The disk failed a write or a sync, so what is on it is unknown: restart the process after checking the disk."""


class StoreClosedError(MessageStoreError):
    """It was closed before: open it again."""


class MessageTooLargeError(MessageStoreError):
    """A body is longer than a record's length field can say: split it."""


class SnapshotError(MessageStoreError):
    """An index snapshot can't be used: the store does without, and reads every message file instead."""


class FormatError(MessageStoreError):
    """A file was written by a newer release, or is no file of ours: upgrade, or move it out of the folder."""
