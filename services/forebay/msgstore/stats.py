"""Figures of a message store, and of the index of a queue."""

from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class StoreStats:
    """What a store holds and what it has done since it was opened; sizes in octets."""

    messages: int = 0
    flying: int = 0
    """Octets of bodies submitted and not yet committed."""
    files: int = 0
    live_bytes: int = 0
    garbage_bytes: int = 0
    reads: int = 0
    """Messages read."""
    read_calls: int = 0
    """Reads of a file; neighbours share one."""
    read_bytes: int = 0
    cold_reads: int = 0
    """Messages that were not in the page cache."""
    writes: int = 0
    """Messages written."""
    written_bytes: int = 0
    cancelled: int = 0
    """Messages removed before they were stored."""
    syncs: int = 0
    sync_seconds: float = 0.0
    disk_full: int = 0
    """Batches refused for want of space."""
    gc_runs: int = 0
    gc_bytes: int = 0
    """Live octets copied."""
    gc_deleted_files: int = 0
    damaged: int = 0
    """Records set aside."""
    missing: int = 0
    """Messages an owner counts on that no file holds."""
    holds: frozenset[str] = field(default=frozenset())
    """Why no file may be deleted now."""

    def copy(self) -> "StoreStats":
        """The figures of this moment."""
        return replace(self)


@dataclass(slots=True)
class QueueIndexStats:
    """What an index has done since it was opened."""

    journal_writes: int = 0
    """Records written to the journal."""
    segment_writes: int = 0
    """Records written to segments."""
    segments_deleted: int = 0
    checkpoints: int = 0
    syncs: int = 0
    sync_seconds: float = 0.0
    damaged: int = 0
    """Entries set aside after the start, which has its own report."""
