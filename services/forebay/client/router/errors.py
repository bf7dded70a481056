"""What can go wrong with threads and their messages, beside what a router answers (`forebay.runtime.ServiceError`).

ForebayError
├── CoreError                   (forebay.router.core.errors) names and fields that cannot be used
└── ClientError
    └── ThreadError
        ├── RegistrationError   a thread may not have its name
        ├── ThreadEndedError    a thread was used that has ended
        ├── DroppedError        a request was dropped
        ├── NoReplyError        no reply came in time
        └── OverflowingError    more was sent than memory may hold
"""

from forebay.client.errors import ClientError
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.events import Dropped


class ThreadError(ClientError):
    """Base of the errors of this package."""


class RegistrationError(ThreadError):
    """The router does not let a thread have its name."""

    def __init__(self, registration: pb.Registration) -> None:
        super().__init__(registration.problem)
        self.name = registration.name
        self.state = registration.state
        """TAKEN, INVALID, DENIED or FULL."""


class ThreadEndedError(ThreadError):
    """A thread, or its process, was used that has ended."""


class DroppedError(ThreadError):
    """A request did not reach its recipient."""

    def __init__(self, dropped: Dropped) -> None:
        super().__init__(f"{dropped.name}: {dropped.extra}" if dropped.extra else dropped.name)
        self.dropped = dropped


class NoReplyError(ThreadError):
    """No reply to a request came in time; it may have been handled."""


class OverflowingError(ThreadError):
    """Messages were sent and sent without a pause."""

    def __init__(self, recipient: str, octets: int, limit: int) -> None:
        super().__init__(
            f"{octets} octets for {recipient} have no receipt, and at most {limit} may: await `drain` now and then"
        )
