"""The query of a scrape over HTTP (BEP 48)."""

from forebay.announcer.errors import RequestError
from forebay.announcer.wire.parameters import MOST_SCRAPED, every, twenty_octets
from forebay.announcer.wire.percent import percent_decode


def read_scrape(query: bytes) -> list[bytes]:
    """The info hashes that are asked for, each once, sorted, as the answer wants them.

    Raises `RequestError`, also for a scrape of all torrents: its answer would have no bounds.
    """
    values = every(query, b"info_hash")[:MOST_SCRAPED]
    if not values:
        raise RequestError("info_hash is missing: name the torrents")
    return sorted({twenty_octets("info_hash", percent_decode(value)) for value in values})
