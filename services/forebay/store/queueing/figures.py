"""What a store counts, beside its queues."""

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.msgstore import StoreStats
from forebay.pb.store.v1 import store_pb2 as pb


@dataclass(frozen=True)
class Figures:
    """All of one moment."""

    persistent: StoreStats
    transient: StoreStats
    index_writes: int
    """Writes of queue indexes."""
    index_syncs: int
    index_sync_seconds: float
    unconfirmed: int
    """Messages whose outcome is not known yet."""
    disk_free: int
    """Octets."""
    disk_limit: int
    """Octets of it below which an alarm is raised."""
    memory: int
    """Octets of messages in memory."""
    memory_limit: int
    """Octets of them above which an alarm is raised."""
    alarms: Sequence[pb.Alarm]
