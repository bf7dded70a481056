"""The desk for callers over gRPC: announces as messages, answers as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.announcer.errors import RefusedError, RequestError
from forebay.announcer.fronts.tally import Tally
from forebay.announcer.messages import peer, read_announce
from forebay.pb.announcer.v1 import announcer_pb2 as pb

if TYPE_CHECKING:
    from forebay.announcer.fronts.desk import Desk


class GrpcDesk:
    """Answers announces, each by itself. Addresses are of 4 or 16 octets, times monotonic seconds."""

    def __init__(self, desk: Desk) -> None:
        self.tally = Tally()
        self._desk = desk

    def announce(self, told: pb.ClientAnnounce, caller: bytes, now: float) -> pb.AnnounceAnswer:
        """The answer to an announce, or the reason of its failure."""
        try:
            answer = self._announce(told, caller, now)
        except (RequestError, RefusedError) as error:
            self.tally.failures += 1
            again = error.retry_after if isinstance(error, RefusedError) else None
            return pb.AnnounceAnswer(failure=str(error), retry_after=again or 0.0)
        self.tally.announces += 1
        return answer

    def _announce(self, told: pb.ClientAnnounce, caller: bytes, now: float) -> pb.AnnounceAnswer:
        announce, settings = read_announce(told, caller), self._desk.settings
        swarm, place = self._desk.enter(announce, now)
        complete, incomplete = swarm.sizes()
        return pb.AnnounceAnswer(
            interval=settings.interval,
            min_interval=settings.min_interval,
            complete=complete,
            incomplete=incomplete,
            downloaded=swarm.downloaded,
            peers=map(peer, self._desk.candidates(announce, swarm, place)),
        )
