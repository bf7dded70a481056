"""The client's side of a stream: requests that a test sends, and the responses that have come."""

import asyncio


class Requests:
    """Requests as gRPC gives them; `send` and `end` them."""

    def __init__(self, *requests):
        self.waiting = asyncio.Queue()
        self.read = 0
        for request in requests:
            self.send(request)

    def send(self, request):
        self.waiting.put_nowait(request)

    def end(self):
        self.waiting.put_nowait(None)

    def __aiter__(self):
        return self

    async def __anext__(self):
        request = await self.waiting.get()
        if request is None:
            raise StopAsyncIteration
        self.read += 1
        return request


class Reader:
    """Reads responses as fast as `free` lets it."""

    def __init__(self, responses):
        self.got = []
        self.free = asyncio.Event()
        self.free.set()
        self.task = asyncio.ensure_future(self.run(responses))

    async def run(self, responses):
        async for response in responses:
            self.got.append(response)
            await self.free.wait()
