"""Calls to one pod that fail."""

import asyncio
from types import SimpleNamespace

import pytest

from fakeclock import settle
from forebay.pb.config.v1 import config_pb2
from forebay.runtime.cutcalls import failed
from forebay_operator.pods import podclient
from forebay_operator.pods.podclient import PodClient


async def hang():
    """Fails when it is cancelled, as gRPC does when the call fails at that moment."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise failed("the pod ends") from None


@pytest.fixture
def client(monkeypatch):
    """Of a pod whose service answers."""
    made = PodClient("hub-0", SimpleNamespace(get=lambda: None, target="hub-0:4190"), asyncio.Semaphore(1))
    answer = config_pb2.GetStatusResponse(service="outfeed", revision=1)
    config = SimpleNamespace(GetStatus=lambda request, timeout: asyncio.sleep(0, answer))
    monkeypatch.setattr(made, "_config", lambda: config)
    return made


async def is_ended(task):
    """Cancelled while it waits."""
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_looks_at_a_pod_can_be_cancelled_while_it_does_not_answer(client):
    client._config().GetStatus = lambda request, timeout: hang()
    await is_ended(asyncio.create_task(client.view()))


async def test_who_asks_for_peers_can_be_cancelled_while_they_are_not_told(client, monkeypatch):
    """Elsewhere their service not answering only means that it tells nothing of them."""
    monkeypatch.setitem(podclient.ASKED, "outfeed", lambda channel: hang())
    await is_ended(asyncio.create_task(client.view()))
