"""Services run together in one process from the same manifests, with the Valkey that they need."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from forebay.api import ApiError, Manifests, read_files, with_uids
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.api.v1alpha1 import Spill, Store
from forebay.cli.documents import document_of
from forebay.cli.errors import InputError
from forebay.cli.hosting import Hosting
from forebay.cli.revision import next_revision
from forebay.cli.servicekind import kind_of
from forebay.cli.targets import nntp_host
from forebay.cli.valkey import Valkeys
from forebay.outfeed import Surroundings
from forebay.runtime import ConfigDocument, FileLease, Host, HostSettings, Service, serve
from forebay.spill.address import parse_url

Identity = tuple[str, str, str]
"""Kind, namespace and name."""
Choice = Callable[[Manifests], Sequence[ServiceResource]]
"""Which services of the manifests are run. Raises `InputError` when it can't be told."""

log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Gathering:
    """What is run out of files, and how."""

    hosting: Hosting
    files: Sequence[Path]
    redis: str = field(default="", repr=False)
    """URL of what managed Spills use; empty: an embedded Valkey is run for each."""
    later: Mapping[str, float] = field(default_factory=dict)
    """Seconds by the name of a service that is started so much later."""


class LateHost(Host):
    """A service that may be started later than the others."""

    def __init__(self, service: Service, settings: HostSettings, document: ConfigDocument) -> None:
        super().__init__(service, settings, document)
        self.due = 0.0
        """When to start, by the clock of the event loop."""
        self.released = asyncio.Event()
        """Set while it may start once it is due."""
        self.released.set()
        self.started = asyncio.Event()
        self._newest = document

    async def start(self) -> None:
        """Wait until it is time, then start with the newest configuration."""
        await asyncio.sleep(self.due - asyncio.get_running_loop().time())
        await self.released.wait()
        await super().start()
        await self.configuration.apply(self._newest)
        self.started.set()

    async def renew(self, document: ConfigDocument) -> None:
        """Apply a newer configuration, or have it applied at the start."""
        self._newest = document
        if self.started.is_set():
            await self.configuration.apply(document)


class Ensemble:
    """Services by their identity; made by `gathered`."""

    def __init__(self, gathering: Gathering, choice: Choice, valkeys: Valkeys) -> None:
        """Read the manifests. Raises `ApiError`, `SettingsError`, `CertificateError` or `InputError`."""
        self._gathering = gathering
        self._choice = choice
        self._valkeys = valkeys
        self.manifests = manifests = read_manifests(gathering)
        self.resources = {resource.identity: resource for resource in choice(manifests)}
        document = document_of(manifests, next_revision(gathering.hosting.data))
        self.hosts: dict[Identity, LateHost] = {
            identity: self._host(resource, document) for identity, resource in self.resources.items()
        }

    async def run(self) -> None:
        """Run all services until SIGTERM or SIGINT, then drain them; see `forebay.runtime.serve`."""
        now = asyncio.get_running_loop().time()
        for (*_, name), host in self.hosts.items():
            host.due = now + self._gathering.later.get(name, 0.0)
        # They are started one after the other, and what is held may wait for what is not.
        in_order = sorted(self.hosts.values(), key=lambda host: (not host.released.is_set(), host.due))
        await serve(in_order, self.reload)

    def hold_late(self, fed: Identity) -> None:
        """Keep what starts later, but for the fed one, from starting before `release`; to be called before `run`."""
        for identity, host in self.hosts.items():
            if identity != fed and identity[-1] in self._gathering.later:
                host.released.clear()

    def release(self) -> None:
        """Let start what is held, when it is due."""
        for host in self.hosts.values():
            host.released.set()

    async def reload(self) -> None:
        """Read the files again, and apply what is in them. When they can't be used, that is logged, and all stays."""
        try:
            manifests = await asyncio.to_thread(read_manifests, self._gathering)
            chosen = self._choice(manifests)
            above = max(host.configuration.revisions.current for host in self.hosts.values())
            document = document_of(
                manifests, await asyncio.to_thread(next_revision, self._gathering.hosting.data, above)
            )
        except (ApiError, InputError, OSError) as error:
            log.error("the files cannot be used, the last configuration stays", problems=str(error).splitlines())
            return
        for problem in unapplied(self.resources, chosen):
            log.warning(problem)
        for host in self.hosts.values():
            await host.renew(document)

    def _host(self, resource: ServiceResource, document: ConfigDocument) -> LateHost:
        hosting = self._gathering.hosting
        identity = resource.metadata.namespace, resource.metadata.name
        surroundings = Surroundings(self._managed_url, nntp_host)
        service = kind_of(resource).make(identity, hosting.folder(resource), surroundings, hosting.tls)
        return LateHost(service, hosting.settings(resource), document)

    def _managed_url(self, spill: Spill) -> str:
        return self._gathering.redis or self._valkeys.url(spill)


@asynccontextmanager
async def gathered(gathering: Gathering, choice: Choice) -> AsyncIterator[Ensemble]:
    """Lock the data folder, read the manifests, and have the Valkeys up for as long as this is entered.

    Raises `ApiError`, `ForebayError` or `CliError`.
    """
    if gathering.redis:
        parse_url(gathering.redis)
    data = gathering.hosting.data
    data.mkdir(parents=True, exist_ok=True)
    lock = FileLease(data / "lock")
    valkeys = Valkeys(data / "valkey")
    if await lock.take(f"process {os.getpid()}", 0) is None:
        holder = await lock.holder()
        raise InputError(f"{data} is in use by {holder}", "End that, or give another folder by --data.")
    try:
        ensemble = Ensemble(gathering, choice, valkeys)
        if not gathering.redis:
            await valkeys.start(spills_of(ensemble.manifests, ensemble.resources.values()))
        yield ensemble
    finally:
        await valkeys.stop()
        await lock.release("")


def read_manifests(gathering: Gathering) -> Manifests:
    """What is in the files, with identities. Raises `ManifestError` or `UidsError`."""
    return with_uids(read_files(gathering.files), gathering.hosting.data)


def spills_of(manifests: Manifests, services: Iterable[ServiceResource]) -> list[Spill]:
    """The Spills that services use."""
    used = {
        ("Spill", service.metadata.namespace, service.spec.spill_ref.name)
        for service in services
        if not isinstance(service, Store) and service.spec.spill_ref
    }
    return [spill for spill in manifests.of(Spill) if spill.identity in used]


def unapplied(running: Mapping[Identity, ServiceResource], read: Sequence[ServiceResource]) -> Iterator[str]:
    """What of newly read services does not come about before a restart."""
    for resource in read:
        before, name = running.get(resource.identity), f"{resource.kind} {resource.metadata.name}"
        if before is None:
            yield f"{name} is not run by this process: start another, or this one again"
            continue
        old, new = before.spec.listeners, resource.spec.listeners
        if (old.grpc, old.health) != (new.grpc, new.health):
            yield f"{name}: spec.listeners.grpc and health change with a restart"
