"""The mirrors as the primary sees them: who gets what, and who has to have it before anything is confirmed."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import structlog

from forebay.msgstore import Put
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime.clock import Clock
from forebay.runtime.errors import LeaseError
from forebay.store.errors import DeposedError
from forebay.store.mirroring import changes, membership, steps
from forebay.store.mirroring.link import Link, LinkError
from forebay.store.mirroring.membership import MemberRecord, Members
from forebay.store.mirroring.mirrorqueue import MirrorQueue

log = structlog.stdlib.get_logger(__name__)

RETRY_SECONDS = 0.5
"""Between tries to change the set."""


class Shipment(NamedTuple):
    """What mirrors hear of a round."""

    contents: list[pb.MirrorContent]
    told: list[pb.QueueChange]


class Tenant(Protocol):
    """The primary's lease, as `Lease` has it."""

    holder: str

    @property
    def held(self) -> bool:
        """Whether it may be relied on at this moment."""
        ...


class Followers:
    """Belongs to one event loop. `told` is what the queues of the primary tell into."""

    def __init__(self, name: str, record: MemberRecord, lease: Tenant, clock: Clock) -> None:
        """name: of this pod, which is primary."""
        self.told: list[pb.QueueChange] = []
        self.queues: dict[str, MirrorQueue] = {}
        """By identity; those at work."""
        self.members: Members = (name,)
        self._name = name
        self._record = record
        self._lease = lease
        self._clock = clock
        self._step = 0
        self._links: dict[str, Link] = {}
        self._awaited: dict[str, Link] = {}
        """Links whose mirrors are in the set, or about to be."""
        self._changing = asyncio.Lock()

    def lead(self, queue: MirrorQueue) -> MirrorQueue:
        """A queue goes to work. One that was at work before may not have all that it told of: all copies begin anew."""
        if queue.uid in self.queues:
            self.restart(f"queue {queue.uid} was started again")
        self.queues[queue.uid] = queue
        return queue

    def forget(self, uid: str) -> None:
        """A queue is gone for good."""
        if (queue := self.queues.pop(uid, None)) is not None:
            queue.forget()
            self.told.append(changes.removed(uid))

    def collect(self, puts: Sequence[Put]) -> Shipment | None:
        """What happened up to now, with contents that are put; None when nobody has to hear of it."""
        told = self.told.copy()
        self.told.clear()
        if not self._links or not (told or puts):
            return None
        return Shipment(steps.contents_of(puts), told)

    async def ship(self, shipment: Shipment | None) -> None:
        """Send it to all, and return when every member has it. Raises `DeposedError`.

        Also without anything to ship: what is confirmed next has to be this primary's to confirm.
        """
        if shipment:
            self._step += 1
            for link in self._links.values():
                link.send(steps.requests(self._step, shipment.contents, shipment.told))
        for link, step in [(link, link.sent) for link in self._awaited.values()]:
            try:
                await link.until(step)
                await link.room()
            except LinkError as error:
                await self._expel(link, str(error))
        if not self._lease.held:
            raise DeposedError(f"{self._name} is no longer sure to be primary: nothing is confirmed any more")

    async def follow(self, link: Link) -> None:
        """Have a mirror follow, from nothing, until it is gone. Its stream has begun, and it is in no set.

        Cancelled, as at the end of this pod, it leaves the set as it is: all members may be primary.
        """
        self._links[link.name] = link
        work = asyncio.ensure_future(link.run())
        try:
            await self._copy(link)
            await self._join(link)
            await work
        except LinkError as error:
            log.warning("mirror is gone", mirror=link.name, problem=str(error))
        finally:
            link.fail("it is let go")
            del self._links[link.name]
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        await self._expel(link, link.failure)

    def drop(self, name: str) -> None:
        """That pod is no longer to be a mirror: it leaves the set."""
        if link := self._links.get(name):
            link.fail("it is not wanted any more")

    def restart(self, reason: str) -> None:
        """What mirrors have may differ from what is here: all begin anew."""
        for link in self._links.values():
            link.fail(reason)

    async def _copy(self, link: Link) -> None:
        """Send all that there is, a part at a time; what happens meanwhile goes its own way."""
        for uid in list(self.queues):
            if (arriving := self.queues.get(uid)) is not None:
                await link.meanwhile(arriving.settled())
            position, first = 0, True
            while first or position:
                queue = self.queues.get(uid)
                if queue is None:  # it was removed meanwhile
                    break
                begin = [queue.opened(), *queue.copied_marks()] if first else []
                runs, position = await queue.copy(position)
                told = begin + [change for run in runs for change in changes.copied(uid, run)]
                await self._send(link, list(changes.contents(runs)), told)
                first = False

    async def _send(
        self,
        link: Link,
        contents: Sequence[pb.MirrorContent],
        told: Sequence[pb.QueueChange],
        *,
        complete: bool = False,
    ) -> None:
        self._step += 1
        link.send(steps.requests(self._step, contents, told, complete=complete))
        await link.room()

    async def _join(self, link: Link) -> None:
        await self._send(link, [], [], complete=True)
        await link.until(link.sent)
        # From here on rounds wait for it; what they sent before has to be there, too, before it may be promoted.
        self._awaited[link.name] = link
        await link.until(link.sent)
        await self._set(partial(membership.joined, link.name))
        log.info("mirror has everything", mirror=link.name, members=self.members)

    async def _expel(self, link: Link, reason: str) -> None:
        """Take a mirror out of the set. Until that is written, rounds go on waiting for it."""
        if self._awaited.get(link.name) is not link:
            return
        log.warning("mirror leaves the set", mirror=link.name, problem=reason)
        await self._set(partial(membership.left, link.name))
        if self._awaited.get(link.name) is link:
            del self._awaited[link.name]

    async def _set(self, change: Callable[[Members], Members]) -> None:
        """Change the set, trying as long as the lease is held. Raises `DeposedError`."""
        async with self._changing:
            members = change(self.members)
            if members == self.members:
                return
            while self._lease.held:
                try:
                    if not await self._record.write_note(self._lease.holder, membership.written(members)):
                        break
                    self.members = members
                    return
                except LeaseError as error:
                    log.warning("the set of mirrors cannot be changed", problem=str(error))
                    await self._clock.sleep(RETRY_SECONDS)
        raise DeposedError(f"{self._name} is no longer primary: it cannot change the set of mirrors")
