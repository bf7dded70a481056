"""What can go wrong in store.

StoreError
├── UnknownDeliveryError   a consumer settles deliveries that are not outstanding
├── DeposedError           this pod is primary no more
└── BackingError           a backing queue was asked for what it cannot do; the queue above it has a fault
    ├── UnknownSpanError   messages were settled that nobody holds
    └── BrokenQueueError   an invariant of a queue does not hold
"""


class StoreError(Exception):
    """Base of all errors of store."""


class UnknownDeliveryError(StoreError):
    """A consumer settles deliveries that it never had, or has settled before; or none."""

    def __init__(self, first: int, count: int) -> None:
        super().__init__(f"{count} deliveries from {first} on are not all outstanding: settle each delivery once")


class DeposedError(StoreError):
    """This pod is primary no more, or cannot be sure of it: it must confirm nothing."""


class BackingError(StoreError):
    """A backing queue was asked for what it cannot do; its queue process starts again from what is on disk."""


class UnknownSpanError(BackingError):
    """Messages were settled that nobody holds: they never were, or were settled before."""


class BrokenQueueError(BackingError):
    """An invariant of a queue does not hold: this is a fault of the program, the message says which it is."""
