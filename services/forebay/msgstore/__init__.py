"""One body, many queues: a reference-counted message store, and the indexes of the queues that share it."""

from forebay.msgstore.committer import Committer
from forebay.msgstore.disk import Buffer, Disk, File, RealDisk, replace
from forebay.msgstore.diskindex import DiskIndex
from forebay.msgstore.entrybatch import EntryBatch
from forebay.msgstore.errors import (
    DiskFullError,
    FormatError,
    MessageStoreError,
    MessageTooLargeError,
    StoreClosedError,
    StoreFailedError,
)
from forebay.msgstore.flights import Put
from forebay.msgstore.index import MessageIndex
from forebay.msgstore.journalbuffer import Taken
from forebay.msgstore.queueindex import QueueIndex
from forebay.msgstore.queuerecord import QueueEntry, embeds
from forebay.msgstore.reader import COLD, Body
from forebay.msgstore.report import RecoveryReport
from forebay.msgstore.scan import Damage
from forebay.msgstore.settings import StoreSettings
from forebay.msgstore.slabindex import SlabIndex
from forebay.msgstore.stats import StoreStats
from forebay.msgstore.store import MessageStore

__all__ = [
    "COLD",
    "Body",
    "Buffer",
    "Committer",
    "Damage",
    "Disk",
    "DiskFullError",
    "DiskIndex",
    "EntryBatch",
    "File",
    "FormatError",
    "MessageIndex",
    "MessageStore",
    "MessageStoreError",
    "MessageTooLargeError",
    "Put",
    "QueueEntry",
    "QueueIndex",
    "RealDisk",
    "RecoveryReport",
    "SlabIndex",
    "StoreClosedError",
    "StoreFailedError",
    "StoreSettings",
    "StoreStats",
    "Taken",
    "embeds",
    "replace",
]
