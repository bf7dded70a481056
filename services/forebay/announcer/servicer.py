"""AnnouncerService over gRPC: requests in, the tracker's answers out."""

from __future__ import annotations

import binascii
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

import grpc

from forebay.announcer import messages
from forebay.announcer.wire.addresses import packed
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.pb.announcer.v1.announcer_pb2_grpc import AnnouncerServiceServicer
from forebay.runtime.errors import (
    FailedPreconditionError,
    FieldViolation,
    InvalidArgumentError,
    NotFoundError,
    Resource,
    UnavailableError,
)

if TYPE_CHECKING:
    from forebay.announcer.tracker import Tracker
    from forebay.runtime.clock import Clock

Context = grpc.aio.ServicerContext[Any, Any]

SERVICE = pb.DESCRIPTOR.services_by_name["AnnouncerService"].full_name
RETRY_SECONDS = 5.0
MOST = 1000
"""Announces or info hashes of a request."""
PAGE, LARGEST_PAGE = 100, 1000


class AnnouncerServicer(AnnouncerServiceServicer):
    """Thin: checks requests, and turns what it is told into messages."""

    def __init__(self, clock: Clock) -> None:
        self.tracker: Tracker | None = None
        """None until the service is configured."""
        self._clock = clock

    async def Announce(self, request: pb.AnnounceRequest, context: Context) -> pb.AnnounceResponse:
        """Take announces in."""
        desk = self._open().grpc_desk
        check_number("announces", len(request.announces))
        caller, now = caller_of(context), self._clock.monotonic()
        return pb.AnnounceResponse(answers=[desk.announce(each, caller, now) for each in request.announces])

    async def Scrape(self, request: pb.ScrapeRequest, context: Context) -> pb.ScrapeResponse:
        """Tell the sizes of swarms."""
        tracker = self._open()
        check_number("info_hashes", len(request.info_hashes))
        for number, info_hash in enumerate(request.info_hashes):
            if len(info_hash) != messages.ID:
                raise invalid(f"info_hashes[{number}]", f"has {len(info_hash)} octets; give {messages.ID}")
        figures = tracker.desk.scrape(request.info_hashes)
        tracker.grpc_desk.tally.scrapes += 1
        return pb.ScrapeResponse(swarms=map(messages.swarm, request.info_hashes, figures))

    async def ListForwarders(self, request: pb.ListForwardersRequest, context: Context) -> pb.ListForwardersResponse:
        """Show all forwarders."""
        return pb.ListForwardersResponse(forwarders=listed(self._open()))

    async def EnableForwarder(self, request: pb.EnableForwarderRequest, context: Context) -> pb.EnableForwarderResponse:
        """Give announces to a forwarder again."""
        tracker = self._open()
        if any(spec.name == request.name for spec in tracker.paused):
            raise FailedPreconditionError(
                f"forwarder {request.name} is paused by its Forwarder: set spec.pause to false there",
                reason="PAUSED_BY_SPEC",
            )
        if not tracker.dispatcher.enable(request.name):
            raise NotFoundError(f"there is no forwarder {request.name!r}", resource=Resource("Forwarder", request.name))
        return pb.EnableForwarderResponse(forwarder=next(each for each in listed(tracker) if each.name == request.name))

    async def GetQueue(self, request: pb.GetQueueRequest, context: Context) -> pb.GetQueueResponse:
        """Show the job queue, the schedule and the workers; what it shows is kept by then, as far as Redis is there."""
        tracker = self._open()
        await tracker.settle()
        return messages.queue(tracker.queue(), tracker.spilled, tracker.table.peers, len(tracker.table))

    async def ListSwarms(self, request: pb.ListSwarmsRequest, context: Context) -> pb.ListSwarmsResponse:
        """Show a page of the swarms."""
        table, size = self._open().table, page_size(request.page_size)
        after = page_token(request.page_token)
        page = nsmallest(size, (info_hash for info_hash in table.hashes() if info_hash > after))
        token = page[-1].hex() if len(page) == size else ""
        swarms = [messages.swarm(info_hash, table.figures(info_hash)) for info_hash in page]
        return pb.ListSwarmsResponse(swarms=swarms, next_page_token=token, total=len(table))

    def _open(self) -> Tracker:
        if self.tracker is None:
            raise UnavailableError("the service has no valid configuration yet", retry_after=RETRY_SECONDS)
        return self.tracker


def listed(tracker: Tracker) -> list[pb.Forwarder]:
    """All forwarders, by name."""
    found = [*map(messages.forwarder, tracker.forwarders()), *map(messages.paused, tracker.paused)]
    return sorted(found, key=lambda each: each.name)


def caller_of(context: Context) -> bytes:
    """The caller's address, of 4 or 16 octets; loopback's where it came by a socket of this machine."""
    scheme, _, place = context.peer().partition(":")
    host = place.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]")
    return packed(host) if scheme in ("ipv4", "ipv6") else packed("127.0.0.1")


def check_number(field: str, number: int) -> None:
    """See that there is something, and not too much. Raises `InvalidArgumentError`."""
    if not 1 <= number <= MOST:
        raise invalid(field, f"are {number}; give 1 to {MOST}")


def page_size(size: int) -> int:
    """The size of a page; 0 stands for `PAGE`. Raises `InvalidArgumentError`."""
    if not 0 <= size <= LARGEST_PAGE:
        raise invalid("page_size", f"{size} is not within 1 and {LARGEST_PAGE}, or 0 for {PAGE}")
    return size or PAGE


def page_token(token: str) -> bytes:
    """The info hash that the page before ended with. Raises `InvalidArgumentError`."""
    try:
        return binascii.unhexlify(token)
    except ValueError:
        raise invalid("page_token", "is none of ours: give next_page_token of the page before") from None


def invalid(field: str, problem: str) -> InvalidArgumentError:
    """What is wrong with one field."""
    return InvalidArgumentError(f"{field} {problem}", violations=[FieldViolation(field, problem)])
