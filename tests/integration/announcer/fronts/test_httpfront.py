import asyncio

import pytest

from eventually import eventually
from forebay.announcer.fronts.httpfront import HttpFront, HttpLimits
from forebay.announcer.fronts.proxies import TrustedProxies
from forebay.announcer.wire.bencode import decode
from forebay.runtime import Address, AddressError
from httpclient import parse
from openfiles import open_files
from swarms import NOW, announce, split

QUERY = "info_hash=torrent.............&left=5"


def request(port, more="", head=""):
    return f"GET /announce?{QUERY}&peer_id=peer-{port:015}&port={port}{more} HTTP/1.1\r\nHost: x\r\n{head}\r\n".encode()


class Client:
    """A connection, and the answers of it."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def answer(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return parse(head + await self.reader.readexactly(size))[0]

    async def ask(self, octets):
        self.writer.write(octets)
        return await self.answer()

    async def ended(self):
        """Wait for the end of the connection, whichever it is."""
        try:
            return await self.reader.read() == b""
        except ConnectionError:
            return True


@pytest.fixture
async def connect(http):
    clients = []

    async def connect(host="127.0.0.1", **options):
        client = Client(*await asyncio.open_connection(host, http.port, **options))
        clients.append(client)
        return client

    yield connect
    for client in clients:
        client.writer.transport.abort()
        await asyncio.gather(client.writer.wait_closed(), return_exceptions=True)


async def test_clients_of_both_families_find_each_other(connect):
    four, six = await connect("127.0.0.1"), await connect("::1")
    first = decode((await four.ask(request(1001))).body)
    second = decode((await six.ask(request(1002))).body)
    assert (first[b"external ip"], second[b"external ip"]) == (bytes([127, 0, 0, 1]), bytes(15) + b"\x01")
    assert second[b"peers"] == bytes([127, 0, 0, 1]) + (1001).to_bytes(2)
    third = decode((await four.ask(request(1001))).body)
    assert third[b"peers6"] == bytes(15) + b"\x01" + (1002).to_bytes(2)


async def test_requests_that_come_together_are_answered_in_their_order(connect):
    client = await connect()
    client.writer.write(b"".join(request(1000 + number, "&numwant=200") for number in range(100)))
    for number in range(100):
        assert len(split(decode((await client.answer()).body)[b"peers"])) == number


async def test_a_trusted_proxy_tells_the_client(connect):
    head = "X-Forwarded-For: 192.0.2.1\r\n"
    proxy = await connect(local_addr=("127.0.0.2", 0))
    other = await connect(local_addr=("127.0.0.3", 0))
    assert decode((await proxy.ask(request(1, head=head))).body)[b"external ip"] == bytes([192, 0, 2, 1])
    assert decode((await other.ask(request(1, head=head))).body)[b"external ip"] == bytes([127, 0, 0, 3])


async def test_the_last_answer_is_sent_before_the_connection_ends(connect):
    client = await connect()
    assert (await client.ask(request(1, head="Connection: close\r\n"))).status == 200
    assert await client.ended()


async def test_what_is_no_request_ends_the_connection(connect):
    client = await connect()
    assert (await client.ask(b"\x16\x03\x01 is TLS\r\n\r\n")).status == 400
    assert await client.ended()


async def test_a_connection_without_whole_requests_is_closed(http, connect, clock):
    idle, busy = await connect(), await connect()
    await eventually(lambda: len(http.connections) == 2)
    for _ in range(4):
        idle.writer.write(b"G")
        await busy.ask(request(1))
        await clock.run(25.0)
    assert await idle.ended()
    assert (await busy.ask(request(1))).status == 200
    assert len(http.connections) == 1


async def test_connections_beyond_the_limit_are_closed(http, connect):
    clients = [await connect() for _ in range(http.limits.most_connections)]
    for client in clients:
        await client.ask(request(1))
    assert await (await connect()).ended()
    assert http.site.tally.ignored == 1
    clients[0].writer.close()
    await eventually(lambda: len(http.connections) < http.limits.most_connections)
    assert (await (await connect()).ask(request(1))).status == 200


async def test_a_client_that_does_not_read_does_not_fill_the_memory(http, front_desk, connect):
    for host in range(300):
        front_desk.enter(announce(host), NOW)
    client = await connect()
    requests = request(1, "&numwant=200") * 200
    client.writer.transport.set_write_buffer_limits(high=len(requests))

    async def send():
        while True:
            client.writer.write(requests)
            await client.writer.drain()

    sending = asyncio.create_task(send())
    (connection,) = await eventually(lambda: http.connections)
    await eventually(lambda: not connection._transport.is_reading())
    assert connection._transport.get_write_buffer_size() < 8 << 20
    sending.cancel()
    answers = 0
    while connection._transport.get_write_buffer_size():
        assert (await client.answer()).status == 200
        answers += 1
    assert answers
    assert await eventually(connection._transport.is_reading)


async def test_it_leaves_nothing_open(http, connect):
    before = open_files()
    client = await connect()
    await client.ask(request(1))
    await http.stop()
    assert await client.ended()
    client.writer.close()
    await client.writer.wait_closed()
    assert http.connections == set()
    await eventually(lambda: open_files() < before)
    with pytest.raises(OSError):  # noqa: PT011 whatever the system says to one that finds nobody
        await connect()


async def test_a_port_that_is_taken_is_an_error(http):
    front = HttpFront(http.site, TrustedProxies(), HttpLimits(), http.clock)
    with pytest.raises(AddressError, match="announces over HTTP"):
        await front.start(Address("::", http.port))
    await front.stop()
