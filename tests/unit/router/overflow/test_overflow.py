"""What happens to an overflow while Redis answers."""

from types import SimpleNamespace

from forebay.router.outlet import Outlet
from forebay.router.overflow.overflow import Overflow
from forebay.router.settings import OutletLimits
from unit.router.switches import parcel

FULL = OutletLimits(high=1, low=1, most=1, response=100)
NOTHING = SimpleNamespace(bytes=0, entries=0)


class SlowSpool:
    """Stores what it is given, and lets something happen meanwhile."""

    state = SimpleNamespace(backlog=NOTHING, resend=NOTHING)

    def __init__(self):
        self.unread = 0
        self.meanwhile = lambda: None
        self.purged = False

    async def load(self):
        self.unread = 0

    async def append(self, kind, batch):
        self.unread += len(batch)
        self.meanwhile()

    async def purge(self):
        self.unread = 0
        self.purged = True


async def test_an_outlet_may_go_while_what_was_put_is_written():
    spool, outlet = SlowSpool(), Outlet("p", FULL)
    outlet.overflow = overflow = Overflow(outlet, spool, lambda: None)
    outlet.parcel(parcel())
    for first in (1, 2):
        assert overflow.put(parcel(first=first))
    spool.meanwhile = outlet.close
    await overflow.round()
    assert overflow.closed
    assert spool.unread == 2
    await overflow.purge()
    assert spool.purged
    assert not overflow.octets
