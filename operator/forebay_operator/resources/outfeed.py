"""The objects of an Outfeed."""

from forebay.api.v1alpha1 import Outfeed
from forebay_operator.body import Body
from forebay_operator.resources.network import OUR_PODS
from forebay_operator.resources.service import Listener, grpc_listener, health_listener, service_objects
from forebay_operator.settings import Settings


def outfeed_objects(outfeed: Outfeed, spill_hash: str, settings: Settings, *, monitoring: bool) -> list[Body]:
    """All objects of an Outfeed but its Secrets, in the order to apply them.

    `spill_hash` is the `server_digest` of its Spill; `monitoring` tells whether the cluster knows ServiceMonitors.
    """
    resources = settings.service.resources
    return service_objects(
        outfeed,
        listeners(outfeed),
        resources,
        settings,
        monitoring=monitoring,
        storage=outfeed.spec.storage.size,
        spill=spill_hash,
    )


def listeners(outfeed: Outfeed) -> list[Listener]:
    """The ways into an Outfeed. NNTP knows nobody, so that only our own pods may come in by it."""
    feeding = outfeed.spec.listeners.nntp
    nntp = [Listener("nntp", feeding.port, callers=(OUR_PODS,))] if feeding else []
    return [grpc_listener(outfeed), *nntp, health_listener(outfeed)]
