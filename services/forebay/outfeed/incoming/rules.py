"""What one peer wants, and for one article which rule stops it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from forebay.outfeed.incoming.article import Article
from forebay.outfeed.incoming.hashfeed import HashRange
from forebay.outfeed.incoming.wildmat import Match, Wildmat, compile_wildmat


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
    distributions: tuple[str, ...] = ()
    """Words, `!` before those that are not wanted; empty takes all. Articles without Distribution always pass."""
    exclude_path: frozenset[str] = frozenset()
    """Sites; articles that have one of them in their Path are not sent. Case does not matter."""
    min_size: int = 0
    """Octets in wire form; smaller articles are not sent."""
    max_size: int | None = None
    """Octets in wire form; larger articles are not sent. None sets no limit."""
    max_crossposts: int | None = None
    """Articles posted to more groups are not sent. None sets no limit."""
    max_hops: int | None = None
    """Articles that have more sites in their Path are not sent. None sets no limit."""
    hashfeed: HashRange | None = None
    """Only articles of this share are sent. None sends all."""

    def __post_init__(self) -> None:
        compile_wildmat(self.groups)

    @property
    def bit(self) -> int:
        """The peer's bit."""
        return 1 << self.number

    @cached_property
    def excluded(self) -> frozenset[bytes]:
        """The excluded sites, as `sites` yields them."""
        return frozenset(site.lower().encode() for site in self.exclude_path)

    @cached_property
    def wildmat(self) -> Wildmat:
        """The newsgroup patterns, compiled."""
        return compile_wildmat(self.groups)

    def refusal(self, article: Article) -> Refusal | None:
        """The first rule that stops an article, in the order of the fields; None when the peer wants it."""
        return (
            self.groups_refusal(article.groups)
            or self.distribution_refusal(article.distributions)
            or self._path_refusal(article)
            or self._size_refusal(article)
            or self._crosspost_refusal(article)
            or self._hops_refusal(article)
            or self._hash_refusal(article)
        )

    def groups_refusal(self, groups: tuple[bytes, ...]) -> Refusal | None:
        """Whether the newsgroups stop an article."""
        match self.wildmat.match_all(groups):
            case Match.POISON:
                poisoned = next(group for group in groups if self.wildmat.match(group) is Match.POISON)
                return Refusal("groups", f"{_text(poisoned)} is poisoned by {self.groups}")
            case Match.NO:
                return Refusal("groups", f"none of {_text(b','.join(groups))} is in {self.groups}")
        return None

    def distribution_refusal(self, distributions: tuple[bytes, ...]) -> Refusal | None:
        """Whether the distributions stop an article. One that passes is enough, as newsfeeds(5) has it; case does not
        matter (RFC 5536 section 3.2.4).
        """
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
        return Refusal("excludePath", f"it passed through {_text(b', '.join(sorted(met)))}") if met else None

    def _size_refusal(self, article: Article) -> Refusal | None:
        if article.size < self.min_size:
            return Refusal("minSize", f"{article.size} octets, at least {self.min_size} wanted")
        if self.max_size is not None and article.size > self.max_size:
            return Refusal("maxSize", f"{article.size} octets, at most {self.max_size} wanted")
        return None

    def _crosspost_refusal(self, article: Article) -> Refusal | None:
        count = len(article.groups)
        if self.max_crossposts is None or count <= self.max_crossposts:
            return None
        return Refusal("maxCrossposts", f"{count} groups, at most {self.max_crossposts} wanted")

    def _hops_refusal(self, article: Article) -> Refusal | None:
        hops = len(sites(article.path)) if self.max_hops is not None else 0
        if self.max_hops is None or hops <= self.max_hops:
            return None
        return Refusal("maxHops", f"it passed through {hops} sites, at most {self.max_hops} wanted")

    def _hash_refusal(self, article: Article) -> Refusal | None:
        share = self.hashfeed
        if share is None or share.first <= (position := share.position(article.message_id)) <= share.last:
            return None
        return Refusal("hashfeed", f"it falls on {position} of {share.modulus}, wanted is {share.first}-{share.last}")


def sites(path: bytes) -> list[bytes]:
    """The entries of a Path, in small letters, since their case does not matter (RFC 5536 section 3.1.5).

    INN's way is followed, so that its limits and exclusions mean the same here: the tail entry counts as a site, as do
    diagnostics such as `.POSTED`; what stands between two `!` in a row does not.
    """
    return [site for part in path.lower().split(b"!") if (site := part.strip())]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
