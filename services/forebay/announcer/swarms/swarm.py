"""A swarm: whoever announced one torrent here, by family, with those that other trackers know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.announcer.announce import COMPLETED, PAUSED
from forebay.announcer.swarms.figures import Candidate, Figures
from forebay.announcer.swarms.outside import Outside
from forebay.announcer.swarms.peerlist import PORT, Census, PeerList
from forebay.announcer.swarms.record import EMPTY, Record

if TYPE_CHECKING:
    from forebay.announcer.announce import Announce
    from forebay.announcer.swarms.outside import News
    from forebay.announcer.swarms.sampling import Random

V4, V6 = 4, 16
"""Octets of an address: they stand for its family."""


class Swarm:
    """Times are monotonic seconds. A client that announces by both families counts in both."""

    __slots__ = ("_census", "_outside", "_v4", "_v6", "downloaded")

    def __init__(self, census: Census) -> None:
        self.downloaded = 0
        self._census = census
        self._v4: PeerList | None = None
        self._v6: PeerList | None = None
        self._outside: Outside | None = None

    def __len__(self) -> int:
        """How many peers announced here."""
        return len(self._v4 or ()) + len(self._v6 or ())

    @property
    def outsiders(self) -> int:
        """How many peers are known by other trackers' word alone."""
        return 0 if self._outside is None else len(self._outside)

    def knows(self, announce: Announce) -> bool:
        """Whether this client has announced before, and has not stopped since."""
        peers = self._family(len(announce.address))
        return peers is not None and peers.find(*_names(announce)) >= 0

    def put(self, announce: Announce, now: float) -> int:
        """A client is there; its place among the peers of its family, which holds until the next change."""
        family = len(announce.address)
        peers = self._v4 if family == V4 else self._v6
        if peers is None:
            peers = self._found(family)
        endpoint, client = _names(announce)
        seeder = announce.left == 0
        if seeder and announce.event is COMPLETED:
            self._count_completion(peers, endpoint, client)
        if self._outside is not None and endpoint not in peers:
            self._outside.discard(endpoint)
        return peers.put(endpoint, client, seeder, announce.event is PAUSED and not seeder, now)

    def remove(self, announce: Announce) -> None:
        """A client has stopped, if it was there. Its port does not matter."""
        peers = self._family(len(announce.address))
        if peers is None:
            return
        place = peers.find(*_names(announce))
        if place >= 0 and peers.is_client(place, announce.peer_id):
            peers.remove(place)

    def hear(self, news: News, now: float) -> None:
        """Another tracker told of this."""
        self._outside = self._outside or Outside(now)
        self._outside.hear(news, self._is_insider, now)

    def expire(self, before: float, most: int, now: float) -> bool:
        """Remove peers that were last seen before a time, at most so many of a family; whether none is left of them."""
        if self._outside is not None and self._outside.is_over(now):
            self._outside = None
        done = [peers.expire(before, most) for peers in (self._v4, self._v6) if peers is not None]
        return all(done)

    def record(self) -> Record:
        """All peers that announced here, copied."""
        v4, v6 = (peers.lineup() if peers is not None else EMPTY for peers in (self._v4, self._v6))
        return Record(self.downloaded, (v4, v6))

    def fill(self, record: Record) -> None:
        """Take what was recorded, nobody having been here."""
        self.downloaded = record.downloaded
        for family, lineup in zip((V4, V6), record.lineups, strict=True):
            if lineup.clients:
                self._found(family).fill(lineup)

    def sizes(self) -> tuple[int, int]:
        """Seeders and leechers: those that are known here, or what another tracker said when that is more."""
        complete = incomplete = 0
        if (peers := self._v4) is not None:
            complete = peers.seeders
            incomplete = len(peers) - complete
        if (peers := self._v6) is not None:
            complete += peers.seeders
            incomplete += len(peers) - peers.seeders
        if self._outside is not None:
            complete = max(complete, self._outside.complete)
            incomplete = max(incomplete, self._outside.incomplete)
        return complete, incomplete

    def figures(self) -> Figures:
        """All that is told of it."""
        complete, incomplete = self.sizes()
        paused = sum(peers.paused for peers in (self._v4, self._v6) if peers is not None)
        return Figures(complete, self.downloaded, incomplete, incomplete - paused)

    def compact(self, family: int, place: int, seeder: bool, count: int, random: Random) -> bytes:
        """So many peers of a family, for the one at this place; -1: for one of the other family."""
        peers = self._v4 if family == V4 else self._v6
        octets = peers.compact(count, place, seeder, random) if peers is not None else b""
        if self._outside is None:
            return octets
        width = family + PORT
        return octets + self._outside.draw(width, count - len(octets) // width, random)

    def candidates(self, family: int, place: int, seeder: bool, count: int, random: Random) -> list[Candidate]:
        """The same with the peers' ids."""
        peers = self._family(family)
        found = peers.candidates(count, place, seeder, random) if peers is not None else []
        if self._outside is not None:
            width = family + PORT
            octets = self._outside.draw(width, count - len(found), random)
            found += [Candidate(octets[at : at + width], b"") for at in range(0, len(octets), width)]
        return found

    def _family(self, family: int) -> PeerList | None:
        return self._v4 if family == V4 else self._v6

    def _found(self, family: int) -> PeerList:
        peers = PeerList(family + PORT, self._census)
        if family == V4:
            self._v4 = peers
        else:
            self._v6 = peers
        return peers

    def _is_insider(self, endpoint: bytes) -> bool:
        peers = self._family(len(endpoint) - PORT)
        return peers is not None and endpoint in peers

    def _count_completion(self, peers: PeerList, endpoint: bytes, client: bytes) -> None:
        """Count it once, though a client may tell it again when our answer was lost."""
        place = peers.find(endpoint, client)
        if place < 0 or not peers.is_seeder(place):
            self.downloaded += 1


def _names(announce: Announce) -> tuple[bytes, bytes]:
    """The endpoint of a client, and what it is known by."""
    return announce.address + announce.port.to_bytes(PORT), announce.peer_id + announce.key
