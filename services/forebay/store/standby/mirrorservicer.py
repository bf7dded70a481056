"""The mirror's end of the stream: it keeps what a primary tells, once it is sure that this is the primary."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import structlog

from forebay.msgstore import DiskFullError
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.pb.store.v1.mirror_pb2_grpc import MirrorServiceServicer
from forebay.runtime.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    LeaseError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
)
from forebay.runtime.lease import Standing
from forebay.store.mirroring import membership
from forebay.store.mirroring.membership import MemberRecord
from forebay.store.standby.copyfolder import CopyFolder

if TYPE_CHECKING:
    from grpc.aio import ServicerContext

log = structlog.stdlib.get_logger(__name__)


class MirrorServicer(MirrorServiceServicer):
    """One stream at a time: a later one, of the same or a later primary, ends the one before."""

    def __init__(self, name: str, certified: str, folder: CopyFolder, record: MemberRecord) -> None:
        """name: of this pod. certified: name in the certificates of pods; empty: nobody has to prove anything."""
        self.primary = ""
        """Whom it follows; empty: nobody."""
        self.standing_by = False
        """It follows primaries: neither before it is told to, nor once it is primary itself, or about to be."""
        self._name = name
        self._certified = certified
        self._folder = folder
        self._record = record
        self._turn = asyncio.Lock()
        self._stream: asyncio.Task[None] | None = None

    async def Follow(  # noqa: N802 - as gRPC names it
        self, requests: AsyncIterator[pb.FollowRequest], context: "ServicerContext[pb.FollowRequest, pb.FollowResponse]"
    ) -> AsyncIterator[pb.FollowResponse]:
        """See the protocol."""
        self._admit(context)
        begin = await self._begun(requests)
        self._end_other()
        async with self._turn:
            await self._check(begin)
            self._stream = asyncio.current_task()
            self.primary = begin.primary
            try:
                async for response in self._kept(begin, requests):
                    yield response
            except DiskFullError as error:
                raise ResourceExhaustedError(f"the disk of mirror {self._name} is full: {error}") from error
            finally:
                self._stream, self.primary = None, ""

    def end(self) -> None:
        """Follow nobody any more."""
        self.standing_by = False
        self._end_other()

    async def stop(self) -> None:
        """Follow nobody any more, and close the folder."""
        self.end()
        async with self._turn:
            await self._folder.close()

    def _end_other(self) -> None:
        if self._stream:
            self._stream.cancel()

    async def _kept(
        self, begin: pb.FollowBegin, requests: AsyncIterator[pb.FollowRequest]
    ) -> AsyncIterator[pb.FollowResponse]:
        replica = await self._folder.begin(sync=not begin.relaxed)
        log.info("following", primary=begin.primary, epoch=begin.epoch)
        async for request in requests:
            if await replica.apply(request):
                if request.complete:
                    self._folder.finish()
                yield pb.FollowResponse(step=request.step)
                await replica.rest()

    def _admit(self, context: "ServicerContext[pb.FollowRequest, pb.FollowResponse]") -> None:
        """Whatever the store's rules of access say, its copies are written by its own pods alone."""
        names = context.auth_context().get("x509_subject_alternative_name", ())
        if self._certified and self._certified.encode() not in names:
            raise PermissionDeniedError("only the pods of the store itself may write to its mirrors")

    async def _begun(self, requests: AsyncIterator[pb.FollowRequest]) -> pb.FollowBegin:
        first = await anext(aiter(requests), None)
        if first is None or not first.HasField("begin"):
            raise InvalidArgumentError("begin: is missing in the first request of the stream")
        return first.begin

    async def _check(self, begin: pb.FollowBegin) -> None:
        """Refuse whoever is not the primary, and any who would overwrite what may be needed."""
        try:
            standing = await self._record.standing()
        except LeaseError as error:
            problem = f"{self._name} cannot see who is primary: {error}"
            raise UnavailableError(problem, reason="LEASE_UNKNOWN", retry_after=1.0) from error
        if problem := refusal(begin, standing, self._name, standing_by=self.standing_by):
            raise FailedPreconditionError(problem)


def refusal(begin: pb.FollowBegin, standing: Standing, name: str, *, standing_by: bool) -> str:
    """Why a mirror does not follow; empty: it does."""
    if not standing_by:
        return f"{name} follows nobody: it is not configured yet, or is becoming primary itself"
    if (begin.primary, begin.epoch) != (standing.holder, standing.epoch):
        return (
            f"{begin.primary} of epoch {begin.epoch} is not primary:"
            f" the lease names {standing.holder or 'nobody'}, epoch {standing.epoch}"
        )
    if name in membership.parse(standing.note):
        return f"{name} still counts as having everything: take it out of the set before it begins anew"
    return ""
