"""What the options of `forebay conduit` may be."""

from enum import StrEnum


class CongestionChoice(StrEnum):
    """What becomes of samples that the window has no room for."""

    BLOCK = "block"
    DROP = "drop"
    ERROR = "error"
    SPILL = "spill"


class SlowChoice(StrEnum):
    """What becomes of samples that are not read soon enough."""

    DROP = "drop"
    HOLD = "hold"
    END = "end"


class ModeChoice(StrEnum):
    """How samples come."""

    PUSH = "push"
    PULL = "pull"


class KindChoice(StrEnum):
    """Kinds of declarations."""

    RESOURCE = "resource"
    PUBLISHER = "publisher"
    SUBSCRIBER = "subscriber"
    SELECTION = "selection"
    LIVELINESS = "liveliness"
