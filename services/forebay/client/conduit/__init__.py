"""A node of conduit for asyncio programs: no service is needed, and no gRPC."""

from forebay.client.conduit.errors import ExpiredError, NodeClosedError, SpillFullError
from forebay.client.conduit.node import Node
from forebay.client.conduit.publisher import Publisher
from forebay.client.conduit.settings import ConduitNodeSettings
from forebay.client.conduit.subscription import Subscription
from forebay.conduit.core.conduits.publisher import Congestion
from forebay.conduit.core.subscribers import Delivery

__all__ = [
    "ConduitNodeSettings",
    "Congestion",
    "Delivery",
    "ExpiredError",
    "Node",
    "NodeClosedError",
    "Publisher",
    "SpillFullError",
    "Subscription",
]
