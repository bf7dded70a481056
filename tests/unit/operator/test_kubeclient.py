import pytest
from kubernetes.aio.client import ApiClient, Configuration

from forebay_operator.errors import UnavailableError
from forebay_operator.kube import KubeClient
from forebay_operator.kube.kinds import SECRET

BODY = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one", "namespace": "news"}}


class Busy:
    """An API server that answers nothing, and a lease that is lost at the first try."""

    def __init__(self) -> None:
        self.tries = 0

    async def attempt(self, method, path, options):
        self.tries += 1
        raise UnavailableError(f"{method} {path}", 503, "busy")

    def is_held(self) -> bool:
        return self.tries == 0


@pytest.fixture
def busy():
    return Busy()


@pytest.fixture
async def client(busy, monkeypatch):
    monkeypatch.setattr("forebay_operator.kube.client._backoff", lambda state: 0.0)
    client = KubeClient(ApiClient(Configuration(host="https://kubernetes.example")))
    client.may_write = busy.is_held
    monkeypatch.setattr(client, "_try", busy.attempt)
    yield client
    await client.close()


async def test_no_try_of_a_write_follows_a_lost_lease(client, busy):
    with pytest.raises(UnavailableError, match="another operator leads"):
        await client.apply(BODY)
    assert busy.tries == 1


async def test_reads_go_on(client, busy):
    with pytest.raises(UnavailableError, match="busy"):
        await client.find(SECRET, "news", "one")
    assert busy.tries > 1
