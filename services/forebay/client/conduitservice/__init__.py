"""A client of ConduitService: a program that publishes and subscribes by a node that runs as a service."""

from forebay.client.conduitservice.answering import Answering
from forebay.client.conduitservice.attachment import Attachment
from forebay.client.conduitservice.client import ConduitClient
from forebay.client.conduitservice.publisher import Published, Publisher
from forebay.client.conduitservice.subscription import Subscription
from forebay.pb.conduit.v1.conduit_pb2 import (
    Congestion,
    Declaration,
    DeclarationEvent,
    Delivery,
    PeerEvent,
    PeerQuery,
    Reply,
    Slow,
    SubscriptionMode,
)

__all__ = [
    "Answering",
    "Attachment",
    "ConduitClient",
    "Congestion",
    "Declaration",
    "DeclarationEvent",
    "Delivery",
    "PeerEvent",
    "PeerQuery",
    "Published",
    "Publisher",
    "Reply",
    "Slow",
    "Subscription",
    "SubscriptionMode",
]
