"""Messages that were given to a publisher and have no outcome yet, kept so that they can be sent again."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from forebay.client.errors import ProtocolError
from forebay.client.settings import PublishSettings
from forebay.pb.store.v1 import store_pb2 as pb
from forebay.runtime import protowire

MESSAGES = pb.PublishRequest.DESCRIPTOR.fields_by_name["messages"].number


class Request(NamedTuple):
    """Messages that go together."""

    first: int
    """Number of the first."""
    contents: list[bytes]
    """Each message, serialised."""
    octets: int

    @property
    def behind(self) -> int:
        """Number behind the last."""
        return self.first + len(self.contents)

    def encoded(self) -> bytes:
        """The PublishRequest, serialised."""
        return pb.PublishRequest(first=self.first).SerializeToString() + protowire.repeated(MESSAGES, self.contents)


class PublishWindow:
    """Messages in their order, cut into requests as they are taken. A number belongs to each."""

    def __init__(self, settings: PublishSettings, first: int = 1) -> None:
        """`first` is the number of the first message."""
        self._settings = settings
        self.next = first
        """Number that the next message gets."""
        self.settled = first
        """Number of the first message without an outcome."""
        self.octets = 0
        """Octets of the messages without an outcome."""
        self._waiting: list[bytes] = []
        """Not in a request yet, each serialised."""
        self._cut = first
        """Number of the first of them."""
        self._requests: deque[Request] = deque()
        """What was taken."""
        self._sent = 0
        """How many of the requests are on their way over the present stream."""
        self._end = first
        """Number behind the last message on its way."""

    def __len__(self) -> int:
        return self.next - self.settled

    @property
    def full(self) -> bool:
        """Nothing should be added now."""
        return len(self) >= self._settings.window_messages or self.octets >= self._settings.window_octets

    @property
    def ready(self) -> bool:
        """There is a request to take."""
        return self._sent < len(self._requests) or bool(self._waiting)

    def add(self, messages: Sequence[pb.Message]) -> int:
        """Number messages, and keep them; the number of the last."""
        contents = [message.SerializeToString() for message in messages]
        self._waiting += contents
        self.next += len(contents)
        self.octets += sum(map(len, contents))
        return self.next - 1

    def take(self) -> bytes:
        """The next request to send, serialised; only when there is one."""
        if self._sent == len(self._requests):
            self._requests.append(self._cut_off())
        request = self._requests[self._sent]
        self._sent += 1
        self._end = request.behind
        return request.encoded()

    def _cut_off(self) -> Request:
        count = octets = 0
        for size in map(len, self._waiting[: self._settings.batch_messages]):
            if count and octets + size > self._settings.batch_octets:
                break
            count, octets = count + 1, octets + size
        request = Request(self._cut, self._waiting[:count], octets)
        del self._waiting[:count]
        self._cut += count
        return request

    def settle(self, confirm: pb.Confirm) -> None:
        """Let go of what has an outcome now.

        Raises `ProtocolError` when it is not about the messages whose turn it is.
        """
        if confirm.outcome not in _OUTCOMES:
            raise ProtocolError(f"the store gave outcome {confirm.outcome}, which this client does not know")
        if confirm.first != self.settled or not 0 < confirm.count <= self._end - self.settled:
            raise ProtocolError(
                f"the store told the outcome of {confirm.count} messages from {confirm.first}, but the turn was on "
                f"those from {self.settled} to {self._end - 1}"
            )
        self.settled += confirm.count
        while self._requests and self._requests[0].behind <= self.settled:
            self.octets -= self._requests.popleft().octets
            self._sent -= 1

    def begin_again(self) -> None:
        """The stream is lost: all that has no outcome is to be sent again, the first request without what has one."""
        self._sent, self._end = 0, self.settled
        if self._requests and self._requests[0].first < self.settled:
            request = self._requests[0]
            left = request.contents[self.settled - request.first :]
            self._requests[0] = Request(self.settled, left, request.octets)


_OUTCOMES = {pb.OUTCOME_CONFIRMED, pb.OUTCOME_UNROUTED, pb.OUTCOME_REFUSED, pb.OUTCOME_DUPLICATE}
