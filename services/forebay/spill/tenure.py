"""Tenure: an owner's lease taken, kept and given back, and scripts run under it."""

import asyncio
from collections.abc import Sequence

from redis.exceptions import ResponseError

from forebay.spill import scripts
from forebay.spill.errors import LeaseLostError
from forebay.spill.keys import OwnerKeys
from forebay.spill.lease import Lease, new_nonce
from forebay.spill.link import Reply
from forebay.spill.metrics import SpillMetrics
from forebay.spill.router import Answered, Router, checked
from forebay.spill.scripts import Command
from forebay.spill.session import Channel
from forebay.spill.settings import SpillSettings

TAKE_PAUSE = 1.0
"""Seconds; the longest pause before a lease held by somebody else is asked for again."""


class Tenure:
    """Who holds it is the owner's only drainer, and the only one that changes its streams."""

    def __init__(self, keys: OwnerKeys, router: Router, settings: SpillSettings, metrics: SpillMetrics) -> None:
        self.keys = keys
        self._router = router
        self._ttl = settings.lease_ttl
        self._metrics = metrics
        self.answered: Answered | None = None
        """What `run` returned last."""
        self.generation = 0
        """Of the list of segments, as the last renewal found it; 0 before."""
        self._nonce = settings.holder or new_nonce()
        self._lease: Lease | None = None

    @property
    def run_id(self) -> str | None:
        """The run of Redis the lease was given in; None without a lease."""
        return self._lease.run_id if self._lease else None

    @property
    def expired(self) -> bool:
        """Whether there is no lease, or somebody else may have it by now."""
        return self._lease is None or self._lease.expired(asyncio.get_running_loop().time())

    @property
    def token(self) -> bytes:
        """What scripts compare. Raises `LeaseLostError` when there is no lease, or it may have run out."""
        return self.require().token

    async def take(self) -> Sequence[bytes]:
        """Take the lease, waiting for a holder's to run out. Returns the fields of `meta`.

        Raises `SpillUnavailableError` and `SpillCheckError`.
        """
        loop = asyncio.get_running_loop()
        while True:
            sent = loop.time()
            run_id = self._router.run_id(self.keys.slot)
            reply = await self._acquire(run_id)
            if reply[0] == b"OK":
                self._lease = Lease(reply[1], run_id, sent, self._ttl)
                self.generation = 0
                meta: Sequence[bytes] = reply[2]
                return meta
            await asyncio.sleep(min(TAKE_PAUSE, reply[1] / 1000))

    async def run(self, commands: Sequence[Command], channel: Channel = Channel.WORK) -> Answered:
        """Run commands in the run of Redis that gave the lease.

        Raises `LeaseLostError` when a script says so, `SpillUnavailableError` and `SpillCheckError`.
        """
        lease = self.require()
        try:
            answered = await self._router.run(self.keys.slot, commands, run_id=lease.run_id, channel=channel)
        except LeaseLostError:
            self.void()
            raise
        self.answered = answered
        for reply in answered.replies:
            if isinstance(reply, list) and reply and reply[0] == b"LOST":
                self.void()
                raise LeaseLostError(
                    f"{self.keys.prefix} has another holder, or its lease ran out: load the spool again"
                )
        return answered

    async def release(self) -> None:
        """Give the lease back, so that the next holder need not wait."""
        if self._lease is None:
            return
        checked(await self.run([scripts.RELEASE.call([self.keys.meta], [self.token])]))
        self.end()

    def end(self) -> None:
        """The lease was given back, or went with all else of the owner."""
        self._lease = None

    def void(self) -> None:
        """The lease was lost."""
        if self._lease:
            self._metrics.leases_lost += 1
        self._lease = None

    def renewal(self, lease: Lease) -> Command:
        """The command that renews a lease."""
        return scripts.RENEW.call([self.keys.meta], [lease.token, _milliseconds(self._ttl)])

    def renewed(self, lease: Lease, reply: Reply, sent: float) -> None:
        """The answer to a renewal that was sent at that time of the loop's clock."""
        if isinstance(reply, ResponseError):
            return
        if reply[0] == b"OK":
            lease.renewed = sent
            self.generation = int(reply[1])
        elif self._lease is lease:
            self.void()

    def require(self) -> Lease:
        """The lease. Raises `LeaseLostError` when there is none, or it may have run out."""
        if self._lease and self._lease.expired(asyncio.get_running_loop().time()):
            self.void()
        if self._lease is None:
            raise LeaseLostError(f"{self.keys.prefix} is not held: load the spool again")
        return self._lease

    async def _acquire(self, run_id: str) -> list[Reply]:
        command = scripts.ACQUIRE.call([self.keys.meta], [run_id, self._nonce, _milliseconds(self._ttl)])
        try:
            (reply,) = checked(await self._router.run(self.keys.slot, [command], run_id=run_id))
        except LeaseLostError:
            return [b"HELD", 0]
        answer: list[Reply] = reply
        return answer


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
