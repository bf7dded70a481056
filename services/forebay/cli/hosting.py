"""How a service is hosted, wherever its configuration comes from."""

from dataclasses import dataclass, field
from pathlib import Path

from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.servicekind import kind_of
from forebay.cli.targets import joined
from forebay.runtime import DrainSettings, GrpcSettings, HostSettings
from forebay.runtime.dualstack import EVERYWHERE


@dataclass(frozen=True)
class Hosting:
    """What the command line says of it."""

    data: Path
    tls: Path | None = None
    insecure: bool = False
    operator: str = ""
    """Glob of the certificate names that may apply configuration."""
    traces: str = ""
    """Where traces go; empty: there are none."""
    drain: DrainSettings = field(default_factory=DrainSettings)
    http: str = ""
    """Address for health and metrics; empty: as the manifests say."""

    def folder(self, resource: ServiceResource) -> Path:
        """Where a service has its data."""
        return self.data / kind_of(resource).word / f"{resource.metadata.namespace}.{resource.metadata.name}"

    def settings(self, resource: ServiceResource) -> HostSettings:
        """How a service is hosted: where it names no address, on loopback, or everywhere if there is TLS."""
        default = EVERYWHERE if self.tls else "127.0.0.1"
        kind = kind_of(resource)
        listeners = resource.spec.listeners
        grpc = joined(listeners.grpc.address or default, listeners.grpc.port)
        return HostSettings(
            grpc=GrpcSettings(
                grpc,
                tls=self.tls,
                insecure=self.insecure,
                reflection=self.tls is None,
                receive_limit=kind.message_limit,
                send_limit=kind.message_limit,
                concurrent_calls=kind.concurrent_calls,
            ),
            http=self.http or joined(listeners.health.address or default, listeners.health.port),
            drain=self.drain,
            operator=self.operator,
            traces=self.traces,
        )
