"""The site: what is behind each path that clients ask for over HTTP."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from forebay.announcer.errors import RefusedError, RequestError
from forebay.announcer.fronts.desk import BOTH_FAMILIES
from forebay.announcer.fronts.httpresponse import Page
from forebay.announcer.fronts.tally import Tally
from forebay.announcer.wire.announcequery import read_announce
from forebay.announcer.wire.httpanswer import AnnounceAnswers, failure_answer, scrape_answer
from forebay.announcer.wire.scrapequery import read_scrape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forebay.announcer.announce import Announce
    from forebay.announcer.fronts.desk import AnnounceSettings, Desk
    from forebay.announcer.swarms.swarm import Swarm


class HttpSite:
    """Answers announces and scrapes, and shows the pages that it was given."""

    def __init__(self, desk: Desk, pages: Mapping[bytes, Callable[[bytes], Page]]) -> None:
        """`pages`: by their paths; each takes the query."""
        self.tally = Tally()
        self._desk = desk
        self._pages = pages
        self._settings = desk.settings
        self._answers = _answers(desk.settings)

    def announce(self, query: bytes, address: bytes, now: float) -> bytes:
        """The answer to an announce, or the reason of its failure."""
        try:
            answer = self._announce(read_announce(query, address), now)
        except RequestError as error:
            return self._fail(str(error))
        except RefusedError as error:
            return self._fail(str(error), error.retry_after)
        self.tally.announces += 1
        return answer

    def scrape(self, query: bytes) -> bytes:
        """The answer to a scrape, or the reason of its failure."""
        try:
            info_hashes = read_scrape(query)
        except RequestError as error:
            return self._fail(str(error))
        self.tally.scrapes += 1
        return scrape_answer(dict(zip(info_hashes, self._desk.scrape(info_hashes), strict=True)))

    def show(self, path: bytes, query: bytes) -> Page:
        """Any other page."""
        page = self._pages.get(path)
        return page(query) if page is not None else Page(b"not found\n", status=HTTPStatus.NOT_FOUND)

    def _fail(self, reason: str, retry_after: float | None = None) -> bytes:
        self.tally.failures += 1
        return failure_answer(reason, retry_after)

    def _announce(self, announce: Announce, now: float) -> bytes:
        desk = self._desk
        if desk.settings is not self._settings:
            self._settings, self._answers = desk.settings, _answers(desk.settings)
        swarm, place = desk.enter(announce, now)
        if not announce.compact:
            return self._dictionaries(announce, swarm, place)
        count, family, seeder, random = (
            desk.wanted(announce),
            len(announce.address),
            announce.left == 0,
            desk.table.random,
        )
        own = swarm.compact(family, place, seeder, count, random)
        count -= len(own) // (family + 2)
        others = swarm.compact(BOTH_FAMILIES - family, -1, seeder, count, random) if count else b""
        peers, peers6 = (own, others) if family == 4 else (others, own)
        complete, incomplete = swarm.sizes()
        return self._answers.compact((complete, swarm.downloaded, incomplete), announce.address, peers, peers6)

    def _dictionaries(self, announce: Announce, swarm: Swarm, place: int) -> bytes:
        candidates = self._desk.candidates(announce, swarm, place)
        complete, incomplete = swarm.sizes()
        sizes = complete, swarm.downloaded, incomplete
        return self._answers.dictionaries(sizes, announce.address, candidates, peer_ids=not announce.no_peer_id)


def _answers(settings: AnnounceSettings) -> AnnounceAnswers:
    return AnnounceAnswers(settings.interval, settings.min_interval, settings.tracker_id)
