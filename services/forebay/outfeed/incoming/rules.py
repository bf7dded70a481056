"""What one peer wants, and for one article which rule stops it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from forebay.outfeed.incoming.article import Article
from forebay.outfeed.incoming.hashfeed import HashShare
from forebay.outfeed.incoming.kinds import ALL, wanted
from forebay.outfeed.incoming.traits import Traits
from forebay.outfeed.incoming.wildmat import Match, Wildmat, compile_wildmat

_TOLD_GROUPS = 5


class Refusal(NamedTuple):
    """Why a peer does not get an article."""

    rule: str
    """The name of the setting, such as `maxSize`."""
    detail: str
    """What in the article met it, in words."""


@dataclass(frozen=True)
class PeerRules:
    """What one peer wants."""

    number: int
    """The peer's bit in a bitmap, from 0; numbers may have gaps."""
    groups: str = "*"
    """Comma list of newsgroup patterns with `!` and `@`."""
    required_groups: str = ""
    """Comma list of newsgroup patterns; an article has to be posted to one of these too. Empty asks for none."""
    distributions: tuple[str, ...] = ()
    """Words, `!` before those that are not wanted; empty takes all. Articles without Distribution always pass."""
    needs_distribution: bool = False
    """Articles without a Distribution header are not sent."""
    path_identity: frozenset[str] = frozenset()
    """Names of the peer itself in Path; articles that have one of them were there. Case does not matter."""
    exclude_path: frozenset[str] = frozenset()
    """Sites; articles that have one of them in their Path are not sent. Case does not matter."""
    min_size: int = 0
    """Octets in wire form; smaller articles are not sent."""
    max_size: int | None = None
    """Octets in wire form; larger articles are not sent. None sets no limit."""
    min_crossposts: int = 0
    """Articles posted to fewer groups are not sent."""
    max_crossposts: int | None = None
    """Articles posted to more groups are not sent. None sets no limit."""
    max_followups: int | None = None
    """Articles whose followups would go to more groups are not sent. None sets no limit."""
    max_spread: int | None = None
    """Articles are not sent whose groups, plus the square of those of followups, are more. None sets no limit."""
    min_hops: int = 0
    """Articles that have fewer sites in their Path are not sent."""
    max_hops: int | None = None
    """Articles that have more sites in their Path are not sent. None sets no limit."""
    article_types: tuple[str, ...] = ()
    """Kinds of articles, `!` before those that are not wanted; empty takes all."""
    originators: str = ""
    """Comma list of patterns of who may have injected an article; empty: anyone."""
    unnamed_originator: bool = False
    """With `originators`: articles that name none pass."""
    hashfeed: tuple[HashShare, ...] = ()
    """Only articles of one of these shares are sent. Empty sends all."""

    def __post_init__(self) -> None:
        for patterns in filter(None, (self.groups, self.required_groups, self.originators)):
            compile_wildmat(patterns)

    @property
    def bit(self) -> int:
        """The peer's bit."""
        return 1 << self.number

    @cached_property
    def excluded(self) -> frozenset[bytes]:
        """The excluded sites and those of the peer itself, as `sites` yields them."""
        return frozenset(site.lower().encode() for site in self.exclude_path | self.path_identity)

    @cached_property
    def wildmat(self) -> Wildmat:
        """The newsgroup patterns, compiled."""
        return compile_wildmat(self.groups)

    @property
    def asks_for_traits(self) -> bool:
        """Whether some rule needs more of an article than every article was read for."""
        limits = (self.max_followups, self.max_spread)
        return bool(self.article_types or self.originators) or any(limit is not None for limit in limits)

    def refusal(self, article: Article) -> Refusal | None:
        """The first rule that stops an article, in the order of the fields; None when the peer wants it."""
        return (
            self.subscription_refusal(article.groups, article.distributions)
            or self._path_refusal(article)
            or self._size_refusal(article)
            or self._hops_refusal(article)
            or (self.traits_refusal(Traits(article)) if self.asks_for_traits else None)
            or self._hash_refusal(article)
        )

    def subscription_refusal(self, groups: tuple[bytes, ...], distributions: tuple[bytes, ...]) -> Refusal | None:
        """The first rule about newsgroups and distributions that stops an article."""
        return (
            self.groups_refusal(groups)
            or self._required_groups_refusal(groups)
            or self.distribution_refusal(distributions)
            or self._crosspost_refusal(len(groups))
        )

    def groups_refusal(self, groups: tuple[bytes, ...]) -> Refusal | None:
        """Whether the newsgroups stop an article."""
        match self.wildmat.match_all(groups):
            case Match.POISON:
                poisoned = next(group for group in groups if self.wildmat.match(group) is Match.POISON)
                return Refusal("groups", f"{_text(poisoned)} is poisoned by {self.wildmat.decider(poisoned)}")
            case Match.NO:
                return Refusal(
                    "groups", f"none of {_text(b','.join(groups))} is in {self.groups}{self._excluded(groups)}"
                )
        return None

    def _excluded(self, groups: tuple[bytes, ...]) -> str:
        """The first groups that a pattern excludes, each with it."""
        deciders = [(group, self.wildmat.decider(group)) for group in groups[:_TOLD_GROUPS]]
        return "".join(f"; {_text(group)} is excluded by {pattern}" for group, pattern in deciders if pattern)

    def _required_groups_refusal(self, groups: tuple[bytes, ...]) -> Refusal | None:
        if not self.required_groups:
            return None
        if any(compile_wildmat(self.required_groups).match(group) is Match.YES for group in groups):
            return None
        return Refusal("requiredGroups", f"none of {_text(b','.join(groups))} is in {self.required_groups}")

    def distribution_refusal(self, distributions: tuple[bytes, ...]) -> Refusal | None:
        """Whether the distributions stop an article. One that passes is enough, as newsfeeds(5) has it; case does not
        matter (RFC 5536 section 3.2.4).
        """
        if self.needs_distribution and not distributions:
            return Refusal("needsDistribution", "it has no Distribution header")
        if not distributions or not self.distributions:
            return None
        if any(self._distribution_passes(_text(word)) for word in distributions):
            return None
        return Refusal("distributions", f"{_text(b','.join(distributions))} against {','.join(self.distributions)}")

    def _distribution_passes(self, word: str) -> bool:
        for listed in self.distributions:
            if listed.removeprefix("!").lower() == word.lower():
                return not listed.startswith("!")
        return any(listed.startswith("!") for listed in self.distributions)

    def _path_refusal(self, article: Article) -> Refusal | None:
        met = self.excluded.intersection(sites(article.path)) if self.excluded else None
        if not met:
            return None
        own = {site.lower().encode() for site in self.path_identity}
        rule = "pathIdentity" if met & own else "excludePath"
        return Refusal(rule, f"it passed through {_text(b', '.join(sorted(met)))}")

    def _size_refusal(self, article: Article) -> Refusal | None:
        if article.size < self.min_size:
            return Refusal("minSize", f"{article.size} octets, at least {self.min_size} wanted")
        if self.max_size is not None and article.size > self.max_size:
            return Refusal("maxSize", f"{article.size} octets, at most {self.max_size} wanted")
        return None

    def _crosspost_refusal(self, count: int) -> Refusal | None:
        if count < self.min_crossposts:
            return Refusal("minCrossposts", f"{count} groups, at least {self.min_crossposts} wanted")
        if self.max_crossposts is None or count <= self.max_crossposts:
            return None
        return Refusal("maxCrossposts", f"{count} groups, at most {self.max_crossposts} wanted")

    def _hops_refusal(self, article: Article) -> Refusal | None:
        if not self.min_hops and self.max_hops is None:
            return None
        hops = len(sites(article.path))
        if hops < self.min_hops:
            return Refusal("minHops", f"it passed through {hops} sites, at least {self.min_hops} wanted")
        if self.max_hops is None or hops <= self.max_hops:
            return None
        return Refusal("maxHops", f"it passed through {hops} sites, at most {self.max_hops} wanted")

    def traits_refusal(self, traits: Traits) -> Refusal | None:
        """The first rule about traits that stops an article."""
        return self._followups_refusal(traits) or self._kind_refusal(traits) or self._originator_refusal(traits)

    def _followups_refusal(self, traits: Traits) -> Refusal | None:
        if self.max_followups is not None and traits.followups > self.max_followups:
            return Refusal(
                "maxFollowups", f"followups go to {traits.followups} groups, at most {self.max_followups} wanted"
            )
        if self.max_spread is not None and traits.spread > self.max_spread:
            return Refusal("maxSpread", f"groups and followups make {traits.spread}, at most {self.max_spread} wanted")
        return None

    def _kind_refusal(self, traits: Traits) -> Refusal | None:
        if not self.article_types or wanted(self.article_types, traits.kinds):
            return None
        return Refusal(
            "articleTypes", f"it is {', '.join(sorted(traits.kinds - {ALL}))}, against {','.join(self.article_types)}"
        )

    def _originator_refusal(self, traits: Traits) -> Refusal | None:
        if not self.originators:
            return None
        if not traits.originator:
            return None if self.unnamed_originator else Refusal("originators", "it names no originator")
        if compile_wildmat(self.originators).match(traits.originator) is Match.YES:
            return None
        return Refusal("originators", f"{_text(traits.originator)} is not in {self.originators}")

    def _hash_refusal(self, article: Article) -> Refusal | None:
        if not self.hashfeed or any(share.takes(article.message_id) for share in self.hashfeed):
            return None
        return Refusal("hashfeed", "; ".join(_missed(share, article.message_id) for share in self.hashfeed))


def sites(path: bytes) -> list[bytes]:
    """The entries of a Path, in small letters, since their case does not matter (RFC 5536 section 3.1.5).

    INN's way is followed, so that its limits and exclusions mean the same here: the tail entry counts as a site, as do
    diagnostics such as `.POSTED`; what stands between two `!` in a row does not.
    """
    return [site for part in path.lower().split(b"!") if (site := part.strip())]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _missed(share: HashShare, message_id: bytes) -> str:
    position = share.position(message_id)
    return f"it falls on {position} of {share.modulus}, wanted is {share.first}-{share.last}"
