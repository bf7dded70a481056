"""Names of trackers, looked up."""

import asyncio
import socket

import pytest

from eventually import eventually
from forebay.announcer.upstream import names
from forebay.announcer.upstream.names import Names

FOUND = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]


class Lookups:
    """What stands for the name server."""

    def __init__(self):
        self.asked = []
        self.answer = asyncio.Event()
        self.error = None

    async def __call__(self, host, port, **_):
        self.asked.append(host)
        await self.answer.wait()
        if self.error:
            raise self.error
        return FOUND


@pytest.fixture
async def lookups(monkeypatch):
    lookups = Lookups()
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookups)
    return lookups


@pytest.fixture
async def known():
    known = Names()
    yield known
    await known.close()


async def begun(lookups, number):
    await eventually(lambda: len(lookups.asked) == number)


async def test_all_who_ask_meanwhile_wait_for_one_lookup(known, lookups):
    asking = [asyncio.create_task(known.addresses("t.example", 80)) for _ in range(10)]
    await begun(lookups, 1)
    lookups.answer.set()
    assert await asyncio.gather(*asking) == [FOUND] * 10
    assert lookups.asked == ["t.example"]


async def test_who_gives_up_leaves_the_lookup_to_the_others(known, lookups):
    first, other = (asyncio.create_task(known.addresses("t.example", 80)) for _ in range(2))
    await begun(lookups, 1)
    first.cancel()
    lookups.answer.set()
    assert await other == FOUND


async def test_an_answer_is_remembered_for_a_while(known, lookups, monkeypatch):
    lookups.answer.set()
    for _ in range(2):
        await known.addresses("t.example", 80)
    assert len(lookups.asked) == 1
    monkeypatch.setattr(names, "REMEMBERED", -1.0)
    for _ in range(2):
        await known.addresses("other.example", 80)
    assert lookups.asked == ["t.example", "other.example", "other.example"]


async def test_an_error_is_not_remembered(known, lookups):
    lookups.answer.set()
    lookups.error = socket.gaierror(socket.EAI_AGAIN, "try again")
    with pytest.raises(socket.gaierror):
        await known.addresses("t.example", 80)
    lookups.error = None
    assert await known.addresses("t.example", 80) == FOUND


async def test_only_so_many_are_remembered(known, lookups, monkeypatch):
    monkeypatch.setattr(names, "MOST", 2)
    lookups.answer.set()
    for host in ("a", "b", "c", "c", "b", "a"):
        await known.addresses(f"{host}.example", 80)
    assert lookups.asked == ["a.example", "b.example", "c.example", "a.example"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_an_address_is_not_looked_up(known, lookups, host):
    ((_, _, _, _, address),) = await known.addresses(host, 80)
    assert address[:2] == (host, 80)
    assert lookups.asked == []


async def test_what_cannot_be_a_name(known, lookups):
    with pytest.raises(socket.gaierror):
        await known.addresses("a" * 64 + ".example", 80)


async def test_nothing_is_looked_up_after_the_end(known, lookups):
    asking = asyncio.create_task(known.addresses("t.example", 80))
    await begun(lookups, 1)
    await known.close()
    with pytest.raises(asyncio.CancelledError):
        await asking
