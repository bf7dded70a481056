"""One Outfeed as a pod runs it: the first configuration lies in a mounted Secret, each later one comes by Apply."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import structlog
import uvloop

from forebay.api import Reading, read_objects
from forebay.api.v1alpha1 import Outfeed
from forebay.cli.errors import ConfigurationError, InputError
from forebay.cli.hosting import Hosting
from forebay.cli.running import to_the_end
from forebay.msgstore import RealDisk, replace
from forebay.outfeed import OutfeedService, Surroundings
from forebay.runtime import ConfigDocument, Host, InvalidArgumentError, ResourceResult, configure_logs, serve
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


class PodOutfeed(OutfeedService):
    """An Outfeed that notes which revision is in force, so that no start falls behind it.

    A container that is started again may find an older configuration mounted than it had by Apply. One that lacks a new
    peer would delete the peer's backlog, and take articles in that are not for it.
    """

    async def apply(self, document: ConfigDocument) -> Sequence[ResourceResult]:
        """Note the revision, then make the configuration the one in force."""
        try:
            await asyncio.to_thread(replace, RealDisk(self.folder), APPLIED, str(document.revision).encode())
        except OSError as error:
            # A full disk is no reason to refuse what may free it.
            log.warning("the revision cannot be noted", revision=document.revision, reason=error.strerror)
        return await super().apply(document)

    def noted(self) -> int:
        """The revision that was in force last; 0 when there was none."""
        with suppress(FileNotFoundError, ValueError):
            return int((self.folder / APPLIED).read_text())
        return 0


def run_pod(hosting: Hosting, folder: Path, name: str) -> None:
    """Run one Outfeed until a signal ends it. Raises `ConfigurationError`, `InputError`, and what `serve` raises."""
    configure_logs("info")
    document = read_document(folder)
    outfeed = outfeed_of(document, name)
    uvloop.run(to_the_end(run(hosting, outfeed, folder, document)))


async def run(hosting: Hosting, outfeed: Outfeed, folder: Path, document: ConfigDocument) -> None:
    """Host one Outfeed, whose document lies in a folder; one that is older than what was in force has to be renewed."""
    identity = outfeed.metadata.namespace, outfeed.metadata.name
    service = PodOutfeed(identity, hosting.folder(outfeed), Surroundings(None, service_host, EVERYWHERE))
    least = service.noted()
    if document.revision >= least:
        host = Host(service, hosting.settings(outfeed), document)
    else:
        log.warning("the mounted configuration is older than the last one", revision=document.revision, last=least)
        host = Host(service, hosting.settings(outfeed))
        host.tasks.spawn("renewal of the configuration", lambda: renewal(host, folder, least))
    await serve([host])


async def renewal(host: Host, folder: Path, least: int) -> None:
    """Apply the mounted configuration once it has a revision of at least that, unless Apply is faster."""
    while not host.configuration.revisions.current:
        await asyncio.sleep(LOOK_SECONDS)
        with suppress(ConfigurationError):
            document = await asyncio.to_thread(read_document, folder)
            if host.state.ready and document.revision >= least:
                await host.configuration.apply(document)


def service_host(outfeed: Outfeed) -> str:
    """The Service by which the pods of another Outfeed are reached."""
    return f"{outfeed.metadata.name}-outfeed.{outfeed.metadata.namespace}.svc"


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


def outfeed_of(document: ConfigDocument, name: str) -> Outfeed:
    """The Outfeed of a name, which is NAMESPACE/NAME. Raises `InputError`, or `ConfigurationError` if it has faults."""
    readings = [reading for reading in read_objects(document.manifests) if reading.kind == "Outfeed"]
    found = next((reading for reading in readings if _title(reading) == name), None)
    if found is None:
        titles = ", ".join(map(_title, readings)) or "none"
        raise InputError(f"the configuration has no Outfeed {name or 'without a name'}", f"By --name, give: {titles}.")
    # What it lacks around it, as its Spill, is no reason not to listen: Apply brings it.
    if not isinstance(found.resource, Outfeed):
        raise ConfigurationError(f"the Outfeed {name} has faults: {_listed(found.violations)}", REMEDY)
    return found.resource


def _title(reading: Reading) -> str:
    return f"{reading.namespace}/{reading.name}"


def _listed(violations: Iterable[object]) -> str:
    return "; ".join(map(str, violations))
