"""Outfeed: one masterfeed of articles, fanned out to many peers over streaming NNTP."""

from forebay.outfeed.configuration import Surroundings
from forebay.outfeed.service import OutfeedService

__all__ = ["OutfeedService", "Surroundings"]
