"""Ways to other domains: the cheapest that is up, without loops, by the paths that routers tell each other."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from forebay.pb.router.v1 import router_pb2 as pb

L = TypeVar("L", bound=Hashable)

LONGEST_PATH = 32
"""Domains on a way."""
PEER_COST = 1
"""What a way over another router of the domain costs more than one of our own."""


@dataclass(frozen=True, slots=True)
class Way(Generic[L]):
    """One way to a domain."""

    link: L
    """The link that it begins with."""
    path: tuple[str, ...]
    """Domains on it, the next one first and the goal last."""
    cost: int
    outside: bool
    """The link leads out of our domain; otherwise to another router of it."""


class RouteTable(Generic[L]):
    """What each link offers, and what is best of it."""

    def __init__(self, domain: str) -> None:
        """`domain` is ours."""
        self._domain = domain
        self._offers: dict[L, list[Way[L]]] = {}

    def outside(self, link: L, domain: str, cost: int, routes: Iterable[pb.Route]) -> None:
        """A link to a router of another domain, and the ways that this tells of."""
        direct: Way[L] = Way(link, (domain,), cost, outside=True)
        onward = [Way(link, (domain, *route.path), cost + route.cost, outside=True) for route in routes]
        self._offers[link] = [direct, *filter(self._usable, onward)]

    def inside(self, link: L, routes: Iterable[pb.Route]) -> None:
        """A link to a router of our domain, and the ways that its own links offer."""
        ways = (Way(link, tuple(route.path), route.cost + PEER_COST, outside=False) for route in routes)
        self._offers[link] = list(filter(self._usable, ways))

    def _usable(self, way: Way[L]) -> bool:
        """It does not come back to us, nor to itself, and is not absurd."""
        path = way.path
        return 0 < len(path) <= LONGEST_PATH and self._domain not in path and len(set(path)) == len(path)

    def remove(self, link: L) -> None:
        """The link is not there any more."""
        self._offers.pop(link, None)

    def best(self, up: Iterable[L]) -> dict[str, Way[L]]:
        """The best way to each domain: over a link that is up if there is any, then the cheapest, then the shortest."""
        live = set(up)
        found: dict[str, tuple[tuple[bool, int, int], Way[L]]] = {}
        for ways in self._offers.values():
            for way in ways:
                rank = (way.link not in live, way.cost, len(way.path))
                known = found.get(way.path[-1])
                if known is None or rank < known[0]:
                    found[way.path[-1]] = rank, way
        return {domain: way for domain, (_, way) in found.items()}


def offered(best: dict[str, Way[L]], domain: str, *, inside: bool) -> list[pb.Route]:
    """What to tell a router of that domain. Those of our own domain are told of our own links alone."""
    return [
        pb.Route(domain=goal, path=way.path, cost=way.cost)
        for goal, way in sorted(best.items())
        if domain not in way.path and (way.outside or not inside)
    ]
