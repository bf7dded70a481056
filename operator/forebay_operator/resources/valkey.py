"""The Valkey that is run for a managed Spill: one server that keeps all it has on its volume."""

from forebay.api.v1alpha1 import ManagedSpill, Spill
from forebay_operator.body import Body
from forebay_operator.resources.body import with_memory
from forebay_operator.resources.names import VALKEY_PORT, SpillNames
from forebay_operator.resources.network import OUR_PODS, admission, network_policy, service, service_port
from forebay_operator.resources.podspec import Port, Process, Volume, pod_template, secret_volume
from forebay_operator.resources.probes import tcp_probes
from forebay_operator.resources.workload import VOLUME, stateful_set
from forebay_operator.settings import Settings
from forebay_operator.valkeysecret import VALKEY_CONF

ROLE = "valkey"
CONFIG, DATA = "/etc/forebay/valkey", "/data"
GRACE_SECONDS = 60
"""For the server to write what it has and end."""
MEBIBYTE = 1024**2


def valkey_objects(spill: Spill, password_hash: str, settings: Settings) -> list[Body]:
    """All objects of the Valkey of a managed Spill but its Secret, in the order to apply them.

    `password_hash` is the `digest` of its password, which the server reads at its start alone: another one, as after
    somebody deleted the Secret, has to restart it. There is no disruption budget, for one server has none to spare.
    Raises `ValueError` when the Spill is not managed.
    """
    if spill.spec.managed is None:
        raise ValueError(f"Spill {spill.metadata.name} is not managed")
    name = SpillNames.of(spill).valkey
    return [
        service(spill, ROLE, name, [service_port("valkey", VALKEY_PORT, "redis")]),
        network_policy(spill, ROLE, name, [admission(VALKEY_PORT, OUR_PODS)]),
        valkey_set(spill, spill.spec.managed, password_hash, settings),
    ]


def valkey_set(spill: Spill, managed: ManagedSpill, password_hash: str, settings: Settings) -> Body:
    """The StatefulSet."""
    name = SpillNames.of(spill).valkey
    template = pod_template(
        spill, ROLE, process(spill, managed, settings), settings, settings.valkey, password=password_hash
    )
    template["spec"] |= {"terminationGracePeriodSeconds": GRACE_SECONDS}
    return stateful_set(
        spill,
        ROLE,
        name,
        service=name,
        template=template,
        storage=managed.storage,
        storage_class=settings.valkey.storage_class,
    )


def process(spill: Spill, managed: ManagedSpill, settings: Settings) -> Process:
    """What the pod runs."""
    secret = SpillNames.of(spill).valkey
    return Process(
        name=ROLE,
        image=managed.image or settings.image.name,
        command=command(spill, managed),
        volumes=(
            secret_volume("config", CONFIG, secret, {VALKEY_CONF: VALKEY_CONF}),
            Volume(VOLUME, DATA),
        ),
        resources=resources(managed, settings.valkey.resources),
        ports={"valkey": Port(VALKEY_PORT)},
        probes=tcp_probes("valkey"),
    )


def command(spill: Spill, managed: ManagedSpill) -> tuple[str, ...]:
    """The command line of the server: nothing that was added is dropped, and all of it is in an append-only file."""
    options = {
        "dir": DATA,
        "port": str(VALKEY_PORT),
        "appendonly": "yes",
        "appendfsync": spill.spec.durability.value,
        "save": "",
        "maxmemory": str(managed.memory),
        "maxmemory-policy": "noeviction",
    }
    texts = (text for option, value in options.items() for text in (f"--{option}", value))
    return "valkey-server", f"{CONFIG}/{VALKEY_CONF}", *texts


def resources(managed: ManagedSpill, wanted: Body) -> Body:
    """Requests and limits.

    Beside its entries the server needs some memory for itself and its clients, and while it rewrites its append-only
    file, as much again as is changed meanwhile.
    """
    own = 64 * MEBIBYTE
    return with_memory(wanted, managed.memory * 5 // 4 + own, managed.memory * 2 + own)
