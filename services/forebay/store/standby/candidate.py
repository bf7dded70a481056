"""A pod that would be primary: it waits for the lease, and takes it only when it lacks nothing."""

from collections.abc import Callable

import structlog

from forebay.runtime.clock import Clock
from forebay.runtime.errors import LeaseError
from forebay.runtime.lease import Lease
from forebay.store.mirroring import membership
from forebay.store.mirroring.membership import MemberRecord

log = structlog.stdlib.get_logger(__name__)

POLL_SECONDS = 0.5
"""Between looks at the lease."""


class Candidate:
    """`elected` returns once this pod is primary. What it knows of the primary by then is in `primary`."""

    def __init__(
        self, name: str, lease: Lease, record: MemberRecord, clock: Clock, lacks_nothing: Callable[[bool], bool]
    ) -> None:
        """lacks_nothing: whether a store may be started on what this pod has; given, whether none ever was primary."""
        self.primary = ""
        """Name of the pod that is primary, as last seen; empty: none is known."""
        self._name = name
        self._lease = lease
        self._record = record
        self._clock = clock
        self._lacks_nothing = lacks_nothing

    async def elected(self) -> None:
        """Wait to be primary; the set is this pod alone then."""
        while not await self._try():
            await self._clock.sleep(POLL_SECONDS)

    async def _try(self) -> bool:
        try:
            standing = await self._record.standing()
            self.primary = standing.holder
            members = membership.parse(standing.note)
            patience = membership.patience(self._name, members)
            if patience is None or not self._lacks_nothing(not members):
                return False
            self._lease.patience = patience
            if await self._lease.try_acquire() and await self._confirmed():
                return True
        except LeaseError as error:
            log.warning("it cannot be seen who is primary", problem=str(error))
        await self._lease.release()
        return False

    async def _confirmed(self) -> bool:
        """Whether it may be primary: from the moment it has the lease nobody else changes the set."""
        members = membership.parse((await self._record.standing()).note)
        if membership.patience(self._name, members) is None:
            return False
        alone = membership.written(membership.promoted(self._name, members))
        if not await self._record.write_note(self._lease.holder, alone):
            return False
        self.primary = self._name
        log.info("primary now", epoch=self._lease.epoch, before=members)
        return True
