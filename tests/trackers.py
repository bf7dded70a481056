"""Scripted upstream trackers on loopback: over HTTP one path for each answer, over UDP one fault at a time."""

import asyncio
import gzip
import struct
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote_to_bytes

V4 = bytes([192, 0, 2, 1]) + b"\x1a\xe1"
V6 = bytes.fromhex("20010db8000000000000000000000001") + b"\x1a\xe1"
ENDLESS = object()
"""A body that has no end."""
SILENCE = object()
"""No answer, and the connection stays open."""
RESET = object()
"""The connection is closed without an answer."""


def bencode(value):
    """Octets of a value; text stands for its UTF-8."""
    if isinstance(value, dict):
        return b"d" + b"".join(bencode(key) + bencode(item) for key, item in value.items()) + b"e"
    if isinstance(value, list):
        return b"l" + b"".join(map(bencode, value)) + b"e"
    if isinstance(value, int):
        return b"i%de" % value
    octets = value.encode() if isinstance(value, str) else value
    return b"%d:%s" % (len(octets), octets)


@dataclass
class Reply:
    """An answer over HTTP."""

    body: object = b""
    status: int = 200
    headers: dict = field(default_factory=dict)

    def octets(self):
        """The answer, with its body if it has an end."""
        headers = dict(self.headers)
        if isinstance(self.body, bytes):
            headers["Content-Length"] = len(self.body)
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        return head + (self.body if isinstance(self.body, bytes) else b"")


def told(**fields):
    return Reply(bencode({name.replace("_", " "): value for name, value in fields.items()}))


def failed(**fields):
    return told(failure_reason="overloaded", **fields)


GOOD = told(complete=3, incomplete=4, interval=900, peers=V4)
REPLIES = {
    "/announce": GOOD,
    "/gzip": Reply(gzip.compress(GOOD.body), headers={"Content-Encoding": "gzip"}),
    "/gzip-unsaid": Reply(gzip.compress(GOOD.body)),
    "/dictionaries": told(
        interval=900, peers=[{"ip": "::ffff:192.0.2.1", "port": 6881}, {"ip": "x.example", "port": 1}]
    ),
    "/peers6": told(interval=900, peers=V4, peers6=V6),
    "/trailing": Reply(GOOD.body + b"\r\n"),
    "/partial-peer": told(interval=900, peers=V4 + b"\xc0\x00"),
    "/negative-interval": told(interval=-5, peers=V4),
    "/huge-interval": told(interval=10**12, peers=V4),
    "/tracker-id": Reply(bencode({"interval": 900, "tracker id": "id/1"})),
    "/retry-in-number": failed(retry_in=5),
    "/retry-in-text": failed(retry_in="5"),
    "/retry-in-ten": failed(retry_in=10),
    "/retry-in-zero": failed(retry_in=0),
    "/retry-in-negative": failed(retry_in=-1),
    "/retry-in-words": failed(retry_in="abc"),
    "/retry-in-interval": failed(retry_in="abc", interval=7200),
    "/never": failed(retry_in="never"),
    "/failure": failed(),
    "/html": Reply(b"<html><body>maintenance</body></html>", headers={"Content-Type": "text/html"}),
    "/empty": Reply(b""),
    "/400": Reply(status=400),
    "/401": Reply(status=401),
    "/403": Reply(status=403),
    "/404": Reply(status=404),
    "/429": Reply(status=429),
    "/429-after": Reply(status=429, headers={"Retry-After": "42"}),
    "/500": Reply(status=500),
    "/503": Reply(status=503),
    "/long": Reply(b"8000000:" + b"x" * 8_000_000),
    "/bomb": Reply(gzip.compress(b"8000000:" + b"x" * 8_000_000)),
    "/endless": Reply(ENDLESS),
    "/close-ends-it": Reply(None, headers={"Connection": "close"}),
    "/loop": Reply(status=302, headers={"Location": "/loop"}),
    "/to-nowhere": Reply(status=302),
    "/to-udp": Reply(status=302, headers={"Location": "udp://127.0.0.1:1/announce"}),
    "/silent": SILENCE,
    "/reset": RESET,
}


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    target: str
    headers: dict
    connection: int

    @property
    def path(self):
        return self.target.partition("?")[0]

    @property
    def parameters(self):
        """The query, decoded as octets of Latin-1."""
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True, encoding="latin-1"))

    def octets(self, name):
        """A parameter as octets, each % decoded once and a + left alone."""
        pairs = (pair.partition("=") for pair in self.target.partition("?")[2].split("&"))
        return next(unquote_to_bytes(value) for key, _, value in pairs if key == name)


