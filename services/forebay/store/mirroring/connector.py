"""Connections of the primary to the pods that are to be its mirrors, made anew whenever one ends."""

import asyncio
from collections.abc import Callable, Collection
from random import Random

import structlog
from grpc.aio import AioRpcError

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.pb.store.v1.mirror_pb2_grpc import MirrorServiceStub
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.channel import ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.cutcalls import cancellable
from forebay.runtime.status import from_rpc_error
from forebay.store.mirroring.followers import Followers
from forebay.store.mirroring.link import Link

log = structlog.stdlib.get_logger(__name__)

RETRY = BackoffSettings(first=0.2, longest=5.0)


class Connector:
    """Runs for as long as this pod is primary."""

    def __init__(
        self,
        followers: Followers,
        begin: pb.FollowBegin,
        connect: Callable[[str], ClientChannel],
        clock: Clock,
    ) -> None:
        """connect: a channel to the pod of a name."""
        self.begin = begin
        """What a mirror is told first."""
        self._followers = followers
        self._connect = connect
        self._clock = clock
        self._wanted: frozenset[str] = frozenset()
        self._kept: set[str] = set()
        """Those that a task takes care of."""
        self._news = asyncio.Event()

    def want(self, names: Collection[str]) -> None:
        """Who is to be a mirror from now on; others are let go."""
        for name in self._wanted.difference(names):
            self._followers.drop(name)
        self._wanted = frozenset(names)
        self._news.set()

    async def run(self) -> None:
        """Keep all mirrors following. Raises `DeposedError`, in a group."""
        async with asyncio.TaskGroup() as group:
            while True:
                for name in self._wanted - self._kept:
                    self._kept.add(name)
                    group.create_task(self._keep(name), name=f"mirror {name}")
                await self._news.wait()
                self._news.clear()

    async def _keep(self, name: str) -> None:
        channel = self._connect(name)
        backoff = Backoff(RETRY, self._clock, Random())  # noqa: S311 - no secret
        try:
            while name in self._wanted:
                begun = self._clock.monotonic()
                await self._follow(name, channel)
                if self._clock.monotonic() - begun > RETRY.longest:
                    backoff.reset()
                await self._clock.sleep(backoff.fail())
        finally:
            self._kept.discard(name)
            self._news.set()  # it may be wanted again by now
            await channel.close()

    async def _follow(self, name: str, channel: ClientChannel) -> None:
        call = MirrorServiceStub(channel.get()).Follow()
        try:
            with cancellable():
                await call.write(pb.FollowRequest(begin=self.begin))
                if name in self._wanted:
                    await self._followers.follow(Link(name, call, self._clock))
        except AioRpcError as error:
            log.warning("mirror does not follow", mirror=name, problem=str(from_rpc_error(error)))
        finally:
            call.cancel()
