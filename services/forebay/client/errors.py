"""What can go wrong in a client, beside what a service answers (`forebay.runtime.ServiceError`).

ForebayError
└── ClientError
    ├── ArticleTooLargeError    an article that no message to the service can hold
    ├── NotKeptError            messages that were published and are not, or not everywhere, kept
    ├── ClosedError             a publisher or a consumption that has ended was used
    ├── SettledError            a delivery was settled twice
    └── ProtocolError           the service answered what it may not answer
"""

from forebay.pb.store.v1 import store_pb2
from forebay.runtime import ForebayError


class ClientError(ForebayError):
    """Base of the errors of this package."""


class ArticleTooLargeError(ClientError):
    """An article does not fit into a message; feed it over NNTP, which has no messages."""

    def __init__(self, number: int, size: int, limit: int) -> None:
        super().__init__(
            f"article {number} has {size} octets, and gRPC takes {limit}: leave it out, or feed it over NNTP"
        )
        self.number = number
        """How many were offered before it."""
        self.size = size
        self.limit = limit


class NotKeptError(ClientError):
    """Messages were refused, or no queue is bound to their address."""

    def __init__(self, count: int, confirm: store_pb2.Confirm) -> None:
        """How many they are, and what the store said of the first of them."""
        unrouted = confirm.outcome == store_pb2.OUTCOME_UNROUTED
        reason = "no queue is bound to its address: bind one, or publish to another" if unrouted else confirm.reason
        others = f" (and {count - 1} more like it)" if count > 1 else ""
        super().__init__(f"message {confirm.first} was not kept{others}: {reason}")
        self.count = count
        self.confirm = confirm


class ClosedError(ClientError):
    """A publisher or a consumption was used that has not begun, or has ended."""


class SettledError(ClientError):
    """A delivery was settled that is settled already."""


class ProtocolError(ClientError):
    """The service answered what it may not answer; is it of another version?"""
