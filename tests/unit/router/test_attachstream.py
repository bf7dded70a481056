"""What one Attach stream takes of a process that sends and does not read."""

import asyncio

import pytest

from fakeclock import settle
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.attachstream import AttachStream
from forebay.router.outlet import BURDEN, MOST_RECEIPTS
from forebay.router.processes import Processes
from unit.router.switches import make_switch, parcel

PARCELS = pb.AttachRequest(freight=pb.Freight(parcels=[parcel("nobody@x")] * 1000))
BIRTHS = pb.AttachRequest(births=[pb.Birth(name="a", incarnation=5)] * 1000)
HELLO = pb.AttachRequest(births=[pb.Birth(name="a", incarnation=5)])


@pytest.mark.parametrize("request_", [PARCELS, BIRTHS], ids=["receipts", "registrations"])
async def test_a_process_that_does_not_read_is_not_listened_to_after_a_while(request_):
    handled = 0

    async def requests():
        nonlocal handled
        for _ in range(200):
            yield request_
            handled += 1

    processes = Processes(make_switch())
    attachment = processes.attach(pb.Hello(process="p", incarnation=1), ())
    written: asyncio.Queue[pb.AttachResponse] = asyncio.Queue()

    async def write(response):
        await written.put(response)
        await written.join()

    stream = AttachStream(attachment, processes, pb.Welcome())
    running = asyncio.ensure_future(stream.run(HELLO, requests(), write))
    try:
        assert (await written.get()).HasField("welcome")
        await settle()
        assert handled <= BURDEN // 1000, "the first that is not listened to has been handled"
        answers = 0
        while handled < 200:
            written.task_done()
            response = await written.get()
            assert len(response.freight.receipts) <= MOST_RECEIPTS
            answers += len(response.freight.receipts) + len(response.registrations)
            await settle()
        assert answers >= BURDEN, "what waited is told, and then the rest is listened to"
    finally:
        running.cancel()
        await asyncio.wait([running])
