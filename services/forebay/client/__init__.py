"""Clients of the services, for asyncio programs."""

import forebay.runtime  # noqa: F401 it says how gRPC is to be, before that is imported
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
