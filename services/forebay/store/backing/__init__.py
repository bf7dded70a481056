"""Backing queues: the messages of a queue in order, in memory and on disk, ready or held by somebody."""

from forebay.store.backing.protocol import BackingQueue, Batch, Bodies, Browsed, Insides
from forebay.store.backing.registry import Site, open_queue
from forebay.store.backing.run import Arrival, Run, Span, spans_of

__all__ = [
    "Arrival",
    "BackingQueue",
    "Batch",
    "Bodies",
    "Browsed",
    "Insides",
    "Run",
    "Site",
    "Span",
    "open_queue",
    "spans_of",
]
