import pytest

from forebay.client import OutfeedClient

from .scripted import ScriptedOutfeed, listening


@pytest.fixture
def service():
    return ScriptedOutfeed()


@pytest.fixture
async def client(service):
    async with listening(service) as port, OutfeedClient.connect(f"127.0.0.1:{port}") as client:
        yield client
