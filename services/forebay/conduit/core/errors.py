"""What a caller of a node may be told.

ConduitError
├── SettingError          a setting cannot be used
├── InvalidUriError       a URI or pattern breaks a rule
├── NotAgreedError        a peer knows nothing of what was asked for
├── SampleTooLargeError   a sample exceeds what a datagram or the window can hold
├── WindowFullError       a publisher whose congestion is `error` found the window full
├── TooManyQueriesError   as many queries wait for answers as may
├── UnknownPublisherError no publisher has that number
├── UnknownDeclarationError no resource, subscriber or selection has that number
└── UnknownPeerError      there is no session with that peer
"""


class ConduitError(Exception):
    """Base of all errors of a conduit node."""


class SettingError(ConduitError, ValueError):
    """A setting cannot be used; the message names it, its value and what would do."""


class InvalidUriError(ConduitError, ValueError):
    """A URI or pattern breaks the rule that the message tells; it says what would do."""

    def __init__(self, uri: str, fault: str) -> None:
        super().__init__(f"the URI {uri!r} cannot be used: {fault}")
        self.uri = uri
        self.fault = fault


class NotAgreedError(ConduitError):
    """The peer has not agreed on the extras that the message names, as a zhe program never does: nothing was sent."""

    def __init__(self, message: str, missing: str) -> None:
        super().__init__(f"the peer takes no {message}: it has not agreed on {missing}; ask a peer that offers it")
        self.missing = missing


class SampleTooLargeError(ConduitError, ValueError):
    """A sample exceeds the limit that the message names; none of the samples of that write was taken."""

    def __init__(self, size: int, limit: int, name: str) -> None:
        super().__init__(
            f"a sample of {size} octets, with its header, exceeds {name} of {limit} octets: raise {name}, or send less"
        )
        self.size = size
        self.limit = limit


class WindowFullError(ConduitError):
    """The window of a conduit is full; the first `accepted` samples of the write were taken, the others were not."""

    def __init__(self, conduit: int, accepted: int, refused: int) -> None:
        super().__init__(
            f"the window of conduit {conduit} is full: {refused} samples were refused; write them again once it has "
            "room, or choose another congestion mode"
        )
        self.conduit = conduit
        self.accepted = accepted
        self.refused = refused


class TooManyQueriesError(ConduitError):
    """As many queries of the node wait for answers as may: wait for some of them, or give them shorter deadlines."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} queries wait for answers already: wait for some, shorten their deadline, or raise most_queries"
        )


class UnknownPublisherError(ConduitError, LookupError):
    """No publisher has that number: it was never declared, or it was deleted."""


class UnknownDeclarationError(ConduitError, LookupError):
    """The node has no resource, subscriber, selection or queryable of that number, or has it no more."""


class UnknownPeerError(ConduitError, LookupError):
    """There is no session with the peer that was named by its id or its address."""
