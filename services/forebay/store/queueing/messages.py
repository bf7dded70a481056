"""The messages of a request: as octets, which is how they are kept, and read where that is needed."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.octets_pb2 import PublishOctets


class Messages:
    """Messages in their order; at least one where they are published."""

    def __init__(self, contents: list[bytes], read: Callable[[], Iterable[pb.Message]]) -> None:
        """`read` gives the same messages as `contents`, which are serialised."""
        self.contents = contents
        self._read = read

    @classmethod
    def of(cls, messages: Sequence[pb.Message]) -> "Messages":
        """Those."""
        return cls([message.SerializeToString() for message in messages], lambda: messages)

    def __len__(self) -> int:
        return len(self.contents)

    @cached_property
    def read(self) -> list[pb.Message]:
        """All of them, as they came. Raises `DecodeError` when one is not a message."""
        # Each pass over a repeated field of protobuf wraps all of its messages anew.
        return list(self._read())

    @cached_property
    def plain_address(self) -> str | None:
        """The address of each, where they are alike: of one size, and with nothing but that address and a body.

        None: they have to be read one by one. Raises `DecodeError` when the first is not a message.
        """
        contents = self.contents
        first = pb.Message.FromString(contents[0])
        if pb.Message(address=first.address, body=first.body).SerializeToString() != contents[0]:
            return None
        # All before the body, its length included: who begins so, and is as long, has a body there to the end.
        head = contents[0][: len(contents[0]) - len(first.body)]
        alike = [content.startswith(head) for content in contents].count(True) == len(contents)
        return first.address if alike and len(set(map(len, contents))) == 1 else None


class PublishBatch(NamedTuple):
    """A PublishRequest."""

    publisher: str
    first: int
    messages: Messages


def read_batch(request: bytes) -> PublishBatch:
    """A serialised PublishRequest; its messages are looked at when they are read. Raises `DecodeError`."""
    octets = PublishOctets.FromString(request)
    messages = Messages(list(octets.messages), lambda: pb.PublishRequest.FromString(request).messages)
    return PublishBatch(octets.publisher, octets.first, messages)
