"""Trackers that others forward to: on all addresses of loopback, and each answer takes some time, as over a network.

python -m bench.upstreamstandin PORT MILLISECONDS
"""

import asyncio
import sys

import uvloop

BODY = b"d8:completei3e10:incompletei4e8:intervali1800e5:peers300:%be" % (b"\xc0\x00\x02\x01\x1a\xe1" * 50)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


class Connection(asyncio.Protocol):
    def __init__(self, delay: float) -> None:
        self.delay = delay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        # Requests are one after the other, and each is a single piece on loopback.
        for _ in range(data.count(b"\r\n\r\n")):
            asyncio.get_running_loop().call_later(self.delay, self.transport.write, ANSWER)  # type: ignore[attr-defined]


async def main(port: int, delay: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(delay), "0.0.0.0", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), float(sys.argv[2]) / 1000))
