"""What can have happened to the download of a client that `forebay announcer announce` stands for."""

from enum import StrEnum


class ClientEvent(StrEnum):
    """Names of the events of the protocol."""

    NONE = "none"
    STARTED = "started"
    STOPPED = "stopped"
    COMPLETED = "completed"
    PAUSED = "paused"
