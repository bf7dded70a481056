"""All peers of an outfeed: made, changed and deleted as the configuration says, and polled every second."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress

import structlog

from forebay.msgstore import DiskFullError
from forebay.outfeed.errors import OutfeedError, PatternError
from forebay.outfeed.incoming.routing import Routing
from forebay.outfeed.masterfeed import Masterfeed
from forebay.outfeed.peering.flow import Shared
from forebay.outfeed.peering.peer import Peer
from forebay.outfeed.peering.peeroptions import PeerOptions
from forebay.outfeed.storeroom import UNAUDITED, Storeroom
from forebay.runtime.clock import Clock
from forebay.runtime.errors import FieldViolation, NotFoundError, Resource
from forebay.runtime.tasks import Supervisor
from forebay.spill import Change, Spill, SpillError, StateEvent

log = structlog.stdlib.get_logger(__name__)


class Peers:
    """The peers by name."""

    def __init__(
        self, storeroom: Storeroom, masterfeed: Masterfeed, spill: Spill, tasks: Supervisor, clock: Clock
    ) -> None:
        self._storeroom = storeroom
        self._masterfeed = masterfeed
        self._spill = spill
        self._tasks = tasks
        self._clock = clock
        self._shared = Shared(
            storeroom.feedlog,
            masterfeed.front,
            storeroom.bodies,
            storeroom.outcomes,
            lambda: int(clock.wall() * 1000),
        )
        self._peers: dict[str, Peer] = {}
        self._known: set[str] = set()
        self._strays = False
        self._purge: asyncio.Task[None] | None = None
        spill.on_state(self._spill_changed)

    def __iter__(self) -> Iterator[Peer]:
        return iter([self._peers[name] for name in sorted(self._peers)])

    def __len__(self) -> int:
        return len(self._peers)

    def __getitem__(self, name: str) -> Peer:
        """Raises `NotFoundError`."""
        try:
            return self._peers[name]
        except KeyError:
            raise NotFoundError(
                f"there is no peer {name}: `forebay outfeed peers` lists them", resource=Resource("Peerfeed", name)
            ) from None

    @property
    def checkpoints(self) -> Mapping[int, int]:
        """How far the feed log is done with, by peer number."""
        return {peer.number: peer.feed.checkpoint for peer in self._peers.values()}

    async def apply(self, wanted: Iterable[PeerOptions], faulty: Set[str]) -> dict[str, FieldViolation]:
        """Make these the peers; what is wrong with one leaves the others alone, and the last good one in force.

        `faulty` are identities of peers whose options cannot be told: they stay as they are.
        """
        options = {option.name: option for option in wanted}
        self._known = {option.uid for option in options.values()} | faulty
        for peer in list(self._peers.values()):
            if peer.options.uid not in self._known:
                await self._forget(peer)
        violations = {}
        for name, option in options.items():
            try:
                option.rules(0)
            except PatternError as error:
                violations[name] = FieldViolation("spec.groups", str(error))
        good = [option for name, option in options.items() if name not in violations]
        # Their numbers at once: a write for each would take half a minute for 500. What goes wrong is told by `_set`.
        with suppress(OutfeedError, DiskFullError):
            await self._storeroom.feedlog.add_peers([option.uid for option in good])
        for option in good:
            try:
                await self._set(option)
            except (OutfeedError, DiskFullError) as error:
                violations[option.name] = FieldViolation("spec", str(error))
        self._route()
        await self._forget_unknown()
        return violations

    async def _set(self, option: PeerOptions) -> None:
        peer = self._peers.get(option.name)
        if peer is None:
            await self._add(option)
        elif peer.options != option:
            log.info("peer changed", peer=option.name)
            peer.change(option)

    async def _add(self, option: PeerOptions) -> None:
        number = await self._storeroom.feedlog.add_peer(option.uid)
        peer = self._peers[option.name] = Peer(option, number, self._shared, self._spill, self._clock)
        peer.start(self._tasks)
        log.info("peer added", peer=option.name, number=number, owed=peer.feed.ledger.owed)

    async def _forget(self, peer: Peer) -> None:
        del self._peers[peer.options.name]
        self._route()
        await peer.forget()
        await self._release(peer.options.uid)
        log.info("peer deleted", peer=peer.options.name)

    async def _release(self, uid: str) -> None:
        try:
            async for keys in self._storeroom.feedlog.remove_peer(uid):
                self._storeroom.store.remove(keys)
        except DiskFullError as error:
            log.warning("what a deleted peer had stays until the next change or start", uid=uid, reason=str(error))

    async def _forget_unknown(self) -> None:
        """Peers that were deleted while the service was not running."""
        for uid in self._storeroom.feedlog.peers.keys() - self._known:
            await self._release(uid)
        self._strays = True

    def _route(self) -> None:
        self._masterfeed.routing = Routing([peer.options.rules(peer.number) for peer in self._peers.values()])
        self._masterfeed.peerfeeds = {peer.number: peer.feed for peer in self._peers.values()}

    async def poll(self) -> None:
        """Once a second."""
        for peer in self._peers.values():
            peer.poll()
        if all(peer.custodian.audited for peer in self._peers.values()):
            self._storeroom.store.allow(UNAUDITED)
        else:
            self._storeroom.store.hold(UNAUDITED)
        if self._strays and self._spill.available and (self._purge is None or self._purge.done()):
            # It may have to wait for a lease.
            self._purge = self._tasks.spawn("purge of streams", self._purge_strays)

    async def _purge_strays(self) -> None:
        """Delete the streams of peers that there are no more."""
        self._strays = False
        try:
            for owner in await self._spill.owners():
                if owner not in self._known:
                    spool = self._spill.spool(owner)
                    await spool.load()
                    if owner in self._known:
                        # It was added again meanwhile; its own custodian loads it anew.
                        continue
                    await spool.purge()
                    log.info("streams of a deleted peer deleted", uid=owner)
        except SpillError as error:
            self._strays = True
            log.warning("streams of deleted peers stay for now", reason=str(error))

    def _spill_changed(self, event: StateEvent) -> None:
        if event.change is Change.UNAVAILABLE:
            log.warning("Redis is away", server=event.server, reason=event.reason)
        elif event.change is Change.FULL:
            log.warning("Redis is full", server=event.server, reason=event.reason)
        else:
            log.info("Redis", state=event.change.value, server=event.server, empty=event.empty)
            for peer in self._peers.values():
                peer.come_back()

    async def stop(self, grace: float) -> None:
        """Stop all peers; what is in flight has `grace` seconds to be answered."""
        await asyncio.gather(*(peer.stop(grace) for peer in self._peers.values()))
