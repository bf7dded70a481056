"""A StoreService that answers as a test tells it, on a loopback port."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceServicer, add_StoreServiceServicer_to_server
from forebay.runtime import NotFoundError, Resource
from forebay.runtime.interceptor import as_status


class ScriptedStore(StoreServiceServicer):
    """One queue that keeps what is published and hands out what it has; fails where `faults` say so."""

    def __init__(self):
        self.kept = []
        """Messages, each once, in the order in which they came."""
        self.streams = []
        """What came over each Publish stream: publisher, first number and size of each batch."""
        self.faults = []
        """For each Publish stream in turn: after how many batches it fails, whether that was kept, and the error."""
        self.open = asyncio.Event()
        """Clear to let no outcome go out."""
        self.open.set()
        self.highest = {}
        self.queue = deque()
        """Bodies to be delivered."""
        self.settled = []
        """What consumers said of bodies."""
        self.starts = []
        self.cut = asyncio.Event()
        """Set to end the Consume stream by `error`."""
        self.error = None
        self.durable = asyncio.Event()
        """Clear to tell of no settlement that it is durable."""
        self.durable.set()
        self.answers = asyncio.Event()
        """Clear to answer no call of Get."""
        self.answers.set()
        self.asked = 0
        """Calls of Get."""
        self.ended_well = 0
        self.credit = 0

    async def Publish(self, requests, context):  # noqa: N802
        yield pb.PublishResponse()
        stream = None
        fault = self.faults.pop(0) if self.faults else None
        async for request in requests:
            if stream is None:
                stream = (request.publisher, [])
                self.streams.append(stream)
                continue
            stream[1].append((request.first, len(request.messages)))
            if fault and len(stream[1]) > fault[0]:
                if fault[1]:
                    self.keep(stream[0], request)
                await context.abort_with_status(as_status(fault[2], "1"))
            await self.open.wait()
            yield pb.PublishResponse(confirms=self.keep(stream[0], request))

    def keep(self, publisher, request):
        confirms = []
        for number, message in enumerate(request.messages, request.first):
            if message.address == "nowhere":
                outcome, reason = pb.OUTCOME_UNROUTED, ""
            elif message.address == "full":
                outcome, reason = pb.OUTCOME_REFUSED, "the queue full has 3 of 3 messages"
            elif number <= self.highest.get(publisher, 0):
                outcome, reason = pb.OUTCOME_DUPLICATE, ""
            else:
                self.highest[publisher] = number
                self.kept.append(message.body)
                outcome, reason = pb.OUTCOME_CONFIRMED, ""
            confirms.append(pb.Confirm(first=number, count=1, outcome=outcome, reason=reason))
        return confirms

    async def Consume(self, requests, context):  # noqa: N802
        start = (await anext(aiter(requests))).start
        self.starts.append(start)
        if start.queue == "gone":
            error = NotFoundError("there is no queue gone", resource=Resource("StoreQueue", "gone"))
            await context.abort_with_status(as_status(error, "1"))
        out, outstanding = asyncio.Queue(), {}
        self.credit = start.credit
        out.put_nowait(pb.ConsumeResponse(active=True))
        reading = asyncio.ensure_future(self.settle(requests, out, outstanding))
        try:
            while True:
                if response := self.deliveries(outstanding, start):
                    yield response
                waiting = [asyncio.ensure_future(each) for each in (out.get(), self.cut.wait())]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for each in waiting:
                    each.cancel()
                if self.cut.is_set():
                    self.cut.clear()
                    await context.abort_with_status(as_status(self.error, "1"))
                if (response := waiting[0].result()) is None:
                    self.ended_well += 1
                    return
                yield response
        finally:
            reading.cancel()
            for body in reversed(outstanding.values()):
                self.queue.appendleft(body)

    def deliveries(self, outstanding, start):
        response = pb.ConsumeResponse()
        while self.queue and self.credit and (start.no_ack or len(outstanding) < start.prefetch):
            self.numbers = getattr(self, "numbers", 0) + 1
            body = self.queue.popleft()
            self.credit -= 1
            if not start.no_ack:
                outstanding[self.numbers] = body
            response.deliveries.add(number=self.numbers, message=pb.Message(body=body))
        return response if response.deliveries else None

    async def settle(self, requests, out, outstanding):
        async for request in requests:
            self.credit += request.credit
            response = pb.ConsumeResponse()
            for run in request.settlements:
                response.settled.add(first=run.first, count=run.count)
                for number in range(run.first, run.first + run.count):
                    body = outstanding.pop(number)
                    self.settled.append((pb.Disposition.Name(run.disposition).rpartition("_")[2], body))
                    if run.disposition == pb.DISPOSITION_REQUEUE:
                        self.queue.appendleft(body)
            await self.durable.wait()
            out.put_nowait(response)
        out.put_nowait(None)

    async def Get(self, request, context):  # noqa: N802
        self.asked += 1
        await self.answers.wait()
        deliveries = [pb.Delivery(message=pb.Message(body=b"%d" % number)) for number in range(request.count)]
        return pb.GetResponse(deliveries=deliveries, left=5)

    async def Browse(self, request, context):  # noqa: N802
        first = request.position or 1
        deliveries = [pb.Delivery(position=number) for number in (first, first + 1)]
        return pb.BrowseResponse(deliveries=deliveries, next=first + 2 if first < 5 else 0)

    async def Purge(self, request, context):  # noqa: N802
        return pb.PurgeResponse(removed=7)

    async def ListQueues(self, request, context):  # noqa: N802
        return pb.ListQueuesResponse(queues=[pb.QueueStatus(name=name, ready=3) for name in ("jobs", "orders")])

    async def GetQueue(self, request, context):  # noqa: N802
        return pb.GetQueueResponse(status=pb.QueueStatus(name=request.queue), insides=[pb.QueueInsides(q4=3)])

    async def GetStore(self, request, context):  # noqa: N802
        return pb.GetStoreResponse(messages=12, disk_free=1 << 30)


@asynccontextmanager
async def serving(store, address="127.0.0.1:0") -> AsyncIterator[int]:
    """Serve until left; the port."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add_StoreServiceServicer_to_server(store, server)
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(0)
