"""Clients of the services, for asyncio programs."""

from forebay.client.config import ConfigClient
from forebay.client.errors import ArticleTooLargeError, ClientError, ProtocolError
from forebay.client.offering import Offering
from forebay.client.outfeed import OutfeedClient
from forebay.client.settings import OfferSettings
from forebay.client.tally import Tally
from forebay.pb.outfeed.v1.outfeed_pb2 import DeadLetter, Outcome, PeerState, PeerStatus, Verdict

__all__ = [
    "ArticleTooLargeError",
    "ClientError",
    "ConfigClient",
    "DeadLetter",
    "OfferSettings",
    "Offering",
    "Outcome",
    "OutfeedClient",
    "PeerState",
    "PeerStatus",
    "ProtocolError",
    "Tally",
    "Verdict",
]
