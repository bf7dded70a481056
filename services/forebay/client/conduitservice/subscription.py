"""What a subscriber gets by a node."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Self

from forebay.client.channels import service_errors
from forebay.pb.conduit.v1 import conduit_pb2 as pb
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub

TIMEOUT = 60.0
"""Seconds that a call may take; the stream has no end."""


class Subscription:
    """An asynchronous iterator of deliveries; see `Attachment.subscribe`. It raises `ServiceError` when it ends."""

    def __init__(
        self,
        stub: ConduitServiceStub,
        client: bytes,
        number: int,
        forget: Callable[["Subscription"], Awaitable[None]],
    ) -> None:
        self.number = number
        """Of the declaration."""
        self.missed = 0
        """Samples that were dropped, with SLOW_DROP, since they were not read soon enough."""
        self._stub = stub
        self._client = client
        self._forget = forget
        self._waiting: deque[pb.Delivery] = deque()
        self._call = stub.Subscribe(pb.SubscribeRequest(client=client, subscriber=number))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> pb.Delivery:
        """The next delivery."""
        while not self._waiting:
            with service_errors():
                response = await self._call.read()
            if not isinstance(response, pb.SubscribeResponse):
                raise StopAsyncIteration
            self.missed += response.missed
            self._waiting += response.deliveries
        return self._waiting.popleft()

    async def pull(self, limit: int = 0) -> None:
        """Ask peers for what they keep: at most so many samples of each; 0: all."""
        with service_errors():
            request = pb.PullRequest(client=self._client, subscriber=self.number, limit=limit)
            await self._stub.Pull(request, timeout=TIMEOUT)

    async def close(self) -> None:
        """Undeclare it."""
        self._call.cancel()
        await self._forget(self)
