"""A UDP proxy on loopback that loses datagrams, by a seed."""

import asyncio
from random import Random


class LossyProxy(asyncio.DatagramProtocol):
    """Between one node at `target` and any others: each of these is seen there at a port of its own."""

    def __init__(self, target, loss, seed):
        self.target = target
        self.loss = loss
        self.random = Random(seed)
        self.passed = self.lost = 0
        self.backs = {}
        self.transport = None

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, ("127.0.0.1", 0))
        return self

    async def __aexit__(self, *_):
        for transport in [self.transport, *self.backs.values()]:
            transport.close()

    @property
    def place(self):
        host, port = self.transport.get_extra_info("sockname")
        return f"udp/{host}:{port}"

    def connection_made(self, transport):
        pass

    def datagram_received(self, data, source):
        if source not in self.backs:
            self.backs[source] = None
            self.opening = asyncio.ensure_future(self.open(data, source))
        elif (back := self.backs[source]) is not None:
            self.pass_on(back, data, self.target)

    async def open(self, data, source):
        loop = asyncio.get_running_loop()
        back, _ = await loop.create_datagram_endpoint(lambda: _Back(self, source), ("127.0.0.1", 0))
        self.backs[source] = back
        self.pass_on(back, data, self.target)

    def pass_on(self, transport, data, to):
        if self.random.random() < self.loss:
            self.lost += 1
        else:
            self.passed += 1
            transport.sendto(data, to)


class _Back(asyncio.DatagramProtocol):
    def __init__(self, proxy, source):
        self.proxy = proxy
        self.source = source

    def datagram_received(self, data, _):
        self.proxy.pass_on(self.proxy.transport, data, self.source)
