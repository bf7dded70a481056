"""The objects of a Store."""

from forebay.api.v1alpha1 import Store
from forebay_operator.body import Body
from forebay_operator.resources.body import with_memory
from forebay_operator.resources.service import grpc_listener, health_listener, service_objects
from forebay_operator.settings import Settings


def store_objects(store: Store, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of a Store but its Secrets, in the order to apply them.

    `monitoring` tells whether the cluster knows ServiceMonitors.
    """
    listeners = [grpc_listener(store), health_listener(store)]
    memory = store.spec.memory.limit
    # All of it is asked for: what has more than it asked for is the first to go where memory is short.
    resources = with_memory(settings.service.resources, memory, memory)
    return service_objects(
        store,
        listeners,
        resources,
        settings,
        monitoring=monitoring,
        storage=store.spec.storage.size,
        replicas=1 + store.spec.mirrors,
        is_led=store.spec.mirrors > 0,
        # Both are looked at when a pod starts: of mirrors, whether there are any.
        index=store.spec.index.value,
        mirrored=str(bool(store.spec.mirrors)).lower(),
    )
