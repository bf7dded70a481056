"""A pod of a store with mirrors: it stands by until it is elected, and leads from then on, to its end."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from forebay.api.v1alpha1 import AccessRule, StoreSpec
from forebay.api.v1alpha1.store import FsyncMode
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime.channel import ClientChannel
from forebay.runtime.clock import Clock
from forebay.runtime.errors import UnavailableError
from forebay.runtime.lease import Lease, LeaseRecord, LeaseSettings
from forebay.runtime.service import Degradation
from forebay.store.errors import DeposedError
from forebay.store.mirroring.connector import Connector
from forebay.store.mirroring.followers import Followers
from forebay.store.mirroring.membership import MemberRecord, Members
from forebay.store.standby.candidate import Candidate
from forebay.store.standby.copyfolder import CopyFolder
from forebay.store.standby.mirrorservicer import MirrorServicer

RETRY_SECONDS = 1.0
"""After which clients may ask again while there is no primary."""


class Record(LeaseRecord, MemberRecord, Protocol):
    """Where lease and set are kept; `KubeLease` is one."""


@dataclass(frozen=True)
class Cluster:
    """The pods of a store."""

    name: str
    """Of this pod. Its successor of the same name has the same data, so that it may go on as primary at once."""
    first: str
    """Name of the pod that begins where none ever was primary: the one that a store without mirrors has, too."""
    record: Record
    connect: Callable[[str], ClientChannel]
    """A channel to the pod of a name."""
    address: Callable[[str], str]
    """Where clients reach the pod of a name."""
    peers: Callable[[int], list[str]]
    """Names of the other pods of a store with so many mirrors."""
    certified: str
    """Name that the certificate of each pod has, and no other; empty: plain text is spoken."""
    lease: LeaseSettings


class Pod:
    """Until `lead` returns it stands by: primaries may write to its folder through `servicer`."""

    def __init__(self, cluster: Cluster, folder: CopyFolder, clock: Clock) -> None:
        self._cluster = cluster
        self._folder = folder
        self._clock = clock
        self._lease = Lease(cluster.record, cluster.name, clock, Random(), cluster.lease)  # noqa: S311 - no secret
        self._candidate = Candidate(cluster.name, self._lease, cluster.record, clock, self._lacks_nothing)
        self._followers: Followers | None = None
        self._connector: Connector | None = None
        self._spec: StoreSpec
        self.servicer = MirrorServicer(cluster.name, cluster.certified, folder, cluster.record)

    def standing(self) -> UnavailableError:
        """What this pod answers to clients until a store is open on it. The facts tell them whom to ask."""
        primary = self.servicer.primary or self._candidate.primary
        if not primary:
            return UnavailableError("no pod is primary now: try again", reason="NO_PRIMARY", retry_after=RETRY_SECONDS)
        if primary == self._cluster.name:
            problem = f"{primary} has become primary and reads what is on its disk: try again"
            return UnavailableError(problem, reason="NO_PRIMARY", retry_after=RETRY_SECONDS)
        problem = f"this pod keeps a copy only: ask {primary}, which is primary"
        facts = {"primary": primary, "address": self._cluster.address(primary)}
        return UnavailableError(problem, reason="NOT_PRIMARY", retry_after=0.0, facts=facts)

    def change(self, spec: StoreSpec) -> None:
        """This is the specification of the store from now on; there is one before anything else is done."""
        self._spec = spec
        if self._followers and self._connector:
            if self._begin.relaxed != self._connector.begin.relaxed:
                self._followers.restart("fsync has another mode")
            self._connector.begin = self._begin
            self._connector.want(self._cluster.peers(spec.mirrors))

    async def lead(self) -> Followers:
        """Stand by until this pod is primary, with its folder closed for a store to start on it."""
        self._folder.place = self._spec.index
        self.servicer.standing_by = True
        await self._candidate.elected()
        await self.servicer.stop()
        self._followers = Followers(self._cluster.name, self._cluster.record, self._lease, self._clock)
        return self._followers

    async def keep(self, followers: Followers) -> None:
        """Have mirrors follow for as long as this pod is primary. Raises `DeposedError` when it is so no more."""
        self._connector = Connector(followers, self._begin, self._cluster.connect, self._clock)
        self._connector.want(self._cluster.peers(self._spec.mirrors))
        following = asyncio.ensure_future(self._connector.run())
        lost = asyncio.ensure_future(self._lease.lost.wait())
        try:
            await asyncio.wait([following, lost], return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                await following
        finally:
            for task in (following, lost):
                task.cancel()
            await asyncio.gather(following, lost, return_exceptions=True)
        raise DeposedError(f"{self._cluster.name} lost its lease: it is primary no more")

    def access(self) -> list[AccessRule]:
        """What the pods may call of each other, where what may be called is restricted."""
        name = self._cluster.certified
        return [AccessRule(principal=name, methods=("MirrorService/Follow",))] if name else []

    def members(self) -> Members:
        """Pods that have all that was confirmed, this one first; none while it is not primary."""
        return self._followers.members if self._followers else ()

    def degradations(self) -> list[Degradation]:
        """What the store does without, as this pod sees it: mirrors, or a primary."""
        if self._followers is None:
            return [] if self.servicer.primary else [_alone(self.standing())]
        missing = [name for name in self._cluster.peers(self._spec.mirrors) if name not in self._followers.members]
        if not missing:
            return []
        problem = f"{', '.join(missing)} cannot go on if this pod is gone: away, or not caught up yet; see the log"
        return [Degradation("MirrorsMissing", problem)]

    def collect(self) -> Iterable[Metric]:
        """Figures of this moment."""
        primary = GaugeMetricFamily("forebay_store_primary", "1 on the pod that is primary, else 0.")
        primary.add_metric([], float(self._followers is not None))
        yield primary
        if self._followers:
            members = GaugeMetricFamily("forebay_store_members", "Pods that have all that was confirmed.")
            members.add_metric([], float(len(self._followers.members)))
            yield members

    async def leave(self) -> None:
        """At the end, with everything written: let another be primary."""
        await self.servicer.stop()
        await self._lease.release()

    def _lacks_nothing(self, first: bool) -> bool:
        """Where there were no mirrors before, the others have nothing, and do not know of what there is."""
        return self._folder.lacks_nothing(first=first) and (not first or self._cluster.name == self._cluster.first)

    @property
    def _begin(self) -> pb.FollowBegin:
        relaxed = self._spec.fsync.mode is not FsyncMode.ALWAYS
        return pb.FollowBegin(epoch=self._lease.epoch, primary=self._cluster.name, relaxed=relaxed)


def _alone(answer: UnavailableError) -> Degradation:
    return Degradation("NotFollowing", f"this pod gets no copy: {answer.message}")
