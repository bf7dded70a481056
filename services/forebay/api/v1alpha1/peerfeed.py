"""Peerfeed: one peer that an Outfeed sends to, and what it wants."""

from typing import Any, ClassVar, Literal

from forebay.api.model import Items, Model
from forebay.api.rules import Differ, Distinct, ExactlyOne, Immutable, Rule, Transition
from forebay.api.v1alpha1.metadata import Reference, Resource
from forebay.api.v1alpha1.peersending import Host
from forebay.api.v1alpha1.peertraits import TRAIT_RULES, PeerTraits
from forebay.api.v1alpha1.peerwants import HashRange, PathIdentity
from forebay.api.values import Flag


class PeerPlace(Model):
    """Which peer it is, and what is its alone."""

    outfeed_ref: Reference
    """The Outfeed that feeds this peer."""
    hosts: Items[Host] = ()
    """Host names or addresses of the peer, tried in turn."""
    target: Reference | None = None
    """Another Outfeed as the peer: its NNTP listener."""
    path_identity: Items[PathIdentity] = ()
    """Names by which the peer itself stands in Path: articles that have been there are not sent."""
    hashfeed: HashRange | None = None
    """The share of articles that the peer gets, so that several peers divide the feed. Left out: all."""
    pause: Flag = False
    """Send nothing; articles for the peer are kept in its backlog, and no connection is opened."""


class PeerfeedSpec(PeerTraits, PeerPlace):
    """A peer: where it is, what it wants, how it is fed."""

    rules: ClassVar[tuple[Rule, ...]] = (
        ExactlyOne(("hosts", "target")),
        Differ("target.name", "outfeedRef.name"),
        Distinct("pathIdentity"),
        *TRAIT_RULES,
    )
    transitions: ClassVar[tuple[Transition, ...]] = (Immutable("outfeedRef", "its backlog belongs to that Outfeed"),)


class Peerfeed(Resource):
    """One peer that an Outfeed sends to, and what it wants."""

    parents: ClassVar[dict[str, str]] = {"outfeedRef": "Outfeed", "target": "Outfeed"}

    kind: Literal["Peerfeed"] = "Peerfeed"
    """What it is."""
    spec: PeerfeedSpec
    """What it is to be."""

    def manifest(self) -> dict[str, Any]:
        """The resource as JSON has it; what its spec leaves out stays out, for its Outfeed's defaults to fill in."""
        return {**super().manifest(), "spec": self.spec.given()}
