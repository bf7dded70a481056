"""The renewer: renews the leases of all owners, in one batch a server."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress

from forebay.runtime import Supervisor
from forebay.spill.errors import LeaseLostError, SpillCheckError, SpillUnavailableError
from forebay.spill.lease import Lease
from forebay.spill.router import AGAIN, Router
from forebay.spill.scripts import with_text
from forebay.spill.server import Server
from forebay.spill.session import Channel
from forebay.spill.settings import RESTART
from forebay.spill.tenure import Tenure
from forebay.spill.topology import Topology

AWAY = (SpillUnavailableError, SpillCheckError)


class Renewer:
    """Works in the background; a lease that cannot be renewed in time ends by itself."""

    def __init__(
        self, topology: Topology, router: Router, tenures: Callable[[], Iterable[Tenure]], pause: float
    ) -> None:
        self._topology = topology
        self._router = router
        self._tenures = tenures
        self._pause = pause
        self._supervisor = Supervisor()
        self._supervisor.spawn("spill leases", self._work, RESTART)

    async def close(self) -> None:
        """Stop renewing."""
        await self._supervisor.close()

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            groups: dict[Server, list[Tenure]] = defaultdict(list)
            for tenure in self._tenures():
                with suppress(*AWAY):
                    groups[self._topology.server(tenure.keys.slot)].append(tenure)
            await asyncio.gather(*(self._renew(server, tenures) for server, tenures in groups.items()))

    async def _renew(self, server: Server, tenures: list[Tenure]) -> None:
        with suppress(*AWAY):
            session = server.session()
            held = [tenure for tenure in tenures if tenure.run_id == session.run_id and not tenure.expired]
            if not held:
                return
            leases = [tenure.require() for tenure in held]
            first, *rest = [tenure.renewal(lease) for tenure, lease in zip(held, leases, strict=True)]
            sent = asyncio.get_running_loop().time()
            # The text with the first makes sure that Redis knows the script of the others.
            replies = await session.run(Channel.WORK, [with_text(first), *rest])
            for tenure, lease, reply in zip(held, leases, replies, strict=True):
                tenure.renewed(lease, reply, sent)
            answered = zip(held, leases, replies, strict=True)
            moved = [(tenure, lease) for tenure, lease, reply in answered if isinstance(reply, AGAIN)]
            await asyncio.gather(*(self._renew_alone(tenure, lease) for tenure, lease in moved))

    async def _renew_alone(self, tenure: Tenure, lease: Lease) -> None:
        """For the one whose slot has moved."""
        with suppress(LeaseLostError, *AWAY):
            sent = asyncio.get_running_loop().time()
            answered = await self._router.run(tenure.keys.slot, [tenure.renewal(lease)], run_id=lease.run_id)
            tenure.renewed(lease, answered.replies[0], sent)
