import asyncio
from struct import pack, unpack

import pytest

from eventually import eventually
from forebay.announcer.fronts.udpfront import UdpFront
from forebay.runtime import Address, AddressError
from swarms import octets, split

V4, V6 = 4, 16


class Client(asyncio.DatagramProtocol):
    """A socket, and what comes to it."""

    def __init__(self):
        self.packets = asyncio.Queue()

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        self.packets.put_nowait(data)

    async def ask(self, packet):
        self.transport.sendto(packet)
        return await asyncio.wait_for(self.packets.get(), 30)

    async def connect(self):
        answer = await self.ask(pack(">QI4s", 0x41727101980, 0, b"tran"))
        assert answer[:8] == b"\0\0\0\0tran"
        return answer[8:]

    async def announce(self, connection_id, port, torrent="torrent"):
        head = connection_id + pack(">I4s", 1, b"tran") + octets(torrent) + octets(f"peer-{port}")
        return await self.ask(head + pack(">QQQIIIiH", 0, 5, 0, 2, 0, 0, -1, port))


@pytest.fixture
async def client(udp):
    transports = []

    async def client(host):
        transport, made = await asyncio.get_running_loop().create_datagram_endpoint(
            Client, remote_addr=(host, udp.port)
        )
        transports.append(transport)
        return made

    yield client
    for transport in transports:
        transport.close()


@pytest.mark.parametrize(
    ("host", "family", "address"), [("127.0.0.1", V4, bytes([127, 0, 0, 1])), ("::1", V6, bytes(15) + b"\x01")]
)
async def test_clients_of_a_family_find_each_other(client, host, family, address):
    first, second = await client(host), await client(host)
    other = await client("::1" if family == V4 else "127.0.0.1")
    await other.announce(await other.connect(), 1003)
    await first.announce(await first.connect(), 1001)
    answer = await second.announce(await second.connect(), 1002)
    assert answer[:8] == b"\0\0\0\1tran"
    assert unpack(">III", answer[8:20]) == (1800, 3, 0)
    assert split(answer[20:], family) == [address + (1001).to_bytes(2)]


async def test_an_id_is_good_for_all_sockets_of_its_address_and_for_two_minutes(client, clock):
    first, second = await client("127.0.0.1"), await client("127.0.0.1")
    connection_id = await first.connect()
    clock.advance(119.0)
    assert (await second.announce(connection_id, 1001))[3] == 1
    clock.advance(2.0)
    assert await second.announce(connection_id, 1001) == b"\0\0\0\3tranconnect anew"
    assert (await second.announce(await second.connect(), 1001))[3] == 1


async def test_what_is_no_request_is_not_answered_and_does_no_harm(udp, client):
    it = await client("127.0.0.1")
    for packet in (b"", b"x", bytes(1400), b"\xff" * 65_507):
        it.transport.sendto(packet)
    connection_id = await it.connect()
    assert len(connection_id) == 8
    assert it.packets.empty()


async def test_a_fault_of_ours_does_not_end_the_front(udp, client, front_desk, capfd):
    def fail(announce):
        raise RuntimeError("a fault")

    it = await client("127.0.0.1")
    connection_id = await it.connect()
    wanted, front_desk.wanted = front_desk.wanted, fail
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await it.announce(connection_id, 1001)
    front_desk.wanted = wanted
    assert (await it.announce(connection_id, 1001))[3] == 1


async def test_packets_that_the_system_does_not_take_are_lost(udp, client):
    it = await client("127.0.0.1")
    answer, udp.desk.answer = udp.desk.answer, lambda packet, address, now: bytes(70_000)
    it.transport.sendto(pack(">QI4s", 0x41727101980, 0, b"lost"))
    await eventually(lambda: udp.desk.tally.ignored)
    udp.desk.answer = answer
    assert len(await it.connect()) == 8
    assert it.packets.empty()


async def test_many_packets_at_once_are_all_answered(client):
    it = await client("127.0.0.1")
    for number in range(150):
        it.transport.sendto(pack(">QII", 0x41727101980, 0, number))
    answers = [await asyncio.wait_for(it.packets.get(), 30) for _ in range(150)]
    assert [unpack(">II", answer[:8]) for answer in answers] == [(0, number) for number in range(150)]


async def test_a_port_that_is_taken_is_an_error(udp, clock):
    with pytest.raises(AddressError, match="announces over UDP"):
        await UdpFront(udp.desk, clock).start(Address("::", udp.port))
