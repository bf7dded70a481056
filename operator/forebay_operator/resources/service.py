"""The objects of a service, whatever kind it is of."""

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.api.v1alpha1 import Service
from forebay_operator.body import Body
from forebay_operator.kube import Kind
from forebay_operator.kube.kinds import SERVICE_MONITOR
from forebay_operator.principals import OPERATOR
from forebay_operator.resources.lease import lease_rights
from forebay_operator.resources.names import ServiceNames
from forebay_operator.resources.network import (
    ANY_POD,
    TCP,
    admission,
    headless_service,
    network_policy,
    service,
    service_monitor,
    service_port,
)
from forebay_operator.resources.ownership import owned
from forebay_operator.resources.podspec import Port, Process, Volume, pod_template, secret_volume
from forebay_operator.resources.probes import http_probes
from forebay_operator.resources.workload import VOLUME, disruption_budget, stateful_set
from forebay_operator.settings import Settings

CONFIG, TLS, DATA = "/etc/forebay/config", "/etc/forebay/tls", "/var/lib/forebay"
VOLATILE_SIZE = "64Mi"
"""Of what a pod writes that has no volume of its own."""
POD_VARIABLE = "FOREBAY_POD"
"""Environment variable with the name of a pod."""
ENDPOINTS_SECONDS = 3
"""For load balancers to turn away from a pod that ends."""
GRACE_SECONDS = 45
"""For a pod to end: its drain ends after 28 s, and then it flushes what it has."""


@dataclass(frozen=True)
class Listener:
    """One way into a service."""

    name: str
    port: int
    application: str = ""
    """The protocol above."""
    callers: tuple[Body, ...] = ()
    """Who may connect, as a NetworkPolicy has it. Empty: everybody."""
    protocol: str = TCP
    outside: bool = False
    """Whether it is for clients outside the cluster, by a Service of its own that the Service of others leaves out."""


def grpc_listener(resource: Service) -> Listener:
    """gRPC asks for a certificate."""
    return Listener("grpc", resource.spec.listeners.grpc.port, "grpc", (ANY_POD,))


def health_listener(resource: Service) -> Listener:
    """Health and metrics tell no secret."""
    return Listener("health", resource.spec.listeners.health.port, "http")


def service_objects(
    resource: Service,
    listeners: Sequence[Listener],
    resources: Body,
    settings: Settings,
    *,
    monitoring: bool,
    storage: int,
    replicas: int = 1,
    is_led: bool = False,
    host_network: bool = False,
    **digests: str,
) -> list[Body]:
    """All objects of a service but its Secrets, in the order to apply them.

    `resources` are its pods' requests and limits; `digests` roll the pods; `monitoring` tells whether the cluster knows
    ServiceMonitors. `storage` are the octets of each pod's volume; 0: what it writes goes with it. `is_led`: one of the
    `replicas` is primary, by a Lease that they may keep. `host_network`: pods have the addresses of their hosts.
    """
    names = ServiceNames.of(resource)
    made = process(names, listeners, resources, settings, volatile=not storage)
    objects = [
        account(resource, names),
        *(lease_rights(resource, names.role, names.main) if is_led else ()),
        client_service(resource, names, listeners),
        headless_service(resource, names.role, names.pods, [port_of(grpc_listener(resource))]),
        service_policy(resource, names, listeners),
        disruption_budget(resource, names.role, names.main),
        service_set(
            resource, names, made, settings, storage, replicas, is_led=is_led, host_network=host_network, **digests
        ),
    ]
    if monitoring and settings.monitoring.service_monitor:
        objects.append(service_monitor(resource, names.role, names.main, settings.monitoring.labels))
    return objects


def service_leftovers(resource: Service, settings: Settings, *, monitoring: bool) -> list[tuple[Kind, str]]:
    """Kinds and names of what an operator with other settings, or an older one, has made and nobody wants any more."""
    is_unwanted = monitoring and not settings.monitoring.service_monitor
    return [(SERVICE_MONITOR, ServiceNames.of(resource).main)] if is_unwanted else []


def account(resource: Service, names: ServiceNames) -> Body:
    """Who the pods are to the API server: somebody whom no pod takes for another, and who has no rights by itself."""
    return owned(resource, names.role, "v1", "ServiceAccount", names.main, automountServiceAccountToken=False)


def client_service(resource: Service, names: ServiceNames, listeners: Sequence[Listener]) -> Body:
    """The Service that clients and Prometheus use."""
    return service(resource, names.role, names.main, [port_of(each) for each in listeners if not each.outside])


def port_of(listener: Listener) -> Body:
    """The port of a Service for a listener."""
    return service_port(listener.name, listener.port, listener.application, listener.protocol)


def service_policy(resource: Service, names: ServiceNames, listeners: Sequence[Listener]) -> Body:
    """Who may connect. Policies add up: one more lets in others."""
    ingress = [admission(each.port, *each.callers, protocol=each.protocol) for each in listeners]
    return network_policy(resource, names.role, names.main, ingress)


def service_set(
    resource: Service,
    names: ServiceNames,
    made: Process,
    settings: Settings,
    storage: int,
    replicas: int,
    *,
    is_led: bool,
    host_network: bool,
    **digests: str,
) -> Body:
    """The StatefulSet."""
    template = pod_template(resource, names.role, made, settings, settings.service, **digests)
    template["spec"] |= {
        "serviceAccountName": names.main,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "automountServiceAccountToken": is_led,
    }
    if host_network:
        on_host(template["spec"])
    return stateful_set(
        resource,
        names.role,
        names.main,
        service=names.pods,
        template=template,
        storage=storage,
        storage_class=settings.service.storage_class,
        replicas=replicas,
    )


def on_host(pod: Body) -> None:
    """Give a pod the network of its host, where it still finds names of the cluster.

    Its own name is not that of the host, so the pod is told.
    """
    name = {"name": POD_VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    pod["containers"][0]["env"] = [name]
    pod |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    # A pod may not change the network of its host.
    pod["securityContext"].pop("sysctls", None)


def process(
    names: ServiceNames, listeners: Sequence[Listener], resources: Body, settings: Settings, *, volatile: bool
) -> Process:
    """What the pod runs. volatile: what it writes goes with the pod."""
    return Process(
        name=names.role,
        image=settings.image.name,
        command=command(names),
        volumes=(
            secret_volume("config", CONFIG, names.config),
            secret_volume("tls", TLS, names.tls),
            Volume(VOLUME, DATA, {"emptyDir": {"sizeLimit": VOLATILE_SIZE}} if volatile else {}),
        ),
        resources=resources,
        ports={each.name: Port(each.port, each.protocol) for each in listeners},
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
