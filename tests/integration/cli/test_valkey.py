import os
import signal

import pytest
from redis.asyncio import Redis

from eventually import eventually
from forebay.api.v1alpha1 import API_VERSION, Spill
from forebay.cli.errors import ValkeyError
from forebay.cli.valkey import Valkey, Valkeys

LIMITS = {"maxmemory": "100000000", "appendfsync": "everysec"}


@pytest.fixture
async def valkey(tmp_path):
    valkey = Valkey(tmp_path, LIMITS)
    yield valkey
    await valkey.stop()


async def setting(socket, name):
    async with Redis(unix_socket_path=str(socket), protocol=2, decode_responses=True) as client:
        return (await client.config_get(name))[name]


def spill(memory):
    return Spill.model_validate(
        {
            "apiVersion": API_VERSION,
            "kind": "Spill",
            "metadata": {"name": "main"},
            "spec": {"managed": {"memory": memory}, "durability": "always"},
        }
    )


async def test_it_keeps_what_it_is_given_and_evicts_nothing(valkey):
    await valkey.answers()
    found = [await setting(valkey.socket, name) for name in ("appendonly", "maxmemory-policy", "maxmemory", "port")]
    assert found == ["yes", "noeviction", "100000000", "0"]


async def test_only_its_user_reaches_it(valkey):
    await valkey.answers()
    assert valkey.socket.parent.stat().st_mode & 0o777 == 0o700
    assert valkey.socket.stat().st_mode & 0o777 == 0o700


async def test_a_server_that_does_not_start_tells_why(tmp_path):
    valkey = Valkey(tmp_path, {"maxmemory": "much"})
    with pytest.raises(ValkeyError, match="ended with 1: ") as caught:
        await valkey.answers()
    assert "argument must be a memory value" in caught.value.message
    assert str(tmp_path / "log") in caught.value.remedy
    await valkey.stop()


async def test_data_are_there_after_a_kill(valkey):
    await valkey.answers()
    async with Redis(unix_socket_path=str(valkey.socket), protocol=2) as client:
        await client.set("key", "value")
        await client.waitaof(1, 0, 5000)
    os.kill(int((valkey.folder / "lock").read_text().split()[0]), signal.SIGKILL)
    await eventually(lambda: not valkey.answering.is_set())
    await eventually(valkey.answering.is_set)
    async with Redis(unix_socket_path=str(valkey.socket), protocol=2) as client:
        assert await client.get("key") == b"value"


async def test_each_managed_spill_has_one_server_whose_limits_follow_it(tmp_path):
    valkeys = Valkeys(tmp_path)
    try:
        await valkeys.start([spill("100MiB")])
        url = valkeys.url(spill("100MiB"))
        assert await setting(url.removeprefix("unix://"), "appendfsync") == "always"
        assert valkeys.url(spill("200MiB")) == url
        await eventually(lambda: has_memory(url, 200 * 1024**2))
    finally:
        await valkeys.stop()


async def has_memory(url, octets):
    return int(await setting(url.removeprefix("unix://"), "maxmemory")) == octets


async def test_nothing_is_left_of_a_stopped_one(tmp_path):
    valkey = Valkey(tmp_path, LIMITS)
    await valkey.answers()
    process = int((tmp_path / "lock").read_text().split()[0])
    await valkey.stop()
    assert not valkey.socket.parent.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
