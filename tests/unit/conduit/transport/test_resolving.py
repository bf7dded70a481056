"""Looking up peers."""

import asyncio
import socket

from forebay.conduit.core.wire.locators import Locator
from forebay.conduit.transport.places import Place
from forebay.conduit.transport.resolving import Resolver


async def test_name_stands_for_all_its_addresses_and_keeps_them_while_it_is_not_found(monkeypatch):
    answers = [
        [(0, 0, 0, "", ("10.0.0.1", 7)), (0, 0, 0, "", ("10.0.0.2", 7))],
        socket.gaierror("not now"),
        [(0, 0, 0, "", ("10.0.0.3", 7))],
    ]

    async def getaddrinfo(*_, **__):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    resolver = Resolver([Place("udp", "pods", 7)], 4)
    assert resolver.has_names
    assert await resolver.look_up(1) == (("10.0.0.1", 7), ("10.0.0.2", 7))
    assert await resolver.look_up(1) == (("10.0.0.1", 7), ("10.0.0.2", 7))
    assert await resolver.look_up(1) == (("10.0.0.3", 7),)


async def test_streams_are_locators():
    resolver = Resolver([Place("tcp", "127.0.0.1", 7)], 4)
    assert not resolver.has_names
    assert await resolver.look_up(1) == (Locator("tcp", "127.0.0.1", 7),)
