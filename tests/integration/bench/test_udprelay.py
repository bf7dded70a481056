import asyncio
import socket

from bench.programs import program

COUNT = 200


def bound():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.setblocking(False)
    return made


async def test_it_loses_datagrams_in_both_directions_once_it_is_told_to():
    loop = asyncio.get_running_loop()
    with bound() as server, bound() as client:
        async with program("bench.udprelay", server.getsockname()[1], 0.5) as relay:
            there = ("127.0.0.1", (await relay.told())["port"])
            for number in range(COUNT):
                await loop.sock_sendto(client, b"%d" % number, there)
            before = [await loop.sock_recvfrom(server, 100) for _ in range(COUNT)]
            assert [data for data, _ in before] == [b"%d" % number for number in range(COUNT)]
            back = before[0][1]
            await loop.sock_sendto(server, b"back", back)
            assert (await loop.sock_recvfrom(client, 100))[0] == b"back"

            relay.go_on()
            heard = [asyncio.create_task(until(loop, each, b"last")) for each in (server, client)]
            sent = 0
            while not all(task.done() for task in heard):
                sent += COUNT
                for _ in range(COUNT):
                    await loop.sock_sendto(client, b"more", there)
                    await loop.sock_sendto(server, b"more", back)
                await loop.sock_sendto(client, b"last", there)
                await loop.sock_sendto(server, b"last", back)
                await asyncio.sleep(0)
            relay.go_on()
            told = await relay.told()
    assert told["lost"] + told["passed"] > sent
    for task in heard:
        assert await task < sent


async def until(loop, sock, last):
    """How many datagrams come until that one."""
    count = 0
    while (await loop.sock_recv(sock, 100)) != last:
        count += 1
    return count
