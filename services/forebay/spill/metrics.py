"""Counters of a spill client, as plain numbers that only grow."""

from dataclasses import dataclass


@dataclass(slots=True)
class SpillMetrics:
    """What was done since the start; the service exports these."""

    appended: int = 0
    """Entries taken into backlog, deferred or dead letters."""
    appended_bytes: int = 0
    read: int = 0
    """Entries read from R, repeats included."""
    acked: int = 0
    """Entries the checkpoint has passed."""
    deferred: int = 0
    """Entries moved from R to D."""
    dead_lettered: int = 0
    """Entries moved from R to the dead letters."""
    replayed: int = 0
    """Dead letters moved back into a backlog."""
    dropped_bytes: int = 0
    """Entries dropped for the limit on octets."""
    dropped_age: int = 0
    """Entries dropped for the limit on age."""
    batches: int = 0
    """Pipelines sent."""
    script_seconds: float = 0.0
    """Time spent waiting for answers to them."""
    reconnects: int = 0
    """Connections made after the first."""
    leases_lost: int = 0
