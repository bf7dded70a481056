"""What is answered to a packet of UDP. No I/O here.

Whoever has not proved that it receives what is sent to its address is sent nothing that is larger than its request: the
address may be another's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.announcer.errors import RefusedError, RequestError
from forebay.announcer.fronts.tally import Tally
from forebay.announcer.wire.udppacket import (
    ANNOUNCE,
    CONNECT,
    MAGIC,
    MOST_PEERS,
    REQUEST,
    SCRAPE,
    SMALLEST_ANNOUNCE,
    SMALLEST_SCRAPE,
    announce_answer,
    connect_answer,
    error_answer,
    read_announce,
    read_scrape,
    scrape_answer,
)

if TYPE_CHECKING:
    from forebay.announcer.fronts.desk import Desk
    from forebay.announcer.wire.connectionid import ConnectionIds

_SMALLEST = {ANNOUNCE: SMALLEST_ANNOUNCE, SCRAPE: SMALLEST_SCRAPE}


class UdpDesk:
    """Answers packets. Addresses are of 4 or 16 octets, times monotonic seconds."""

    def __init__(self, desk: Desk, ids: ConnectionIds) -> None:
        self.tally = Tally()
        self._desk = desk
        self._ids = ids

    def answer(self, packet: bytes, address: bytes, now: float) -> bytes | None:
        """The answer to a packet; None for what is no request, and may be anything."""
        if len(packet) < REQUEST.size:
            return None
        connection_id, action, transaction = REQUEST.unpack_from(packet)
        if action == CONNECT:
            if connection_id != MAGIC:
                return None
            return connect_answer(transaction, self._ids.make(address, now))
        if action not in _SMALLEST or len(packet) < _SMALLEST[action]:
            return None
        if not self._ids.is_valid(connection_id, address, now):
            self.tally.failures += 1
            return error_answer(transaction, "connect anew")
        if action == SCRAPE:
            self.tally.scrapes += 1
            return scrape_answer(transaction, self._desk.scrape(read_scrape(packet)))
        return self._announce(transaction, packet, address, now)

    def _announce(self, transaction: bytes, packet: bytes, address: bytes, now: float) -> bytes:
        try:
            answer = self._enter(transaction, packet, address, now)
        except RequestError as error:
            self.tally.failures += 1
            return error_answer(transaction, str(error))
        except RefusedError as error:
            self.tally.failures += 1
            return error_answer(transaction, str(error), error.retry_after)
        self.tally.announces += 1
        return answer

    def _enter(self, transaction: bytes, packet: bytes, address: bytes, now: float) -> bytes:
        desk, family = self._desk, len(address)
        announce = read_announce(packet, address)
        swarm, place = desk.enter(announce, now)
        count, most = desk.wanted(announce), MOST_PEERS[family]
        if count > most:
            count = most
        peers = swarm.compact(family, place, announce.left == 0, count, desk.table.random)
        return announce_answer(transaction, desk.settings.interval, *swarm.sizes(), peers)