class HttpTracker:
    """Answers each path as scripted; `replies` may be added to."""

    def __init__(self):
        self.replies = dict(REPLIES)
        self.requests = []
        self.connections = 0
        self.open = 0
        self.most_open = 0
        self.gate = asyncio.Event()
        """Answers wait while it is closed."""
        self.gate.set()
        self.tasks = set()

    async def start(self, host="127.0.0.1", tls=None):
        self.scheme = "https" if tls else "http"
        self.server = await asyncio.start_server(self.serve, host, 0, ssl=tls)
        self.port = self.server.sockets[0].getsockname()[1]
        self.host = f"[{host}]" if ":" in host else host

    async def stop(self):
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.server.wait_closed()

    def url(self, path="/announce"):
        return f"{self.scheme}://{self.host}:{self.port}{path}"

    async def serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        self.connections += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await self.answer_all(reader, writer, self.connections)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            self.open -= 1
            writer.close()
            self.tasks.discard(asyncio.current_task())

    async def answer_all(self, reader, writer, connection):
        while True:
            request = self.request(await reader.readuntil(b"\r\n\r\n"), connection)
            reply = self.replies.get(request.path, Reply(status=404))
            if reply is RESET:
                return
            if reply is SILENCE:
                await reader.read()
                return
            await self.gate.wait()
            writer.write(reply.octets())
            while reply.body is ENDLESS:
                writer.write(b"8" * 65_536)
                await writer.drain()
            if reply.body is None:
                writer.write(GOOD.body)
                return
            await writer.drain()

    def request(self, octets, connection):
        """Take note of a request whose head is these octets."""
        head = octets.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        self.requests.append(Request(head[0].split(" ")[1], headers, connection))
        return self.requests[-1]


class UdpTracker(asyncio.DatagramProtocol):
    """BEP 15 with faults: each counter says how many packets get it before all is well."""

    def __init__(self):
        self.drop_connects = 0
        self.drop_announces = 0
        self.refuse_announces = 0
        self.refuse_connects = 0
        self.strangers = False
        """Before each answer come packets that nobody asked for."""
        self.answer = struct.pack(">III", 900, 4, 3) + V4
        self.connects = []
        self.announces = []
        self.sources = set()
        self.ids = set()

    async def start(self, host="127.0.0.1"):
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(host, 0))
        self.port = self.transport.get_extra_info("sockname")[1]
        self.host = f"[{host}]" if ":" in host else host

    def stop(self):
        self.transport.close()

    def url(self, path="/announce"):
        return f"udp://{self.host}:{self.port}{path}"

    def datagram_received(self, data, addr):
        self.sources.add(addr)
        if len(data) == 16:
            self.connect(data, addr)
        else:
            self.announce(data, addr)

    def connect(self, data, addr):
        self.connects.append(data)
        if self.drop_connects:
            self.drop_connects -= 1
            return
        if self.refuse_connects:
            self.refuse_connects -= 1
            self.send(3, data[12:16], b"full", addr)
            return
        number = struct.pack(">Q", 0xABCDEF00 + len(self.connects))
        self.ids = {number}
        self.send(0, data[12:16], number, addr)

    def announce(self, data, addr):
        self.announces.append(data)
        if self.drop_announces:
            self.drop_announces -= 1
        elif self.refuse_announces or data[:8] not in self.ids:
            self.refuse_announces = max(0, self.refuse_announces - 1)
            self.send(3, data[12:16], b"unknown connection id\0", addr)
        else:
            self.send(1, data[12:16], self.answer, addr)

    def send(self, action, transaction, body, addr):
        answer = struct.pack(">I", action) + transaction + body
        if self.strangers:
            other = bytes([transaction[0] ^ 1]) + transaction[1:]
            self.transport.sendto(struct.pack(">I", action) + other + body, addr)
            self.transport.sendto(struct.pack(">I", 2) + transaction + bytes(20), addr)
            self.transport.sendto(struct.pack(">I", 3) + other + b"no", addr)
            self.transport.sendto(answer[:7], addr)
        self.transport.sendto(answer, addr)
        self.transport.sendto(answer, addr)
