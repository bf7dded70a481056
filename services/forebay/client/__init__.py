"""Clients of the services, for asyncio programs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forebay.client.announcer import AnnouncerClient
    from forebay.client.config import ConfigClient
    from forebay.client.consumption import Consumption
    from forebay.client.delivery import Delivery
    from forebay.client.errors import (
        ArticleTooLargeError,
        ClientError,
        ClosedError,
        NotKeptError,
        ProtocolError,
        SettledError,
    )
    from forebay.client.offering import Offering
    from forebay.client.outfeed import OutfeedClient
    from forebay.client.publisher import Publisher
    from forebay.client.settings import ConsumeSettings, OfferSettings, PublishSettings
    from forebay.client.store import Store, make_message
    from forebay.client.tally import PublishTally, Tally
    from forebay.pb.outfeed.v1.outfeed_pb2 import DeadLetter, Outcome, PeerState, PeerStatus, Verdict
    from forebay.pb.store.v1.store_pb2 import Message, QueueState, QueueStatus

__all__ = [
    "AnnouncerClient",
    "ArticleTooLargeError",
    "ClientError",
    "ClosedError",
    "ConfigClient",
    "ConsumeSettings",
    "Consumption",
    "DeadLetter",
    "Delivery",
    "Message",
    "NotKeptError",
    "OfferSettings",
    "Offering",
    "Outcome",
    "OutfeedClient",
    "PeerState",
    "PeerStatus",
    "ProtocolError",
    "PublishSettings",
    "PublishTally",
    "Publisher",
    "QueueState",
    "QueueStatus",
    "SettledError",
    "Store",
    "Tally",
    "Verdict",
    "make_message",
]

_HOMES = {
    "AnnouncerClient": "forebay.client.announcer",
    "ArticleTooLargeError": "forebay.client.errors",
    "ClientError": "forebay.client.errors",
    "ClosedError": "forebay.client.errors",
    "ConfigClient": "forebay.client.config",
    "ConsumeSettings": "forebay.client.settings",
    "Consumption": "forebay.client.consumption",
    "DeadLetter": "forebay.pb.outfeed.v1.outfeed_pb2",
    "Delivery": "forebay.client.delivery",
    "Message": "forebay.pb.store.v1.store_pb2",
    "NotKeptError": "forebay.client.errors",
    "OfferSettings": "forebay.client.settings",
    "Offering": "forebay.client.offering",
    "Outcome": "forebay.pb.outfeed.v1.outfeed_pb2",
    "OutfeedClient": "forebay.client.outfeed",
    "PeerState": "forebay.pb.outfeed.v1.outfeed_pb2",
    "PeerStatus": "forebay.pb.outfeed.v1.outfeed_pb2",
    "ProtocolError": "forebay.client.errors",
    "PublishSettings": "forebay.client.settings",
    "PublishTally": "forebay.client.tally",
    "Publisher": "forebay.client.publisher",
    "QueueState": "forebay.pb.store.v1.store_pb2",
    "QueueStatus": "forebay.pb.store.v1.store_pb2",
    "SettledError": "forebay.client.errors",
    "Store": "forebay.client.store",
    "Tally": "forebay.client.tally",
    "Verdict": "forebay.pb.outfeed.v1.outfeed_pb2",
    "make_message": "forebay.client.store",
}


def __getattr__(name: str) -> Any:
    # Each is imported when it is first asked for: a node of conduit at the edge needs no gRPC.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
