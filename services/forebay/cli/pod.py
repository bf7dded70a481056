"""One service as a pod runs it: the first configuration lies in a mounted Secret, each later one comes by Apply."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import structlog
import uvloop

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.errors import ConfigurationError, InputError
from forebay.cli.hosting import Hosting
from forebay.cli.running import to_the_end
from forebay.cli.servicekind import ServiceKind, kind_of, make_pod
from forebay.msgstore import RealDisk, replace
from forebay.outfeed import Surroundings
from forebay.runtime import (
    ConfigDocument,
    Host,
    HostSettings,
    InvalidArgumentError,
    ResourceResult,
    Service,
    configure_logs,
    serve,
)
from forebay.runtime.configuration import Configuration
from forebay.runtime.document import decode
from forebay.runtime.dualstack import EVERYWHERE

REVISION, DOCUMENT = "revision", "document"
"""Files of the folder: a decimal number, and what `forebay.runtime.document.encode` writes."""
REMEDY = "The operator writes it, and the pod is started again until it is there."
APPLIED = "revision"
"""File of the data folder: the revision that was in force last."""
LOOK_SECONDS = 5.0
"""Between two looks whether the mounted configuration was renewed; Kubernetes takes up to two minutes."""

log = structlog.stdlib.get_logger(__name__)


class PodHost(Host):
    """Notes which revision is in force, so that no start falls behind it.

    A container that is started again may find an older configuration mounted than it had by Apply. One that lacks a new
    child would delete what it has for it, as the backlog of a peer, and take in what is not for it.
    """

    def __init__(self, service: Service, settings: HostSettings, folder: Path, document: ConfigDocument) -> None:
        """`folder` has the data of the service; a document that is older than what was in force is not begun with."""
        self._folder = folder
        self.least = noted(folder)
        """No revision below this one may come into force."""
        self.overtaken = document.revision < self.least
        super().__init__(service, settings, None if self.overtaken else document)
        self.configuration = Configuration(self._apply)

    async def _apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        try:
            await asyncio.to_thread(replace, RealDisk(self._folder), APPLIED, str(document.revision).encode())
        except OSError as error:
            # A full disk is no reason to refuse what may free it.
            log.warning("the revision cannot be noted", revision=document.revision, reason=error.strerror)
        return await self.service.apply(document)


def noted(folder: Path) -> int:
    """The revision that was in force last; 0 when there was none."""
    with suppress(FileNotFoundError, ValueError):
        return int((folder / APPLIED).read_text())
    return 0


def run_pod(hosting: Hosting, kind: ServiceKind, folder: Path, name: str) -> None:
    """Run one service until a signal ends it. Raises `ConfigurationError`, `InputError`, and what `serve` raises."""
    configure_logs("info")
    document = read_document(folder)
    resource = resource_of(document, kind, name)
    uvloop.run(to_the_end(run(hosting, resource, folder, document)))


async def run(hosting: Hosting, resource: ServiceResource, folder: Path, document: ConfigDocument) -> None:
    """Host one service, whose document lies in a folder; one that is older than what was in force has to be renewed."""
    data, surroundings = hosting.folder(resource), Surroundings(None, service_host, EVERYWHERE)
    service = make_pod(resource, service_host(resource), data, surroundings, hosting.tls)
    host = PodHost(service, hosting.settings(resource), data, document)
    if host.overtaken:
        last = host.least
        log.warning("the mounted configuration is older than the last one", revision=document.revision, last=last)
        host.tasks.spawn("renewal of the configuration", lambda: renewal(host, folder, last))
    await serve([host])


async def renewal(host: Host, folder: Path, least: int) -> None:
    """Apply the mounted configuration once it has a revision of at least that, unless Apply is faster."""
    while not host.configuration.revisions.current:
        await asyncio.sleep(LOOK_SECONDS)
        with suppress(ConfigurationError):
            document = await asyncio.to_thread(read_document, folder)
            if host.state.ready and document.revision >= least:
                await host.configuration.apply(document)


def service_host(resource: ServiceResource) -> str:
    """The Service by which the pods of another service are reached."""
    return f"{resource.metadata.name}-{kind_of(resource).word}.{resource.metadata.namespace}.svc"


def read_document(folder: Path) -> ConfigDocument:
    """The configuration in a folder. Raises `ConfigurationError` when there is none, or it can't be read."""
    try:
        # Kubernetes replaces both files at once, by another folder behind the links: read them from one and the same.
        place = (folder / REVISION).resolve(strict=True).parent
        revision, data = (place / REVISION).read_text(), (place / DOCUMENT).read_bytes()
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else f"{REVISION} is no text"
        raise ConfigurationError(f"{folder} holds no configuration: {problem}", REMEDY) from error
    if not (revision.strip().isascii() and revision.strip().isdigit()):
        raise ConfigurationError(f"{folder / REVISION} is no number", REMEDY)
    try:
        return decode(int(revision), data)
    except InvalidArgumentError as error:
        raise ConfigurationError(f"{folder}: {error.message}", REMEDY) from error


def resource_of(document: ConfigDocument, kind: ServiceKind, name: str) -> ServiceResource:
    """The one of a kind and name, which is NAMESPACE/NAME.

    Raises `InputError`, or `ConfigurationError` if it has faults.
    """
    readings = [reading for reading in read_objects(document.manifests) if reading.kind == kind.title]
    found = next((reading for reading in readings if _title(reading) == name), None)
    if found is None:
        titles = ", ".join(map(_title, readings)) or "none"
        wanted = f"{kind.title} {name or 'without a name'}"
        raise InputError(f"the configuration has no {wanted}", f"By --name, give: {titles}.")
    # What it lacks around it, as its Spill, is no reason not to listen: Apply brings it.
    if not isinstance(found.resource, kind.model):
        raise ConfigurationError(f"the {kind.title} {name} has faults: {_listed(found.violations)}", REMEDY)
    return found.resource


def _title(reading: Reading) -> str:
    return f"{reading.namespace}/{reading.name}"


def _listed(violations: Iterable[object]) -> str:
    return "; ".join(map(str, violations))
