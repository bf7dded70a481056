"""All links that this router makes, as its configuration has them."""

from collections.abc import Iterable, Iterator, Sequence

from forebay.router.links.linking import LOOK_SECONDS, Linking
from forebay.router.links.neighbours import Neighbours
from forebay.router.links.settings import LinkSettings
from forebay.router.links.udp import UdpEndpoint
from forebay.runtime.clock import Clock
from forebay.runtime.tasks import Supervisor


class Linkings:
    """By name. Those whose settings stay the same are left alone when others change."""

    def __init__(self, neighbours: Neighbours, clock: Clock, tasks: Supervisor) -> None:
        self._neighbours = neighbours
        self._clock = clock
        self._tasks = tasks
        self._made: dict[str, Linking] = {}
        self._suspended: list[LinkSettings] = []

    def __iter__(self) -> Iterator[Linking]:
        return iter(list(self._made.values()))

    @property
    def suspended(self) -> Sequence[LinkSettings]:
        """Links that are not to be made."""
        return self._suspended

    async def configure(self, wanted: Sequence[LinkSettings], udp: UdpEndpoint | None, *, anew: bool = False) -> None:
        """Make what is new, end what is not wanted any more. anew: links over UDP are made again, by another endpoint.

        Raises `AddressError` or `CertificateError`.
        """
        self._suspended = [link for link in wanted if link.suspended]
        active = {link.name: link for link in wanted if not link.suspended}
        for name, linking in list(self._made.items()):
            settings = active.get(name)
            if settings != linking.settings or (anew and linking.settings.udp):
                del self._made[name]
                await self._stop(linking, active.values())
        for name, settings in active.items():
            if name not in self._made:
                self._make(settings, udp)

    def _make(self, settings: LinkSettings, udp: UdpEndpoint | None) -> None:
        linking = self._made[settings.name] = Linking(self._neighbours, settings, self._clock, udp)
        linking.task = self._tasks.spawn(f"link {settings.name}", linking.run, self._neighbours.settings.backoff)

    async def _stop(self, linking: Linking, wanted: Iterable[LinkSettings]) -> None:
        """End a link. What waits for a router that another link leads to, or will when it is made anew, waits on."""
        await linking.close()
        other, ended = linking.neighbour, linking.settings
        is_made_anew = any(each.name == ended.name or {*each.addresses} & {*ended.addresses} for each in wanted)
        if other and not is_made_anew and not any(each.leads_to(other) for each in self):
            self._neighbours.dismiss(other)

    async def look(self) -> None:
        """Have links to peers that may have gone astray look where their names lead by now, for ever.

        A name may lead for a while to an address that another router has by now, and a connection stays where it is.
        """
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            # One after the other: when the first has gone elsewhere, the second is in no doubt. Those that carry
            # nothing come first: nothing is cut when they go.
            for linking in sorted(self, key=lambda each: each.carries):
                if not self._doubtful(linking):
                    linking.looks.reset()
                elif not linking.looks.remaining():
                    linking.looks.fail()
                    if await linking.is_astray() and linking in self:
                        linking.call_again()

    def _doubtful(self, linking: Linking) -> bool:
        """Whether it leads to where no link is needed: to this router itself, or to where another to a peer leads."""
        if linking.itself:
            return True
        other = linking.neighbour if linking.settings.peer and linking.up else None
        rivals = [each for each in self if each.settings.peer and each is not linking]
        return other is not None and any(each.leads_to(other) for each in rivals)

    async def close(self) -> None:
        """End all links."""
        for name in list(self._made):
            await self._made.pop(name).close()
