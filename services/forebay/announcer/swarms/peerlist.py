"""The peers of one family of addresses in one swarm.

They stand in a row of octets, as answers want them: seeders first, then the others. To draw some is to cut pieces out.
A peer is known by its endpoint, for that is what others connect to; a client with its old peer id and a new endpoint
moves its peer there.
"""

from __future__ import annotations

from array import array
from itertools import islice
from typing import TYPE_CHECKING

from forebay.announcer.swarms.figures import Candidate
from forebay.announcer.swarms.record import Lineup
from forebay.announcer.swarms.sampling import draw

if TYPE_CHECKING:
    from forebay.announcer.swarms.sampling import Random

PEER_ID = 20
"""Octets of a peer id."""
PORT = 2
"""Octets of a port, which stand behind those of the address."""


class Census:
    """How many peers there are in all lists that share it."""

    __slots__ = ("peers",)

    def __init__(self) -> None:
        self.peers = 0


class PeerList:
    """Endpoints are 6 or 18 octets; a client is its peer id with its key behind it. Times are monotonic seconds."""

    __slots__ = ("_census", "_clients", "_homes", "_octets", "_paused", "_places", "_seen", "_width", "seeders")

    def __init__(self, width: int, census: Census) -> None:
        """`width`: the octets of an endpoint; `census`: counts the peers of many lists."""
        self.seeders = 0
        self._census = census
        self._width = width
        self._octets = bytearray()
        self._clients: list[bytes] = []
        self._seen = array("d")
        self._places: dict[bytes, int] = {}
        self._homes: dict[bytes, bytes] = {}
        self._paused: set[bytes] | None = None

    def __len__(self) -> int:
        return len(self._clients)

    @property
    def paused(self) -> int:
        """How many are partial seeds."""
        return len(self._paused) if self._paused else 0

    def __contains__(self, endpoint: bytes) -> bool:
        return endpoint in self._places

    def find(self, endpoint: bytes, client: bytes) -> int:
        """The place of a client's peer, under this endpoint or the one that it had before; -1 when there is none.

        An old one is taken for its own only when the address is the same, or the client shows the key that it had:
        peer ids are no secret.
        """
        place = self._places.get(endpoint, -1)
        if place >= 0 or (home := self._homes.get(client)) is None:
            return place
        its_own = len(client) > PEER_ID or home[:-PORT] == endpoint[:-PORT]
        return self._places[home] if its_own else -1

    def is_seeder(self, place: int) -> bool:
        """Whether the peer at this place has it all."""
        return place < self.seeders

    def is_client(self, place: int, peer_id: bytes) -> bool:
        """Whether the peer at this place has this peer id."""
        return self._clients[place].startswith(peer_id)

    def put(self, endpoint: bytes, client: bytes, seeder: bool, paused: bool, now: float) -> int:
        """A peer is there, or still there; its place, which holds until the next change. `paused`: a partial seed."""
        place = self._places.get(endpoint, -1)
        if place < 0:
            place = self._enter(endpoint, client)
        elif self._clients[place] != client:
            self._rename(place, endpoint, client)
        self._seen[place] = now
        if paused or self._paused:
            self._pause(endpoint, paused)
        return place if (place < self.seeders) == seeder else self._turn(place)

    def remove(self, place: int) -> None:
        """A peer is gone; the last takes its place."""
        if place < self.seeders:
            place = self._turn(place)
        last = len(self._clients) - 1
        self._swap(place, last)
        endpoint, client = self._endpoint(last), self._clients.pop()
        self._seen.pop()
        del self._octets[-self._width :]
        del self._places[endpoint]
        self._census.peers -= 1
        self._leave_home(client, endpoint)
        self._pause(endpoint, False)

    def expire(self, before: float, most: int) -> bool:
        """Remove at most so many that were last seen before a time; whether none is left of them."""
        if not self._seen or min(self._seen) >= before:
            return True
        old = (self._endpoint(place) for place, seen in enumerate(self._seen) if seen < before)
        gone = list(islice(old, most))
        for endpoint in gone:
            self.remove(self._places[endpoint])
        return len(gone) < most

    def compact(self, count: int, place: int, seeder: bool, random: Random) -> bytes:
        """So many endpoints for the peer at this place, -1 for one that is none of them; no seeders for a seeder."""
        spans = draw(self.seeders if seeder else 0, len(self._clients), place, count, random)
        octets, width = self._octets, self._width
        if len(spans) == 1:
            start, stop = spans[0]
            return bytes(octets[start * width : stop * width])
        return b"".join([octets[start * width : stop * width] for start, stop in spans])

    def candidates(self, count: int, place: int, seeder: bool, random: Random) -> list[Candidate]:
        """The same with the peers' ids."""
        spans = draw(self.seeders if seeder else 0, len(self._clients), place, count, random)
        return [
            Candidate(self._endpoint(place), self._clients[place][:PEER_ID])
            for start, stop in spans
            for place in range(start, stop)
        ]

    def lineup(self) -> Lineup:
        """All of them, copied."""
        paused = frozenset(self._paused or ())
        return Lineup(bytes(self._octets), self._clients.copy(), self._seen[:], self.seeders, paused)

    def fill(self, lineup: Lineup) -> None:
        """Take all of these, nobody having been here."""
        octets, clients, width = lineup.octets, lineup.clients, self._width
        endpoints = [octets[at : at + width] for at in range(0, len(octets), width)]
        self._octets, self._clients, self._seen = bytearray(octets), clients, lineup.seen
        self._places = {endpoint: place for place, endpoint in enumerate(endpoints)}
        self._homes = dict(zip(clients, endpoints, strict=True))
        self._paused = set(lineup.paused & self._places.keys()) or None
        self.seeders = lineup.seeders
        self._census.peers += len(clients)

    def _endpoint(self, place: int) -> bytes:
        start = place * self._width
        return bytes(self._octets[start : start + self._width])

    def _enter(self, endpoint: bytes, client: bytes) -> int:
        place = self.find(endpoint, client)
        if place >= 0:
            self._move(place, endpoint, client)
            return place
        self._octets += endpoint
        self._clients.append(client)
        self._seen.append(0.0)
        self._places[endpoint] = place = len(self._clients) - 1
        self._homes[client] = endpoint
        self._census.peers += 1
        return place

    def _move(self, place: int, endpoint: bytes, client: bytes) -> None:
        """A client has another endpoint than before."""
        old = self._homes[client]
        self._pause(old, False)
        del self._places[old]
        self._places[endpoint] = place
        self._homes[client] = endpoint
        self._octets[place * self._width : (place + 1) * self._width] = endpoint

    def _rename(self, place: int, endpoint: bytes, client: bytes) -> None:
        """Another client has this endpoint now: the same one started anew, as a rule."""
        self._leave_home(self._clients[place], endpoint)
        self._clients[place] = client
        self._homes[client] = endpoint

    def _leave_home(self, client: bytes, endpoint: bytes) -> None:
        # It may have been seen elsewhere since, without having moved.
        if self._homes.get(client) == endpoint:
            del self._homes[client]

    def _pause(self, endpoint: bytes, paused: bool) -> None:
        if paused:
            self._paused = self._paused or set()
            self._paused.add(endpoint)
        elif self._paused:
            self._paused.discard(endpoint)

    def _turn(self, place: int) -> int:
        """A seeder is one no more, or another has become one: it crosses the border; its new place."""
        if place < self.seeders:
            self.seeders -= 1
            border = self.seeders
        else:
            border = self.seeders
            self.seeders += 1
        self._swap(place, border)
        return border

    def _swap(self, one: int, other: int) -> None:
        if one == other:
            return
        first, second = self._endpoint(one), self._endpoint(other)
        width, octets, clients, seen = self._width, self._octets, self._clients, self._seen
        octets[one * width : (one + 1) * width], octets[other * width : (other + 1) * width] = second, first
        clients[one], clients[other] = clients[other], clients[one]
        seen[one], seen[other] = seen[other], seen[one]
        self._places[first], self._places[second] = other, one
