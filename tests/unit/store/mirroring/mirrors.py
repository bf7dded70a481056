"""Mirrors at the other end of a stream, a lease and its record, all in memory."""

import asyncio

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime.errors import LeaseError
from forebay.runtime.lease import Standing


class Mirror:
    """Keeps requests; answers steps as long as `answers` is set."""

    def __init__(self):
        self.requests = []
        self.answers = asyncio.Event()
        self.answers.set()
        self.cancelled = False
        self._steps = asyncio.Queue()

    @property
    def changes(self):
        return [change.WhichOneof("change") for request in self.requests for change in request.changes]

    def end(self):
        """The stream is over."""
        self._steps.put_nowait(None)

    async def write(self, request):
        self.requests.append(request)
        if request.step:
            self._steps.put_nowait(request.step)

    async def read(self):
        step = await self._steps.get()
        await self.answers.wait()
        return None if step is None else pb.FollowResponse(step=step)

    def cancel(self):
        self.cancelled = True
        return True


class Record:
    """Where the set is written; it can be out of reach, or another's."""

    name = "news/main"

    def __init__(self, note="", holder="main-0", epoch=1):
        self.notes = [note]
        self.holder = holder
        self.epoch = epoch
        self.broken = False

    @property
    def note(self):
        return self.notes[-1]

    async def standing(self):
        self._check()
        return Standing(self.holder, self.epoch, self.note)

    async def write_note(self, holder, note):
        self._check()
        if holder != self.holder:
            return False
        self.notes.append(note)
        return True

    async def take(self, holder, seconds, patience=0.0):
        self._check()
        self.patience = patience
        if self.holder not in ("", holder):
            return None
        self.holder, self.epoch = holder, self.epoch + 1
        return self.epoch

    async def renew(self, holder, seconds):
        self._check()
        return holder == self.holder

    async def release(self, holder):
        if holder == self.holder:
            self.holder = ""

    def _check(self):
        if self.broken:
            raise LeaseError("the API server does not answer")


class Tenant:
    """The primary's lease."""

    holder = "main-0"
    held = True
