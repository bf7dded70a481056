"""Clients of the services, for asyncio programs."""

from typing import TYPE_CHECKING

from forebay.latenames import late_names

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
    "AnnouncerClient": ".announcer",
    "ArticleTooLargeError": ".errors",
    "ClientError": ".errors",
    "ClosedError": ".errors",
    "ConfigClient": ".config",
    "ConsumeSettings": ".settings",
    "Consumption": ".consumption",
    "DeadLetter": "forebay.pb.outfeed.v1.outfeed_pb2",
    "Delivery": ".delivery",
    "Message": "forebay.pb.store.v1.store_pb2",
    "NotKeptError": ".errors",
    "OfferSettings": ".settings",
    "Offering": ".offering",
    "Outcome": "forebay.pb.outfeed.v1.outfeed_pb2",
    "OutfeedClient": ".outfeed",
    "PeerState": "forebay.pb.outfeed.v1.outfeed_pb2",
    "PeerStatus": "forebay.pb.outfeed.v1.outfeed_pb2",
    "ProtocolError": ".errors",
    "PublishSettings": ".settings",
    "PublishTally": ".tally",
    "Publisher": ".publisher",
    "QueueState": "forebay.pb.store.v1.store_pb2",
    "QueueStatus": "forebay.pb.store.v1.store_pb2",
    "SettledError": ".errors",
    "Store": ".store",
    "Tally": ".tally",
    "Verdict": "forebay.pb.outfeed.v1.outfeed_pb2",
    "make_message": ".store",
}


if not TYPE_CHECKING:  # a checker of types shall miss no wrong name
    # A node of conduit at the edge needs no gRPC.
    __getattr__ = late_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
