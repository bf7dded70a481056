"""How far a service is in its life, and what it does without."""

from enum import Enum

from forebay.runtime.certificates import CertificateFolder
from forebay.runtime.errors import UnavailableError
from forebay.runtime.service import Degradation, Service


class Phase(Enum):
    """Where in its life a service is."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class State:
    """What probes, GetStatus and metrics say of one service."""

    def __init__(self, service: Service, folder: CertificateFolder | None) -> None:
        self.name = service.name
        self.phase = Phase.STARTING
        self.folder = folder
        self._service = service

    @property
    def ready(self) -> bool:
        """Whether the service takes requests. What it depends on does not count."""
        return self.phase is Phase.READY

    def degradations(self) -> list[Degradation]:
        """What the service, or its certificates, do without now."""
        found = list(self._service.degradations())
        if self.folder is not None and self.folder.problem:
            message = (
                f"{self.folder.problem}; the last good certificates stay until {self.folder.current.expires:%F %T} UTC"
            )
            found.append(Degradation("CertificatesUnreadable", message))
        return found

    def admit(self) -> None:
        """Raise `UnavailableError` while the service starts. One that drains still takes what reaches it."""
        if self.phase is Phase.STARTING:
            raise UnavailableError(f"{self.name} is starting", reason="STARTING", retry_after=1.0)
