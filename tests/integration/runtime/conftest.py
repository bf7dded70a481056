import pytest

from .echo import EchoService, connected, hosted


@pytest.fixture
def service():
    return EchoService()


@pytest.fixture
async def host(service):
    async with hosted(service) as host:
        yield host


@pytest.fixture
async def client(host):
    async with connected(host) as client:
        yield client
