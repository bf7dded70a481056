"""Copies of the messages that pass, for those who watch."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from google.protobuf.message import DecodeError

from forebay.pb.router.v1 import router_pb2 as pb

MOST_WAITING = 1000
"""Messages that wait for a watcher, beyond which the oldest are left out."""


class Trace:
    """What one watcher has to be shown."""

    def __init__(self, address: str, wake: Callable[[], None]) -> None:
        """`address` is that of a thread or a group; empty: all."""
        self._address = address
        self._wake = wake
        self._messages: deque[pb.TracedMessage] = deque()
        self._missed = 0

    def see(self, parcel: pb.Parcel, way: str) -> None:
        """A parcel has gone that way."""
        if self._address and self._address not in (parcel.sender, parcel.recipient):
            return
        self._messages.extend(_traced(parcel, way))
        while len(self._messages) > MOST_WAITING:
            self._messages.popleft()
            self._missed += 1
        self._wake()

    def take(self) -> pb.TraceResponse | None:
        """What there is to show; None when there is nothing."""
        if not self._messages:
            return None
        response = pb.TraceResponse(messages=self._messages, missed=self._missed)
        self._messages.clear()
        self._missed = 0
        return response


class Traces:
    """All watchers."""

    def __init__(self) -> None:
        self._traces: set[Trace] = set()

    def __bool__(self) -> bool:
        return bool(self._traces)

    def see(self, parcel: pb.Parcel, way: str) -> None:
        """A parcel has gone that way: a process, a router, or the notice of its drop."""
        for trace in self._traces:
            trace.see(parcel, way)

    @contextmanager
    def watched(self, trace: Trace) -> Iterator[None]:
        """Show what passes meanwhile."""
        self._traces.add(trace)
        try:
            yield
        finally:
            self._traces.discard(trace)


def _traced(parcel: pb.Parcel, way: str) -> Iterator[pb.TracedMessage]:
    try:
        messages = pb.Messages.FromString(parcel.messages).messages
    except DecodeError:
        return  # its recipient will find out, too
    for sequence, message in enumerate(messages, parcel.first):
        yield pb.TracedMessage(
            sender=parcel.sender,
            recipient=parcel.recipient,
            incarnation=parcel.incarnation,
            sequence=sequence,
            ttl=parcel.ttl,
            flags=parcel.flags,
            message=message,
            way=way,
        )
