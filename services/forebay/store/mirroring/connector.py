"""Connections of the primary to the pods that are to be its mirrors, made anew whenever one ends."""

import asyncio
from collections.abc import Mapping
from random import Random

import structlog
from grpc.aio import AioRpcError

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.pb.store.v1.mirror_pb2_grpc import MirrorServiceStub
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.channel import ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.status import from_rpc_error
from forebay.store.mirroring.followers import Followers
from forebay.store.mirroring.link import Link

log = structlog.stdlib.get_logger(__name__)

RETRY = BackoffSettings(first=0.2, longest=5.0)


class Connector:
    """Runs for as long as this pod is primary."""

    def __init__(
        self, followers: Followers, begin: pb.FollowBegin, peers: Mapping[str, ClientChannel], clock: Clock
    ) -> None:
        """peers: channels to the other pods, by their names. They are closed at the end."""
        self._followers = followers
        self._begin = begin
        self._peers = peers
        self._clock = clock

    async def run(self) -> None:
        """Keep all mirrors following. Raises `DeposedError`."""
        try:
            async with asyncio.TaskGroup() as group:
                for name, channel in self._peers.items():
                    group.create_task(self._keep(name, channel), name=f"mirror {name}")
        finally:
            await asyncio.gather(*(channel.close() for channel in self._peers.values()))

    async def _keep(self, name: str, channel: ClientChannel) -> None:
        backoff = Backoff(RETRY, self._clock, Random())  # noqa: S311 - no secret
        while True:
            begun = self._clock.monotonic()
            await self._follow(name, channel)
            if self._clock.monotonic() - begun > RETRY.longest:
                backoff.reset()
            await self._clock.sleep(backoff.fail())

    async def _follow(self, name: str, channel: ClientChannel) -> None:
        call = MirrorServiceStub(channel.get()).Follow()
        try:
            await call.write(pb.FollowRequest(begin=self._begin))
            await self._followers.follow(Link(name, call, self._clock))
        except AioRpcError as error:
            log.warning("mirror does not follow", mirror=name, problem=str(from_rpc_error(error)))
        finally:
            call.cancel()
