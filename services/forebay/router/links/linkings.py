"""All links that this router makes, as its configuration has them."""

from collections.abc import Iterator, Sequence

from forebay.router.links.linking import Linking
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
                await self._stop(linking, forever=settings is None)
        for name, settings in active.items():
            if name not in self._made:
                self._make(settings, udp)

    def _make(self, settings: LinkSettings, udp: UdpEndpoint | None) -> None:
        linking = self._made[settings.name] = Linking(self._neighbours, settings, self._clock, udp)
        linking.task = self._tasks.spawn(f"link {settings.name}", linking.run, self._neighbours.settings.backoff)

    async def _stop(self, linking: Linking, *, forever: bool) -> None:
        """End a link. What waits for one that is only made anew waits on."""
        await linking.close()
        if forever and linking.neighbour:
            self._neighbours.dismiss(linking.neighbour)

    async def close(self) -> None:
        """End all links."""
        for linking in self:
            await linking.close()
