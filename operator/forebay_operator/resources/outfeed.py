"""The objects of an Outfeed."""

from forebay.api.v1alpha1 import Outfeed
from forebay_operator.body import Body
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import SERVICE_MONITOR
from forebay_operator.principals import OPERATOR
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.network import (
    ANY_POD,
    OUR_PODS,
    admission,
    headless_service,
    network_policy,
    service,
    service_monitor,
    service_port,
)
from forebay_operator.resources.ownership import owned
from forebay_operator.resources.podspec import Process, Volume, pod_template, secret_volume
from forebay_operator.resources.probes import http_probes
from forebay_operator.resources.workload import VOLUME, disruption_budget, stateful_set
from forebay_operator.settings import Settings

CONFIG, TLS, DATA = "/etc/forebay/config", "/etc/forebay/tls", "/var/lib/forebay"
ENDPOINTS_SECONDS = 3
"""For load balancers to turn away from a pod that ends."""
GRACE_SECONDS = 45
"""For a pod to end: its drain ends after 28 s, and then it flushes what it has."""


def outfeed_objects(outfeed: Outfeed, spill_hash: str, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of an Outfeed but its Secrets, in the order to apply them.

    `spill_hash` is the `server_digest` of its Spill; `monitoring` tells whether the cluster knows ServiceMonitors.
    """
    names = ServiceNames.of(outfeed)
    objects = [
        account(outfeed, names),
        client_service(outfeed, names),
        headless_service(outfeed, names.role, names.pods, [grpc_port(outfeed)]),
        outfeed_policy(outfeed, names),
        disruption_budget(outfeed, names.role, names.main),
        outfeed_set(outfeed, names, spill_hash, settings),
    ]
    if monitoring and settings.monitoring.service_monitor:
        objects.append(service_monitor(outfeed, names.role, names.main, settings.monitoring.labels))
    return objects


def outfeed_leftovers(outfeed: Outfeed, settings: Settings, *, monitoring: bool) -> list[tuple[Kind, str]]:
    """Kinds and names of what an operator with other settings, or an older one, has made and nobody wants any more."""
    is_unwanted = monitoring and not settings.monitoring.service_monitor
    return [(SERVICE_MONITOR, ServiceNames.of(outfeed).main)] if is_unwanted else []


def account(outfeed: Outfeed, names: ServiceNames) -> Body:
    """Who the pods are to the API server: somebody without rights, whom no pod takes for another."""
    return owned(outfeed, names.role, "v1", "ServiceAccount", names.main, automountServiceAccountToken=False)


def client_service(outfeed: Outfeed, names: ServiceNames) -> Body:
    """The Service that clients, feeding peers and Prometheus use."""
    listeners = outfeed.spec.listeners
    nntp = [service_port("nntp", listeners.nntp.port)] if listeners.nntp else []
    health = service_port("health", listeners.health.port, "http")
    return service(outfeed, names.role, names.main, [grpc_port(outfeed), *nntp, health])


def grpc_port(outfeed: Outfeed) -> Body:
    """The port that gRPC is served on."""
    return service_port("grpc", outfeed.spec.listeners.grpc.port, "grpc")


def outfeed_policy(outfeed: Outfeed, names: ServiceNames) -> Body:
    """Who may connect: gRPC asks for a certificate, health tells no secret, and NNTP knows nobody.

    Policies add up: one more lets in others who are to feed us by NNTP.
    """
    listeners = outfeed.spec.listeners
    nntp = [admission(listeners.nntp.port, OUR_PODS)] if listeners.nntp else []
    ingress = [admission(listeners.grpc.port, ANY_POD), *nntp, admission(listeners.health.port)]
    return network_policy(outfeed, names.role, names.main, ingress)


def outfeed_set(outfeed: Outfeed, names: ServiceNames, spill_hash: str, settings: Settings) -> Body:
    """The StatefulSet."""
    template = pod_template(
        outfeed, names.role, process(outfeed, names, settings), settings, settings.service, spill=spill_hash
    )
    template["spec"] |= {"serviceAccountName": names.main, "terminationGracePeriodSeconds": GRACE_SECONDS}
    return stateful_set(
        outfeed,
        names.role,
        names.main,
        service=names.pods,
        template=template,
        storage=outfeed.spec.storage.size,
        storage_class=settings.service.storage_class,
    )


def process(outfeed: Outfeed, names: ServiceNames, settings: Settings) -> Process:
    """What the pod runs."""
    return Process(
        name=names.role,
        image=settings.image.name,
        command=command(names),
        volumes=(
            secret_volume("config", CONFIG, names.config),
            secret_volume("tls", TLS, names.tls),
            Volume(VOLUME, DATA),
        ),
        resources=settings.service.resources,
        ports=ports(outfeed),
        probes=http_probes(),
    )


def command(names: ServiceNames) -> tuple[str, ...]:
    """The command line of the service."""
    options = {
        "config": CONFIG,
        "name": f"{names.namespace}/{names.name}",
        "data": DATA,
        "tls": TLS,
        "operator": OPERATOR,
        "drain-endpoints": str(ENDPOINTS_SECONDS),
    }
    texts = (text for option, value in options.items() for text in (f"--{option}", value))
    return "forebay", "serve", names.role, *texts


def ports(outfeed: Outfeed) -> dict[str, int]:
    """What the service listens on."""
    listeners = outfeed.spec.listeners
    nntp = {"nntp": listeners.nntp.port} if listeners.nntp else {}
    return {"grpc": listeners.grpc.port, **nntp, "health": listeners.health.port}
