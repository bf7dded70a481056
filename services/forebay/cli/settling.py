"""What can become of a message that `forebay store consume` has printed."""

from enum import StrEnum


class Ending(StrEnum):
    """What becomes of it."""

    ACK = "ack"
    REJECT = "reject"
    REQUEUE = "requeue"
