"""What can go wrong in a client, beside what a service answers (`forebay.runtime.ServiceError`).

ForebayError
└── ClientError
    ├── ArticleTooLargeError    an article that no message to the service can hold
    └── ProtocolError           the service answered what it may not answer
"""

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


class ProtocolError(ClientError):
    """The service answered what it may not answer; is it of another version?"""
